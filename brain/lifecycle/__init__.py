"""Lifecycle (bi-temporal): how records replace, end, return and are erased, and when."""
