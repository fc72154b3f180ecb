"""Ingest: readers of other programs' memories and conversations, and storing what they give.

A reader is a pure generator: it gives entries and faults of one file and writes nothing.
:mod:`brain.ingest.ingestion` holds them against what the memory file already has.
"""
