"""Causal links: decisions, what they led to, and what that says before the next one."""
