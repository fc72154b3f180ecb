"""The file: its tables, indexes, vectors and log."""
