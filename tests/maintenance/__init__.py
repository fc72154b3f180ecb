"""Backup, doctor, decay, optimize."""
