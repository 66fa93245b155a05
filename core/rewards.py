"""The reward of asking about a word: its likeness to the target.

Clamped, as in the published study, so that its log-odds are finite; the target itself has the most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST", "MOST", "clamped"]

LEAST, MOST = 1e-4, 1 - 1e-4


def clamped(likeness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rewards of words of such a likeness to the target."""
    return np.clip(likeness, LEAST, MOST)
