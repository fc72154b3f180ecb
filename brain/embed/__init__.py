"""Embedding: text into vectors, by the Embedder protocol and the models behind it."""

from brain.embed.protocol import Embedder, ModelInfo
from brain.embed.registry import default_name, is_available, known, open_embedder

__all__ = ["Embedder", "ModelInfo", "default_name", "is_available", "known", "open_embedder"]
