"""The noncentral t distribution: the interval of d_z, and the power of the paired t-test.

If the differences of n participants are normal with mean d_z standard deviations, the t of the paired t-test
has the noncentral t distribution with n - 1 degrees of freedom and shift d_z sqrt(n).

    interval    a limit of d_z is the value under which a t as large (or as small) as the observed one has a
                probability of 2.5 %; the interval excludes 0 exactly if p < 0.05
    power       the probability of p < level, two-sided, with a difference in the expected direction

    P(T > t) = E Phi(shift - t S)         over S = chi / sqrt(df)
             = E F_S((shift + Z) / t)     over standard normal Z, for t > 0

The first form is smooth in S if t is small, the second is smooth in Z if t is large, so for any t one of
them is a short sum at Gauss-Legendre points.  SciPy's ``nct`` goes wrong for the large t of sessions that
hardly differ from each other.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import optimize, special, stats

from studyapp.reporting.statistics import Array

__all__ = ["d_z_interval", "power", "probability_above"]

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(100)
TAIL = 1e-14  # probability that is left out on either side
FARTHEST = 8.0  # normal values beyond it have a probability below TAIL


def probability_above(t: float, df: int, shift: Array | float) -> Array:
    """P(T > t) for every shift of the noncentral t distribution."""
    shift = np.asarray(shift, dtype=float)[..., None]
    if t < 0:
        return np.asarray(1 - probability_above(-t, df, -shift[..., 0]))
    if t < math.sqrt(2 * df):
        spread, weights = _spreads(df)
        return np.asarray(special.ndtr(shift - t * spread) @ weights)
    begin = np.clip(-shift, -FARTHEST, FARTHEST)  # below, T is negative
    z = begin + (FARTHEST - begin) * (POINTS + 1) / 2
    weights = WEIGHTS * (FARTHEST - begin) / 2 * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray((special.gammainc(df / 2, df / 2 * ((shift + z) / t) ** 2) * weights).sum(-1))


@lru_cache(maxsize=1000)  # a search for the number of participants tries the same ones again and again
def _spreads(df: int) -> tuple[Array, Array]:
    """Points and weights for S."""
    low, high = np.sqrt(2 * special.gammaincinv(df / 2, (TAIL, 1 - TAIL)) / df)
    spread = low + (high - low) * (POINTS + 1) / 2
    weights = WEIGHTS * (high - low) / 2 * stats.chi.pdf(spread * math.sqrt(df), df) * math.sqrt(df)
    return spread, np.asarray(weights)


@lru_cache(maxsize=1000)
def _critical(df: int, level: float) -> float:
    """The t of p = level, two-sided."""
    return float(stats.t.isf(level / 2, df))


def d_z_interval(d_z: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of d_z for normal differences of n participants; NaN where there is no d_z."""
    if n < 2 or not math.isfinite(d_z):
        return math.nan, math.nan
    outside = (1 - level) / 2
    if d_z < 0:
        low, high = d_z_interval(-d_z, n, level)
        return -high, -low
    t = d_z * math.sqrt(n)
    low, high = (_shift(t, n - 1, probability) / math.sqrt(n) for probability in (outside, 1 - outside))
    return low, high


def _shift(t: float, df: int, probability: float) -> float:
    """The shift under which T exceeds t >= 0 with this probability."""
    least = float(special.ndtri(probability))  # the shift for t = 0; it grows with t
    most = FARTHEST + t * math.sqrt(2 * special.gammaincinv(df / 2, 1 - TAIL) / df)
    return float(
        optimize.brentq(
            lambda shift: float(probability_above(t, df, shift)) - probability, least - 1, most, xtol=1e-10
        )
    )


def power(d_z: Array | float, n: int, level: float) -> Array:
    """The probability of p < level in the two-sided paired t-test of n participants, with t > 0."""
    shift = np.asarray(d_z, dtype=float) * math.sqrt(n)
    return np.clip(probability_above(_critical(n - 1, level), n - 1, shift), 0, 1)
