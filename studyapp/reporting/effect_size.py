"""The noncentral t distribution: the interval of d_z, and the power of the paired t-test.

If the differences of n participants are normal with mean d_z standard deviations, the t of the paired t-test
has the noncentral t distribution with n - 1 degrees of freedom and shift d_z sqrt(n).

    interval    a limit of d_z is the value under which a t as large (or as small) as the observed one has a
                probability of 2.5 %; the interval excludes 0 exactly if p < 0.05
    power       the probability of p < level, two-sided, with a difference in the expected direction
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy import optimize, special, stats

from studyapp.reporting.statistics import Array

FURTHEST = 1e6  # a shift beyond it is certain to be seen


def d_z_interval(d_z: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of d_z for normal differences of n participants; NaN where there is no d_z."""
    if n < 2 or not math.isfinite(d_z):
        return math.nan, math.nan
    if d_z < 0:
        low, high = d_z_interval(-d_z, n, level)
        return -high, -low
    outside = (1 - level) / 2
    low, high = (_shift(d_z * math.sqrt(n), n - 1, p) / math.sqrt(n) for p in (outside, 1 - outside))
    return low, high


def _shift(t: float, df: int, probability: float) -> float:
    """The shift under which T exceeds t >= 0 with this probability; it grows with t."""
    at_zero, furthest = float(special.ndtri(probability)), 3 + t * math.sqrt(stats.chi2.isf(0.01, df) / df)

    def too_far(shift: float) -> float:
        return float(stats.nct.sf(t, df, shift) - probability)

    with warnings.catch_warnings():  # from t = 700 on, its series may end early, at 12 digits
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(optimize.brentq(too_far, at_zero - 1, furthest, xtol=1e-10))


def power(d_z: Array | float, n: int, level: float) -> Array:
    """The probability of p < level in the two-sided paired t-test of n participants, with t > 0."""
    shift = np.clip(np.asarray(d_z) * math.sqrt(n), -FURTHEST, FURTHEST)
    return np.asarray(stats.nct.sf(stats.t.isf(level / 2, n - 1), n - 1, shift))
