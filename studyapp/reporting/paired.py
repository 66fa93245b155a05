"""Paired differences of participants (or of targets): the t-test, its effect size, and what qualifies it.

The interval of d_z and the power follow from the noncentral t distribution.  If the differences of n
participants are normal with mean d_z standard deviations, the t of the paired t-test has the noncentral t
distribution with n - 1 degrees of freedom and shift d_z sqrt(n).

    interval    a limit of d_z is the value under which a t as large (or as small) as the observed one has a
                probability of 2.5 %; the interval excludes 0 exactly if p < 0.05
    power       the probability of p < level, two-sided, with a difference in the expected direction

Is a difference too small to matter?  Two one-sided t-tests (Schuirmann, 1987): the models are equivalent
within a margin m if both "the difference is -m or less" and "it is m or more" are rejected at 5 %, that is,
if the 90 % interval of the difference lies between -m and m.  That a difference is not significant says
nothing of the kind: a small study can miss a difference of any size.

The default Bayes factor of a paired t-test (JZS; Rouder, Speckman, Sun, Morey and Iverson, 2009).  Under H1,
the effect size d_z has a Cauchy prior of width r = sqrt(2) / 2, the usual "medium" one; under H0 it is 0.
BF10 is the probability of the data under H1 divided by that under H0.  With the Cauchy as a normal of
variance r^2 g, where 1/g has a chi-square distribution with one degree of freedom,

    BF10 = E_g (1 + n r^2 g)^(-1/2) [ (1 + t^2 / ((1 + n r^2 g) df)) / (1 + t^2 / df) ]^(-(df + 1) / 2)

The integrand is smooth in u = log g, and falls off as exp(-exp(-u) / 2) and exp(-u): the sum over equally
spaced points of u (the trapezoidal rule) is as exact as the arithmetic.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from studyapp.reporting.statistics import Array, half_width, has_spread

FURTHEST = 1e6  # a shift beyond it is certain to be seen
LEVEL = 0.05
WIDTH = math.sqrt(2) / 2
LOG_G = np.linspace(-8.0, 120.0, 6401)


@dataclass(frozen=True)
class Test:
    """A mean difference with its 95 % interval and test; NaN where there is none."""

    __test__ = False  # pytest: this is not a test of the program

    difference: float
    low: float
    high: float
    t: float
    df: float
    p: float
    count: int  # differences: participants, or targets
    reason: str = ""  # why there is no test; empty if there is one

    def as_json(self) -> dict[str, Any]:
        return {
            "difference": self.difference,
            "ci95": [self.low, self.high],
            "t": self.t,
            "df": self.df,
            "p": self.p,
            "note": f"cannot be computed: {self.reason}" if self.reason else "",
        }


def no_test(reason: str, difference: float = math.nan, count: int = 0) -> Test:
    nan = math.nan
    return Test(difference, nan, nan, nan, nan, nan, count, reason)


def paired_test(first: Array, second: Array, of: str = "participant") -> Test:
    """Compare two values of every participant (or target); those with a NaN are left out."""
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    count = len(first)
    if count == 0:
        return no_test(f"no {of} has both models")
    differences = first - second
    mean = float(differences.mean())
    if count == 1:
        return no_test(f"there is only one {of}", mean, 1)
    if not has_spread(first, second):
        return no_test(f"every {of} has the same difference", mean, count)
    return tested(mean, float(differences.std(ddof=1)) / math.sqrt(count), count - 1, count)


def tested(difference: float, error: float, df: float, count: int) -> Test:
    """The test of a difference with this standard error."""
    half, t = float(half_width(error, df)), difference / error
    p = float(2 * special.stdtr(df, -abs(t)))
    return Test(difference, difference - half, difference + half, t, df, p, count)


# The effect size


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


# Equivalence


@dataclass(frozen=True)
class Equivalence:
    margin: float
    p: float  # the larger of the two one-sided p; NaN if there is no test
    low: float  # 90 % interval of the difference
    high: float

    @property
    def equivalent(self) -> bool:
        return self.p < LEVEL

    def as_json(self) -> dict[str, Any]:
        known = math.isfinite(self.p)
        limits = [self.low, self.high]
        return {
            "margin": self.margin,
            "p": self.p,
            "ci90": limits,
            "equivalent": self.equivalent if known else None,
        }


def equivalence(test: Test, margin: float) -> Equivalence:
    """Both one-sided tests, from the paired t-test of the difference."""
    if test.reason:
        return Equivalence(margin, math.nan, math.nan, math.nan)
    error = (test.high - test.low) / 2 / half_width(1.0, test.df)
    half = float(half_width(error, test.df, 1 - 2 * LEVEL))
    nearer = (abs(test.difference) - margin) / error  # the margin that is closer to the difference decides
    return Equivalence(
        margin, float(special.stdtr(test.df, nearer)), test.difference - half, test.difference + half
    )


# The Bayes factor


def bayes_factor(t: float, n: int, width: float = WIDTH) -> float:
    """BF10 of the t of n differences; NaN without a t."""
    if n < 2 or not math.isfinite(t):
        return math.nan
    df = n - 1
    shrunk = 1 + n * width**2 * np.exp(LOG_G)
    likelihood = -(df + 1) / 2 * (np.log1p(t**2 / (shrunk * df)) - math.log1p(t**2 / df))
    prior = -LOG_G / 2 - np.exp(-LOG_G) / 2 - math.log(2 * math.pi) / 2  # of u
    log_sum = float(special.logsumexp(likelihood - np.log(shrunk) / 2 + prior))
    return float(np.exp(min(log_sum + math.log(LOG_G[1] - LOG_G[0]), 700.0)))
