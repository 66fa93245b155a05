"""A mixed model with crossed random effects: do two models differ, for other people and for other targets?

Participants and targets are both samples.  A round's reward has intercepts of its participant, its target and
the two together, a difference between the models, and slopes: how much more this difference is for this
participant and for this target.  In lme4's words,

    reward ~ model + (model || participant) + (model || target) + (1 | participant:target)

Every participant has both models with every target, so taking the difference of these two rounds removes all
intercepts, whatever they are, and leaves

    d[p, t] = difference + a[p] + b[t] + e[p, t]        a ~ N(0, s_a^2), b ~ N(0, s_b^2), e ~ N(0, s^2)

The variances maximise the restricted likelihood (REML); the difference is then the generalised least squares
estimate.  Its degrees of freedom are Satterthwaite's, as in lmerTest.  A slope whose variance is estimated as
zero is left out (the fit would be singular), and the result says so.

With V = s^2 (I + x Z_a Z_a' + y Z_b Z_b'), participants are eliminated first, since their part of V is
block-diagonal; what remains is one small matrix over targets.  So a thousand participants take milliseconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from studyapp.reporting.statistics import Array, has_spread

__all__ = ["Crossed", "crossed_model"]


@dataclass(frozen=True)
class Crossed:
    """The fitted model; NaN where there is none."""

    difference: float
    low: float  # 95 % interval
    high: float
    se: float
    t: float
    df: float  # Satterthwaite's
    p: float
    slope_variances: dict[str, float]  # of the random slopes that were kept: "participant", "target"
    residual_variance: float
    converged: bool
    note: str  # what was left out, or why there is no fit; empty if nothing was

    @property
    def random_slopes(self) -> list[str]:
        return list(self.slope_variances)
