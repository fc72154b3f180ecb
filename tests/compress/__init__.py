"""Compression, and the way back from it."""
