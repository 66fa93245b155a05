"""A mixed model with crossed random effects: do two models differ, for other people and for other targets?

Participants and targets are both samples.  A round's reward has intercepts of its participant, its target and
the two together, a difference between the models, and slopes: how much larger this difference is for this
participant and for this target.  In lme4's notation,

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
from numpy.typing import NDArray
from scipy import optimize, special

from studyapp.reporting.statistics import Array, has_spread

__all__ = ["Crossed", "crossed_model"]

LARGEST = 1e8  # ratio of a slope's variance to the residual one: beyond, there is no residual
SMALLEST = 1e-300  # residual variance, so that it has a logarithm


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


def crossed_model(differences: Array) -> Crossed:
    """Fit the model to differences by participant and target, (P, T); NaN where there is none."""
    known = np.isfinite(differences)
    differences = differences[known.any(1)][:, known.any(0)]
    known = np.isfinite(differences)
    mean = float(differences[known].mean()) if known.any() else math.nan
    if reason := _why_not(differences, known):
        return _no_model(mean, reason)
    # The larger sample is eliminated, so that the matrix that remains is small.
    names = ["participant", "target"]
    if differences.shape[1] > differences.shape[0]:
        differences, known, names = differences.T, known.T, names[::-1]
    data = _Data(np.where(known, differences, 0.0), known.astype(float))
    ratios, converged = _best_ratios(data)
    if ratios.max() > LARGEST / 10:
        return _no_model(mean, "participant and target explain every difference without a rest")
    kept = [k for k in (0, 1) if ratios[k] > 0]
    fit = data.fit(ratios)
    variances = [fit.residual, *(fit.residual * ratios[k] for k in kept)]
    se = math.sqrt(fit.residual * fit.unit_variance)
    df = _satterthwaite(data, variances, kept)
    half = float(special.stdtrit(df, 0.975)) * se
    t = fit.difference / se
    slopes = {names[k]: float(fit.residual * ratios[k]) for k in kept}
    return Crossed(
        difference=fit.difference,
        low=fit.difference - half,
        high=fit.difference + half,
        se=se,
        t=t,
        df=df,
        p=float(2 * special.stdtr(df, -abs(t))),
        slope_variances={name: slopes[name] for name in ("participant", "target") if name in slopes},
        residual_variance=fit.residual,
        converged=converged and math.isfinite(df),
        note=_left_out([name for name in ("participant", "target") if name not in slopes]),
    )


def _no_model(mean: float, reason: str) -> Crossed:
    nan = math.nan
    return Crossed(mean, nan, nan, nan, nan, nan, nan, {}, nan, converged=False, note=reason)


def _why_not(differences: Array, known: NDArray[np.bool_]) -> str:
    if not known.any():
        return "no participant has both models"
    if differences.shape[0] == 1:
        return "there is only one participant"
    if differences.shape[1] == 1:
        return "there is only one target"
    if known.sum() < sum(differences.shape):  # a residual needs more differences than effects
        return "there are too few rounds"
    values = differences[known]
    if not has_spread(values, np.zeros_like(values)):
        return "every difference is the same"
    return ""


def _left_out(names: list[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"the random slope by {names[0]} was estimated as zero and left out"
    return "the random slopes by participant and by target were estimated as zero and left out"


@dataclass(frozen=True)
class _Fit:
    """The generalised least squares fit for given ratios of the slopes' variances to the residual one."""

    difference: float
    unit_variance: float  # of the estimate, for a residual variance of 1
    residual: float  # the residual variance that maximises the restricted likelihood
    log_determinant: float  # of V for a residual variance of 1
    rss: float


