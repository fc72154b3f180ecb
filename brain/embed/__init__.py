"""Turning text into vectors: the Embedder protocol and the models behind it."""
