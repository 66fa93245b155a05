"""The reward of asking about a word: the word's similarity to the target.

Rewards are clamped, as in the published study, so that their log-odds are finite.  The target itself has
the highest reward.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST", "MOST", "clamped", "log_odds", "weights"]

LEAST, MOST = 1e-4, 1 - 1e-4


def clamped(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rewards of words with these similarities to the target."""
    return np.clip(similarity, LEAST, MOST)


def log_odds(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of rewards strictly between 0 and 1."""
    return np.asarray(np.log(rewards / (1 - rewards)))


def weights(arms: NDArray[np.float64], rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights theta (..., M) with X theta = log-odds of the rewards (..., K), for arms X (K, M).

    The rewards are strictly between 0 and 1.
    """
    # What rounding alone keeps apart counts as equal, as in a least squares solution.
    inverse = np.linalg.pinv(arms, rcond=max(arms.shape) * np.finfo(np.float64).eps)
    return np.asarray(log_odds(rewards) @ inverse.T)
