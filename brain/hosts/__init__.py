"""Hosts: where each keeps its configuration, and how ours is written into it."""
