"""Recall: candidates, their order, the gate, the reasons."""
