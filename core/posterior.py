"""The learner's posterior of theta (and alpha): prior, teacher model and Laplace approximation.

    theta ~ N(0, tau^2 I),       answers ~ the teacher model, which brings its own prior of alpha.

With R predictors (one for each answer, two where a teacher plans, more with several steps), the likelihood
depends only on the part of theta in their span.  Elsewhere the posterior is the prior.  So where R < M, the
fit is done in the coordinates of an orthonormal basis of the span (core.gaussian), and costs R^3 instead of
M^3.

There are two ways to fit.  ``converged`` finds the maximum.  ``published`` repeats the published study: a
fixed number of gradient steps from where the last fit ended, which stops short of the maximum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core.batch import either
from core.gaussian import FEW_FEATURES, Gaussian, symmetric_root
from core.laplace import Density, Evaluation, Fit, climb, newton, normal_factor, positive_definite
from core.likelihoods import Evidence
from core.teachers import TEACHERS, TeacherModel

PUBLISHED_RATE = 0.01
PUBLISHED_STEPS = {False: 100, True: 1000}  # by whether the model has an alpha
SHARPENING = (1e2, 1e4, 1e6)  # kappa, step by step, where Q* has kinks
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Posterior(Gaussian):
    """A batch of normal posteriors of theta, with the mean of alpha and a report of each fit."""

    alpha: Array | None  # (B,), the mean of alpha, where the model has one
    bent: Array  # (B,), how far the curvature was bent to make it positive definite; 0 at a maximum
    at: Array  # (B, M) or, with the logit of alpha, (B, M + 1): where the fit ended
    fit: Fit  # in the coordinates of the basis


@dataclass(frozen=True, eq=False)
class _Joint:
    """Log prior of theta plus log likelihood."""

    likelihood: Density
    precision: Array  # (P,), of the Gaussian prior; 0 for the logit of alpha, which has its own
    diagonal: Array  # (P, P), the same as a matrix

    def __call__(self, at: Array) -> Evaluation:
        data = self.likelihood(at)
        pull = at * self.precision
        value = data.value - 0.5 * (pull * at).sum(-1)
        curvature = data.curvature + self.diagonal
        convex = curvature if data.convex is data.curvature else data.convex + self.diagonal
        return Evaluation(value, data.gradient - pull, curvature, convex)

    def gradient(self, at: Array) -> Array:
        return self.likelihood.gradient(at) - at * self.precision

    def only(self, rows: NDArray[np.intp]) -> _Joint:
        return _Joint(self.likelihood.only(rows), self.precision, self.diagonal)


def fit_naive(evidence: Evidence, tau: float, start: Array, fit: str = "converged") -> Posterior:
    """The posterior of a learner that takes answers at face value."""
    return fit_posterior(TEACHERS["naive"], evidence, beta=0.0, tau=tau, start=start, fit=fit)


def fit_posterior(
    teacher: TeacherModel, evidence: Evidence, *, beta: float, tau: float, start: Array, fit: str
) -> Posterior:
    """The posterior under ``teacher``, from S starting points ``start`` (B, S, P).

    The highest of the maxima counts; of equal ones, the first.
    """
    batch, starts, _ = start.shape
    dimension = evidence.features.shape[-1]
    basis = _basis(evidence)
    if basis is not None:
        evidence = evidence.within(basis)
        start = np.concatenate([start[..., :dimension] @ basis, start[..., dimension:]], -1)
    repeated_evidence, all_starts = evidence.repeat(starts), start.reshape(batch * starts, -1)

    precision = np.full(start.shape[-1], tau**-2)
    if teacher.has_alpha:
        precision[-1] = 0.0

    def density(kappa: float) -> _Joint:
        return _Joint(teacher.log_likelihood(repeated_evidence, beta, kappa), precision, np.diag(precision))

    if fit == "published":
        fitted = climb(density(math.inf), all_starts, PUBLISHED_STEPS[teacher.has_alpha], PUBLISHED_RATE)
    elif not teacher.plans or evidence.sums.shape[3] == 1:
        fitted = newton(density(math.inf), all_starts)
    else:
        fitted = _newton_to_the_kinks(density, all_starts)
    return _gaussian(_highest(fitted, batch, starts), basis, evidence.features.shape[-1], tau)


def _basis(evidence: Evidence) -> Array | None:
    """An orthonormal basis (B, M, R) of the span of the predictors; None if R is not less than M."""
    predictors = evidence.predictors
    batch, rows, dimension = predictors.shape
    if dimension <= FEW_FEATURES or rows >= dimension:
        return None
    if rows == 0:  # any direction will do
        predictors = np.zeros((batch, 1, dimension))
    # Of predictors that depend on each other, fewer would do; the others' directions stay at the prior.
    return np.linalg.qr(predictors.swapaxes(-1, -2)).Q


def _newton_to_the_kinks(density: Callable[[float], Density], start: Array) -> Fit:
    """Maximise through sharper and sharper smooth stand-ins for the maximum over trajectories.

    The curvature is that of the trajectories that are best at the maximum.  Where the maximum is on a kink,
    these alone may curve upwards across it; there the stand-in of core.laplace is used.
    """
    iterations = np.zeros(len(start), dtype=np.int64)
    for kappa in SHARPENING:
        fitted = newton(density(kappa), start)
        start, iterations = fitted.at, iterations + fitted.iterations
    exact = density(math.inf)(fitted.at)
    curvature = either(positive_definite(exact.curvature), exact.curvature, exact.convex)
    return replace(fitted, value=exact.value, curvature=curvature, iterations=iterations)


def _highest(fitted: Fit, batch: int, starts: int) -> Fit:
    if starts == 1:
        return fitted
    value = fitted.value.reshape(batch, starts)
    # Equal up to rounding is equal: take the first, on every machine.
    top = value.max(-1, keepdims=True)
    best = (value >= top - 1e-9 * (1.0 + np.abs(top))).argmax(-1)
    rows = np.arange(batch) * starts + best
    return replace(fitted.only(rows), iterations=fitted.iterations.reshape(batch, starts).sum(-1))


def _gaussian(fitted: Fit, basis: Array | None, rank: int, tau: float) -> Posterior:
    factor, bent = normal_factor(fitted.curvature)
    alpha, at = None, fitted.at
    if at.shape[-1] > rank:
        spread = np.sqrt((factor[:, -1] ** 2).sum(-1, keepdims=True))
        alpha = expit(at[:, -1:] + spread * _NODES) @ (_WEIGHTS / _WEIGHTS.sum())
    factor = factor[:, :rank]
    if basis is not None:
        factor = symmetric_root(factor @ factor.swapaxes(-1, -2))
        at = np.concatenate([(basis @ at[:, :rank, None])[..., 0], at[:, rank:]], -1)
    mean = at[:, : at.shape[-1] - (alpha is not None)]
    return Posterior(mean, basis, factor, tau, alpha, bent, at, fitted)
