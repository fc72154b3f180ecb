"""Conversations, notes and other programs' memories."""
