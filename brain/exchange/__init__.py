"""Memories leaving the file and coming back: complete as JSONL, readable as Markdown."""
