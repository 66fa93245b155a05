"""How a learner looks ahead, by the number of its arms and features, and with how many points.

core.thompson does it; studies ask here how much memory that takes.
"""

from __future__ import annotations

from core.gaussian import FEW_FEATURES

__all__ = ["dimension", "has_few_arms", "keeps_values", "numbers_held", "points"]

FEW_ARMS = 64  # for the Rao-Blackwellised estimate, with its K x K matrices
COUNTED = 2  # points per requested sample, where winners are counted
MOST_COUNTED = 4  # with many features and up to 100 arms, whose values are the least certain


def has_few_arms(K: int, M: int) -> bool:
    """Are K arms of M features few enough for the Rao-Blackwellised estimate?"""
    return min(M, FEW_ARMS) >= K


def keeps_values(K: int, M: int) -> bool:
    """Are the arms' values under the points kept?  With few features, they are as quickly made anew."""
    return M > FEW_FEATURES and not has_few_arms(K, M)


def dimension(K: int, M: int) -> int:
    """Of the points: the weights' or, with fewer arms, the arms'."""
    return min(K, M) if has_few_arms(K, M) else M


def points(K: int, M: int, samples: int) -> int:
    """How many points, a power of 2."""
    times = 1 if has_few_arms(K, M) else COUNTED
    if keeps_values(K, M):
        times = min(MOST_COUNTED, max(COUNTED, 100 * MOST_COUNTED // K))
    return 1 << (times * samples - 1).bit_length()


def numbers_held(K: int, M: int, samples: int) -> int:
    """How many numbers a learner keeps: its points, and perhaps the arms' values under them."""
    return points(K, M, samples) * (dimension(K, M) + (K if keeps_values(K, M) else 0))