class _Data:
    """Differences by row and column, (R, C), 0 where there is none; ``known`` is 1 or 0."""

    def __init__(self, values: Array, known: Array) -> None:
        self.values, self.known = values, known
        self.count = int(known.sum())
        self.row_counts, self.column_counts = known.sum(1), known.sum(0)

    def fit(self, ratios: Array) -> _Fit:
        """Solve with V = I + ratios[0] ZZ' of rows + ratios[1] ZZ' of columns."""
        weight = ratios[0] / (1 + ratios[0] * self.row_counts)  # inverse of a row's block: I - weight 11'

        def without_rows(left: Array, right: Array) -> Array:
            """left' (rows' part of V)^-1 right, for arrays (R, C); summed over all."""
            products = (left * right).sum() - (weight * left.sum(1) * right.sum(1)).sum()
            return np.asarray(products)

        def by_column(array: Array) -> Array:
            """Z' (rows' part of V)^-1 array."""
            return np.asarray(array.sum(0) - (weight * array.sum(1)) @ self.known)

        inner = np.diag(self.column_counts) - self.known.T @ (weight[:, None] * self.known)
        outer = np.eye(len(inner)) + ratios[1] * inner
        ones, values = by_column(self.known), by_column(self.values)
        solved = np.linalg.solve(outer, np.stack([ones, values], 1)) * ratios[1]
        information = float(without_rows(self.known, self.known) - ones @ solved[:, 0])
        difference = float(without_rows(self.known, self.values) - ones @ solved[:, 1]) / information
        rest = float(without_rows(self.values, self.values) - values @ solved[:, 1])
        rss = max(rest - difference**2 * information, 0.0)
        determinant = float(np.log1p(ratios[0] * self.row_counts).sum() + np.linalg.slogdet(outer)[1])
        return _Fit(difference, 1 / information, rss / (self.count - 1), determinant, rss)

    def deviance(self, ratios: Array) -> float:
        """-2 times the restricted log-likelihood with the best residual variance, up to a constant."""
        fit = self.fit(ratios)
        residual = max(fit.residual, SMALLEST)
        return (self.count - 1) * math.log(residual) + fit.log_determinant - math.log(fit.unit_variance)


def _best_ratios(data: _Data) -> tuple[Array, bool]:
    """The ratios of largest restricted likelihood, with exact zeros where these are best."""
    candidates = [np.zeros(2)]
    converged = True
    for kept, begin in (([0], 0.1), ([0], 1.0), ([1], 0.1), ([1], 1.0), ([0, 1], 0.3)):
        found = optimize.minimize(
            _deviance_of_roots,
            np.full(len(kept), begin),
            args=(data, kept),
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4000, "maxfev": 4000},
        )
        converged &= bool(found.success)
        candidates.append(_squares(found.x, kept))
    deviances = [data.deviance(ratios) for ratios in candidates]
    # A slope is kept if the likelihood is better with it than without, by more than rounding.
    best = next(i for i, deviance in enumerate(deviances) if deviance <= min(deviances) + 1e-7)
    return candidates[best], converged


def _deviance_of_roots(roots: Array, data: _Data, kept: list[int]) -> float:
    return data.deviance(_squares(roots, kept))


def _squares(roots: Array, kept: list[int]) -> Array:
    """Ratios of variances from ratios of standard deviations; the others are 0."""
    ratios = np.zeros(2)
    ratios[kept] = np.minimum(np.asarray(roots) ** 2, LARGEST)
    return ratios


def _satterthwaite(data: _Data, variances: list[float], kept: list[int]) -> float:
    """2 C^2 / Var(C), where C is the variance of the estimate as a function of the variances.

    The variances' own covariance is twice the inverse of the Hessian of the deviance.
    """

    def evaluated(logs: Array) -> tuple[float, float]:
        """The deviance and log C, by the logarithms of the variances."""
        residual, *slopes = np.exp(logs)
        ratios = np.zeros(2)
        ratios[kept] = np.array(slopes) / residual
        fit = data.fit(ratios)
        deviance = (data.count - 1) * math.log(residual) + fit.log_determinant
        return deviance - math.log(fit.unit_variance) + fit.rss / residual, math.log(
            residual * fit.unit_variance
        )

    at = np.log(variances)
    steps = np.eye(len(at)) * 1e-3
    gradient = np.array([(evaluated(at + step)[1] - evaluated(at - step)[1]) / 2e-3 for step in steps])
    hessian = np.array(
        [
            [
                sum(
                    sign_a * sign_b * evaluated(at + sign_a * a + sign_b * b)[0]
                    for sign_a in (1, -1)
                    for sign_b in (1, -1)
                )
                / 4e-6
                for b in steps
            ]
            for a in steps
        ]
    )
    try:
        spread = float(gradient @ np.linalg.solve(hessian, gradient))
    except np.linalg.LinAlgError:
        return math.nan
    return 1 / spread if spread > 0 else math.nan
