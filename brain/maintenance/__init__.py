"""Looking after the file: re-embedding, and what else keeps it healthy."""
