"""Secret detection: keys, passwords, card and identity numbers by the shape of their value."""
