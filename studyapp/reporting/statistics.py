"""Statistics of paired comparisons over participants.

    t, p            paired t-test, as in the paper (supplement G)
    ci95            95 % interval of the mean difference, from the same t distribution
    d_z             Cohen's d_z: the mean difference divided by the standard deviation of the differences
    p_corrected     p corrected for testing after every question, by Westfall and Young's step-down: the
                    question of the largest |t| is compared with the largest |t| over all questions, if there
                    were no difference (by flipping the signs of the participants' differences); the next one
                    with the largest over the questions that remain; and so on.  For one question, it is the
                    permutation test of the mean difference, which assumes no distribution

A statistic that does not exist (one participant, no spread) is NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from core.randomness import stream

EXACT = 14  # up to this number of participants, all 2^n sign flips are tried
FLIPS = 10_000  # random sign flips where there are more participants
BLOCK = 1_000  # flips in memory at once
ROUNDING = 1e-9  # a spread this small beside the values themselves is none
LARGEST_T = 1e4  # a spread with a larger |t| is none: SciPy's noncentral t ends not far above it

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Means over participants with their 95 % intervals; all arrays have the same shape."""

    mean: Array
    low: Array
    high: Array
    count: NDArray[np.intp]  # participants in each mean

    def as_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "ci95": np.stack([self.low, self.high], -1)}


@dataclass(frozen=True)
class Comparison:
    """Paired comparisons at one or several questions; all arrays are (Q,)."""

    mean: Array
    low: Array
    high: Array
    d_z: Array
    t: Array
    p: Array
    p_corrected: Array
    participants: int


def half_width(error: Any, df: Any, level: float = 0.95) -> Any:
    """Half of the interval of a mean with this standard error."""
    return stats.t.ppf((1 + level) / 2, df) * error


def mean_ci(values: Array) -> Estimate:
    """Mean over the first axis with the interval of the t distribution; NaNs are left out."""
    count = np.isfinite(values).sum(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # only NaNs, or one value
        mean = np.nanmean(values, axis=0)
        half = half_width(np.nanstd(values, axis=0, ddof=1) / np.sqrt(count), count - 1)
    return Estimate(mean, mean - half, mean + half, count)


def exact_ci(hits: Array, trials: Array) -> tuple[Array, Array]:
    """The exact interval of a proportion from independent trials (Clopper and Pearson); NaN without trials.

    It is never empty: 0 of 20 gives 0 to 0.17.
    """
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, stats.beta.ppf(0.025, hits, trials - hits + 1), 0.0)
        high = np.where(hits < trials, stats.beta.ppf(0.975, hits + 1, trials - hits), 1.0)
    known = trials > 0
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def clustered_ci(share: Array, variance: Array, trials: Array, clusters: Array) -> tuple[Array, Array]:
    """The exact interval of a share whose trials come from clusters that differ (Korn and Graubard, 1998).

    It is Clopper and Pearson's, for the number of independent trials that would give the share this variance,
    made smaller because few clusters tell little of their variance.  It never takes more trials than there
    were, so if all trials end alike, it is the plain exact interval.  NaN for one cluster.
    """
    with np.errstate(all="ignore"):
        few = (special.stdtrit(trials - 1.0, 0.975) / special.stdtrit(clusters - 1.0, 0.975)) ** 2
        worth = np.where(variance > 0, share * (1 - share) / variance * few, np.inf)
    worth = np.minimum(worth, trials)
    low, high = exact_ci(share * worth, worth)
    known = clusters > 1
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def proportion_ci(hits: Array, trials: Array) -> Estimate:
    """A proportion pooled over participants (first axis), with an interval that allows them to differ."""
    total = trials.sum(0)
    count = (trials > 0).sum(0)
    with np.errstate(all="ignore"):
        share = hits.sum(0) / total
        variance = ((hits - share * trials) ** 2).sum(0) * count / (count - 1) / total**2
    return Estimate(share, *clustered_ci(share, variance, total, count), count)


