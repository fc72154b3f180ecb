"""Text processing, pure: normalisation, tokenising, word lists, sentences, times, secrets.

The word lists are data files in ``data/``.
"""
