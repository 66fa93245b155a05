"""Concordance: the share of pairs of arms that an estimate puts in their true order.

Pairs of arms that are truly equal do not count.  Equal estimates are half right, and a difference by
rounding is no difference.  Where all arms are equal there is no order, and any estimate is half right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["TrueOrder", "concordance"]

EQUAL = 1e-10  # numbers closer than this, relative to the largest, are equal

Array = NDArray[np.float64]


def concordance(truth: Array, estimates: Array) -> Array:
    """The concordance (B,) of estimates (B, K) with the truth (B, K)."""
    return TrueOrder(truth).concordance(estimates)


class TrueOrder:
    """The true order of the arms of a batch, for comparing many estimates with it."""

    def __init__(self, truth: Array) -> None:
        self._sorted = np.argsort(truth, axis=-1, kind="stable")
        ranked = self._ranked(truth)
        self._below = ranked[:, :, None] < ranked[:, None, :] - 1.0
        self._pairs = self._below.sum((-2, -1))

    def concordance(self, estimates: Array) -> Array:
        """The concordance (B,) of estimates (B, K)."""
        ranked = self._ranked(estimates)
        right = np.empty(len(ranked))
        for b, (row, below) in enumerate(zip(ranked, self._below, strict=True)):
            higher = np.count_nonzero((row[None, :] > row[:, None] + 1.0) & below)
            lower = np.count_nonzero((row[None, :] < row[:, None] - 1.0) & below)
            right[b] = 0.5 * (1.0 + (higher - lower) / max(1, self._pairs[b]))
        return right

    def _ranked(self, values: Array) -> Array:
        """Values in the true order, in units of the smallest difference that counts."""
        ranked = np.take_along_axis(values, self._sorted, -1)
        return np.asarray(ranked / (EQUAL * np.abs(ranked).max(-1, keepdims=True) + 1e-300))
