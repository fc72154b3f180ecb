"""Weighted logistic regression with an L2 penalty, by Newton's method. Deterministic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEPS = 100
_CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted model on raw (not standardised) columns."""

    bias: float
    weights: Array

    def probability(self, x: Array) -> Array:
        """The chance of a positive, for each row of ``x``."""
        z = np.clip(self.bias + x @ self.weights, -40.0, 40.0)
        return np.asarray(1.0 / (1.0 + np.exp(-z)))


def fit(x: Array, y: Array, sample: Array, l2: float) -> Model:
    """Fits on standardised columns and gives the model back on the raw ones.

    Args:
        x: (n, features).
        y: (n,), 0 or 1.
        sample: (n,) weights, of any sum; the loss is their weighted mean.
        l2: λ of ½ λ |β|² on the standardised weights; the bias is free.
    """
    sample = sample / sample.sum()
    mean = sample @ x
    deviation = np.sqrt(sample @ (x - mean) ** 2)
    scale = np.where(deviation > 1e-12, deviation, np.inf)
    z = np.column_stack([np.ones(len(x)), (x - mean) / scale])
    penalty = np.full(z.shape[1], l2)
    penalty[0] = 0.0
    beta = np.zeros(z.shape[1])
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(z @ beta, -40.0, 40.0)))
        gradient = z.T @ (sample * (p - y)) + penalty * beta
        curvature = (z.T * (sample * p * (1.0 - p))) @ z + np.diag(penalty + 1e-12)
        step = np.linalg.solve(curvature, gradient)
        # A cap keeps the first steps on nearly separable data from overshooting.
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
        beta -= step
        if float(np.abs(step).max()) < _CLOSE:
            break
    weights = beta[1:] / scale
    return Model(float(beta[0] - weights @ mean), weights)
