"""The block that goes into a prompt."""
