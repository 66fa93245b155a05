"""How many participants does a study need?  By drawing studies from a pool of sessions.

A study of n participants is n sessions drawn from the pool, with replacement; it succeeds after a
question if the paired t-test there has p below the level.  The share of studies that succeed is the power.
The pool is itself a sample of people: its own size is what the 95 % intervals tell of.  For them the pool
is drawn anew, with replacement, and the power found from each such pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.randomness import stream
from studyapp.analysis.statistics import Array

__all__ = ["Power", "find_power", "participants_for"]

STUDIES = 4000  # drawn from the pool
POOLS = 200  # drawn anew
STUDIES_A_POOL = 200


@dataclass(frozen=True)
class Power:
    """The chance of p < level, (sizes, questions)."""

    sizes: NDArray[np.intp]
    questions: NDArray[np.intp]
    share: Array
    low: Array
    high: Array


def find_power(
    difference: Array,  # (pool, Q - 1), of every participant after each question from the second on
    sizes: Sequence[int],
    level: float = 0.05,
    tell: Callable[[float], None] = lambda _: None,
) -> Power:
    """The power of studies of these ``sizes``; ``tell`` is told how many sizes are done."""
    shares, lows, highs = [], [], []
    for done, size in enumerate(sizes):
        draws = _uniform("studies", size, STUDIES * size).reshape(STUDIES, size)
        shares.append(_succeeded(difference[_pick(draws, len(difference))], level).mean(0))
        pools = _pick(_uniform("pools", 0, POOLS * len(difference)), len(difference)).reshape(POOLS, -1)
        draws = _uniform("studies of pools", size, STUDIES_A_POOL * size).reshape(STUDIES_A_POOL, size)
        chosen = _pick(draws, len(difference))
        of_pools = [_succeeded(difference[pool][chosen], level).mean(0) for pool in pools]
        low, high = np.quantile(of_pools, (0.025, 0.975), axis=0)
        lows.append(low)
        highs.append(high)
        tell(done + 1)
    questions = np.arange(2, difference.shape[1] + 2)
    return Power(np.array(sizes), questions, np.array(shares), np.array(lows), np.array(highs))


def participants_for(power: Power, goal: float) -> int | None:
    """The smallest size that reaches this power after the last question, and keeps it."""
    reached = power.share[:, -1] >= goal
    below = np.flatnonzero(~reached)
    first = below[-1] + 1 if len(below) else 0
    return int(power.sizes[first]) if first < len(reached) else None


def _uniform(purpose: str, size: int, many: int) -> Array:
    return stream(0, "power", purpose, size).uniform(many)


def _pick(uniform: Array, many: int) -> NDArray[np.intp]:
    return np.asarray((uniform * many).astype(np.intp))


def _succeeded(studies: Array, level: float) -> NDArray[np.bool_]:
    """(studies, n, Q) differences -> (studies, Q), is p below the level?"""
    n = studies.shape[1]
    with np.errstate(all="ignore"):
        t = studies.mean(1) / (studies.std(1, ddof=1) / np.sqrt(n))
    return np.asarray(np.abs(t) > stats.t.ppf(1 - level / 2, n - 1))
