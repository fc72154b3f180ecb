"""Compression with a way back: handles of originals, and finding them again."""
