"""Packing hits into a block for a prompt within a token budget."""
