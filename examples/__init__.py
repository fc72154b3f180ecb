"""Examples that run: ``python -m examples.demo``."""
