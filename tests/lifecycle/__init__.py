"""What becomes of a memory: replaced, ended, forgotten."""
