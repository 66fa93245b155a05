"""How many participants does a study need?  By drawing studies from a pool of sessions.

A study of n participants is n sessions drawn from the pool, with replacement; it succeeds after a
question if the paired t-test there has p below the level.  The share of studies that succeed is the power.
A study without any spread, as of one session drawn n times over, does not succeed: it is no study.
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
from studyapp.reporting.statistics import Array

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
    many = len(difference)
    pools = _pick(stream(0, "power", "pools", 0).uniform(POOLS * many), many).reshape(POOLS, many)
    shares, lows, highs = [], [], []
    for done, size in enumerate(sizes):
        shares.append(_succeeded(_drawn("studies", STUDIES, size, many), difference, level).mean(0))
        studies = _drawn("studies of pools", STUDIES_A_POOL, size, many)
        of_pools = [_succeeded(studies, difference[pool], level).mean(0) for pool in pools]
        low, high = np.quantile(of_pools, (0.025, 0.975), axis=0)
        lows.append(low)
        highs.append(high)
        tell(done + 1)
    questions = np.arange(2, difference.shape[1] + 2)
    return Power(np.array(sizes), questions, np.array(shares), np.array(lows), np.array(highs))


def participants_for(power: Power, goal: float, of: Array | None = None) -> int | None:
    """The smallest size that reaches this power after the last question, and keeps it.

    The estimate is to reach it, or ``of`` the limits of the intervals, where these are given.
    """
    reached = (power.share if of is None else of)[:, -1] >= goal
    below = np.flatnonzero(~reached)
    first = below[-1] + 1 if len(below) else 0
    return int(power.sizes[first]) if first < len(reached) else None


def _drawn(purpose: str, studies: int, size: int, many: int) -> Array:
    """(studies, many), how often each of ``many`` sessions is in a study of this size."""
    draws = stream(0, "power", purpose, size)
    counts = np.empty((studies, many))
    for row in counts:
        row[:] = np.bincount(_pick(draws.uniform(size), many), minlength=many)
    return counts


def _pick(uniform: Array, many: int) -> NDArray[np.intp]:
    return np.asarray((uniform * many).astype(np.intp))


def _succeeded(studies: Array, difference: Array, level: float) -> NDArray[np.bool_]:
    """(studies, pool) sessions and their differences (pool, Q) -> (studies, Q), is p below the level?"""
    n = int(studies[0].sum())
    mean, squares = studies @ difference / n, studies @ difference**2 / n
    variance = squares - mean**2
    spread = variance > 1e-12 * squares
    t = np.abs(mean) / np.sqrt(np.where(spread, variance, 1.0) / (n - 1))
    return np.asarray(spread & (t > stats.t.ppf(1 - level / 2, n - 1)))
