"""CLI commands: one file for each group of verbs; each parses, calls Brain and prints."""
