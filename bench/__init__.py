"""Measurements of the engine: retrieval, the gate and its fitting, latency.

Each module is a program (``python -m bench.retrieval --data DIR``). The data lies outside the
repository and nothing of it comes in; what is slow to compute (vectors, memory files, features)
is kept under ``bench/.cache``, which git ignores.
"""
