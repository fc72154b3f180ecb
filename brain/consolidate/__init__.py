"""Consolidation: a plan of clean-ups that a person looks at, applied and undone as a whole."""
