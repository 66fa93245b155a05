"""The default Bayes factor of a paired t-test (JZS; Rouder, Speckman, Sun, Morey and Iverson, 2009).

Under H1, the effect size d_z has a Cauchy prior of width r = sqrt(2) / 2, the usual "medium" one; under H0 it
is 0.  BF10 is the probability of the data under H1 divided by that under H0.  With the Cauchy as a normal of
variance r^2 g, where 1/g has a chi-square distribution with one degree of freedom,

    BF10 = E_g (1 + n r^2 g)^(-1/2) [ (1 + t^2 / ((1 + n r^2 g) df)) / (1 + t^2 / df) ]^(-(df + 1) / 2)

The integrand is smooth in u = log g, and falls off as exp(-exp(-u) / 2) and exp(-u): the sum over equally
spaced points of u (the trapezoidal rule) is as exact as the arithmetic.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

WIDTH = math.sqrt(2) / 2
LOG_G = np.linspace(-8.0, 120.0, 6401)


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
