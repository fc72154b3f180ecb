"""Prompt injection block: hits packed for a prompt within a token budget."""
