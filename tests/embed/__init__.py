"""Embedding models: found, fetched, loaded, asked."""
