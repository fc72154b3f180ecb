"""Maintenance of the file: doctor, backup, re-embedding, decay, optimize, stats."""
