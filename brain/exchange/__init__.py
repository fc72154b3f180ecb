"""Export and import: complete as JSONL, readable as Markdown."""
