"""Prompt caching: what hosts say of the cached part of a prompt, and where it was lost."""