def has_spread(first: Array, second: Array) -> NDArray[np.bool_]:
    """Do the differences differ, by more than the rounding of the values (over the first axis)?"""
    difference = first - second
    largest = np.abs([first, second]).max((0, 1), initial=0.0)
    size_of_sum = np.abs(difference.mean(0)) * np.sqrt(max(0, len(difference) - 1))
    return np.asarray(
        (np.ptp(difference, axis=0) > ROUNDING * largest) & (size_of_sum < LARGEST_T * difference.std(0))
    )


def holm(p: Array) -> Array:
    """p corrected for several tests (Holm, 1979); tests without a p don't count."""
    corrected = np.full(len(p), np.nan)
    order = [i for i in np.argsort(p, kind="stable") if np.isfinite(p[i])]
    factors = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0) if order else []
    return corrected


def compare(first: Array, second: Array) -> Comparison:
    """Compare ``first`` with ``second``, both (participants, Q); participants with a NaN are left out."""
    both = np.isfinite(first).all(-1) & np.isfinite(second).all(-1)
    first, second = first[both], second[both]
    difference = first - second
    n, questions = difference.shape
    if n == 0:
        unknown = np.full(questions, np.nan)
        names = ("mean", "low", "high", "d_z", "t", "p", "p_corrected")
        return Comparison(**dict.fromkeys(names, unknown), participants=0)
    estimate = mean_ci(difference)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        tested = stats.ttest_rel(first, second, axis=0)
        d_z = estimate.mean / difference.std(0, ddof=1)
    spread = has_spread(first, second)
    low, high, t, p, d_z = (
        np.where(spread, values, np.nan)
        for values in (estimate.low, estimate.high, tested.statistic, tested.pvalue, d_z)
    )
    return Comparison(
        mean=estimate.mean,
        low=low,
        high=high,
        d_z=d_z,
        t=t,
        p=p,
        p_corrected=sign_flip_p(difference),
        participants=n,
    )


def sign_flip_p(difference: Array) -> Array:
    """p_corrected for every column of differences (participants, Q), by step-down."""
    n, questions = difference.shape
    p = np.full(questions, np.nan)
    differing = difference.any(0)
    if n < 2 or not differing.any():
        return p
    difference = difference[:, differing]
    # Squares do not change with the sign, so the t of a flip depends on its sum alone.
    squares = (difference**2).sum(0)
    observed = _size_of_t(difference.sum(0), squares, n)
    order = np.argsort(-observed, kind="stable")
    difference, squares, observed = difference[:, order], squares[order], observed[order]
    beaten, tried = np.zeros(len(observed)), 0
    for signs in _flips(n):
        sizes = _size_of_t(signs @ difference, squares, n)
        largest = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]  # of this column and all after it
        beaten += (largest >= observed * (1 - 1e-9)).sum(0)
        tried += len(signs)
    corrected = np.empty(len(observed))
    corrected[order] = np.maximum.accumulate(beaten / tried)
    p[differing] = corrected
    return p


def _size_of_t(sums: Array, squares: Array, n: int) -> Array:
    """|t| from the sums of n differences and of their squares; infinite where there is no spread."""
    mean = sums / n
    with np.errstate(divide="ignore"):
        return np.asarray(np.abs(mean) / np.sqrt(np.maximum(squares / n - mean**2, 0.0) / (n - 1)))


def _flips(n: int) -> Iterator[Array]:
    """Sign flips in blocks: all of them for few participants; otherwise none flipped, then random ones."""
    if n <= EXACT:
        for begin in range(0, 2**n, BLOCK):
            numbers = np.arange(begin, min(begin + BLOCK, 2**n))
            yield (1 - 2 * ((numbers[:, None] >> np.arange(n)) & 1)).astype(float)
        return
    yield np.ones((1, n))
    draws = stream(0, "analysis", "sign flips", n)
    for begin in range(1, FLIPS, BLOCK):
        count = min(BLOCK, FLIPS - begin)
        yield np.where(draws.uniform(count * n).reshape(count, n) < 0.5, -1.0, 1.0).astype(float)
