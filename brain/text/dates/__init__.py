"""Temporal expression parsing: dates and relative times in Chinese, English and other scripts."""
