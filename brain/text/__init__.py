"""Pure functions on text: folding, grams, words, sentences, token estimates, times."""
