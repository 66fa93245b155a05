"""A mixed model with crossed random effects: do two models differ, for other people and for other targets?

Participants and targets are both samples.  A round's reward has intercepts of its participant, its target and
the two together, a difference between the models, and slopes: how much larger this difference is for this
participant and for this target.  In lme4's notation,

    reward ~ model + (model || participant) + (model || target) + (1 | participant:target)

Every participant has both models with every target, so taking the difference of these two rounds removes all
intercepts, whatever they are, and leaves

    d[p, t] = difference + a[p] + b[t] + e[p, t]        a ~ N(0, s_a^2), b ~ N(0, s_b^2), e ~ N(0, s^2)

In a table without gaps, the restricted likelihood (REML) depends on three mean squares alone: that of
participants estimates s^2 + T s_a^2, that of targets s^2 + P s_b^2, and that of the rest s^2.  They are the
estimates, unless one is below the rest's: its variance is then zero, its slope is left out (the fit would be
singular), and its squares go to the rest.  The degrees of freedom are Satterthwaite's, as in lmerTest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from studyapp.reporting.paired import tested
from studyapp.reporting.statistics import Array, has_spread

LARGEST = 1e7  # ratio of a slope's variance to the residual one: beyond, there is no residual


@dataclass(frozen=True)
class Crossed:
    """The fitted model; NaN where there is none."""

    difference: float
    low: float = math.nan  # 95 % interval
    high: float = math.nan
    se: float = math.nan
    t: float = math.nan
    df: float = math.nan  # Satterthwaite's
    p: float = math.nan
    random_slopes: list[str] = field(default_factory=list)  # that were kept: "participant", "target"
    slope_variances: dict[str, float] = field(default_factory=dict)
    residual_variance: float = math.nan
    note: str = ""  # what was left out, or why there is no fit; empty if nothing was


def crossed_model(differences: Array) -> Crossed:
    """Fit the model to differences by participant and target, (P, T); NaN where there is none."""
    known = np.isfinite(differences)
    table = differences[known.any(1)][:, known.any(0)]
    mean = float(differences[known].mean()) if known.any() else math.nan
    if reason := _why_not(table):
        return Crossed(mean, note=reason)
    means = {"participant": table.mean(1), "target": table.mean(0)}
    size = {name: table.size // len(own) for name, own in means.items()}  # differences in each mean
    df = {name: len(own) - 1 for name, own in means.items()}
    square = {name: size[name] * float(((own - mean) ** 2).sum()) / df[name] for name, own in means.items()}
    rest_df = df["participant"] * df["target"]
    rest = float(((table - means["participant"][:, None] - means["target"] + mean) ** 2).sum()) / rest_df
    kept = sorted(means, key=square.__getitem__)
    while kept and square[kept[0]] <= rest:
        name = kept.pop(0)
        rest = (rest * rest_df + square[name] * df[name]) / (rest_df + df[name])
        rest_df += df[name]
    slopes = {name: (square[name] - rest) / size[name] for name in means if name in kept}
    if max(slopes.values(), default=0.0) > LARGEST * rest:
        return Crossed(mean, note="participant and target explain every difference without a rest")
    share = 1 - len(kept)  # of the rest in the variance of the mean
    total = sum(square[name] for name in kept) + share * rest
    se = math.sqrt(total / table.size)
    freedom = total**2 / (sum(square[name] ** 2 / df[name] for name in kept) + share**2 * rest**2 / rest_df)
    test = tested(mean, se, freedom, table.size)
    return Crossed(
        difference=mean,
        low=test.low,
        high=test.high,
        se=se,
        t=test.t,
        df=freedom,
        p=test.p,
        random_slopes=list(slopes),
        slope_variances=slopes,
        residual_variance=rest,
        note=_left_out([name for name in means if name not in kept]),
    )


def _why_not(table: Array) -> str:
    if not table.size:
        return "no participant has both models"
    if table.shape[0] == 1:
        return "there is only one participant"
    if table.shape[1] == 1:
        return "there is only one target"
    if not np.isfinite(table).all():
        return "not every participant has both models with every target"
    if not has_spread(table.ravel(), np.zeros(table.size)):
        return "every difference is the same"
    return ""


def _left_out(names: list[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"the random slope by {names[0]} was estimated as zero and left out"
    return "the random slopes by participant and by target were estimated as zero and left out"
