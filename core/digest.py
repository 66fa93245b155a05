"""A short fingerprint of a learner's state, by which a replay on another machine can be compared.

Floating point differs in its last digits between machines, so the posterior is rounded to a grid.
A number near the border of two cells may still round to either, so two grids are used, half a
cell apart: unless they truly differ, two states all but surely agree on one grid at least.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["digest", "same_digest"]

CELL = 1e-4


def digest(history: Sequence[tuple[int, int]], arm: int, posterior: NDArray[np.float64]) -> str:
    """Three hexadecimal words: history and question; the posterior on one grid; on the other."""
    story = ";".join(f"{asked}:{answer}" for asked, answer in history) + f"?{arm}"
    cells = posterior / CELL
    return "-".join(
        hashlib.sha256(part).hexdigest()[:12]
        for part in (story.encode(), _bytes(np.floor(cells)), _bytes(np.floor(cells + 0.5)))
    )


def same_digest(one: str, other: str) -> bool:
    """Do these belong to the same state, rounding aside?"""
    story, *grids = one.split("-")
    other_story, *other_grids = other.split("-")
    whole = len(grids) == len(other_grids) == 2
    return whole and story == other_story and any(a == b for a, b in zip(grids, other_grids, strict=True))


def _bytes(cells: NDArray[np.float64]) -> bytes:
    return (cells + 0.0).astype("<f8").tobytes()  # + 0.0 turns -0.0 into 0.0
