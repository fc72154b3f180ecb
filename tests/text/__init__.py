"""Text: folding, tokens, numerals, dates, secrets."""
