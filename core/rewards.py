"""The reward of asking about a word: the word's similarity to the target.

Rewards are clamped, as in the published study, so that their log-odds are finite.  The target itself has
the highest reward.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST", "MOST", "clamped"]

LEAST, MOST = 1e-4, 1 - 1e-4


def clamped(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rewards of words with these similarities to the target."""
    return np.clip(similarity, LEAST, MOST)
