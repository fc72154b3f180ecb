"""Regressions: faults of other memories and of earlier versions, a file a subject."""
