"""The servers and their client."""
