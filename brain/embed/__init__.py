"""Turning text into vectors: the Embedder protocol and the models behind it."""

from brain.embed.models import ModelInfo, default_name, is_available, known, open_embedder
from brain.embed.protocol import Embedder

__all__ = ["Embedder", "ModelInfo", "default_name", "is_available", "known", "open_embedder"]
