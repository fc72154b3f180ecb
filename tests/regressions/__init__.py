"""Regressions: what users of agent memories reported in public, as kinds, a file a subject.

A test names the report it is after; its texts are our own.
"""
