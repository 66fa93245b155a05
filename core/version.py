"""Which learner it is: the version of the learners, and fingerprints of their states.

The version is raised with every change that can change a question, whatever the version of the program.
Session logs carry it, because only the same version can replay or continue a session.

A fingerprint compares a replay on another machine.  The last digits of floating-point numbers differ between
machines, so the posterior is rounded to a grid.  A number near the border of two cells may still round to
either.  So there are two grids, half a cell apart: two equal states almost certainly agree on at least one of
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEARNERS = "5"
CELL = 1e-4


def digest(history: Sequence[tuple[int, int]], arm: int, posterior: NDArray[np.float64]) -> str:
    """Three hexadecimal words: of history and question, and of the posterior on each grid."""
    story = ";".join(f"{asked}:{answer}" for asked, answer in history) + f"?{arm}"
    cells = posterior / CELL
    return "-".join(
        hashlib.sha256(part).hexdigest()[:12]
        for part in (story.encode(), _bytes(np.floor(cells)), _bytes(np.floor(cells + 0.5)))
    )


def same_digest(one: str, other: str) -> bool:
    """Are these digests of the same state, apart from rounding?"""
    story, *grids = one.split("-")
    other_story, *other_grids = other.split("-")
    whole = len(grids) == len(other_grids) == 2
    return whole and story == other_story and any(a == b for a, b in zip(grids, other_grids, strict=True))


def _bytes(cells: NDArray[np.float64]) -> bytes:
    return (cells + 0.0).astype("<f8").tobytes()  # + 0.0 turns -0.0 into 0.0
