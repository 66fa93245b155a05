"""The learner's posterior of theta (and alpha): prior, teacher model and Laplace approximation.

    theta ~ N(0, tau^2 I),       answers ~ the teacher model, which brings its own prior of alpha.

There are two ways to fit.  ``converged`` finds the maximum.  ``published`` repeats the published study: a
fixed number of gradient steps from where the last fit ended, which stops short of the maximum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.evidence import Evidence
from core.laplace import Density, Evaluation, Fit, climb, either, newton, normal_factor, positive_definite
from core.teachers import TEACHERS, TeacherModel

__all__ = ["Posterior", "fit_naive", "fit_posterior"]

PUBLISHED_RATE = 0.01
PUBLISHED_STEPS = {False: 100, True: 1000}  # by whether the model has an alpha
SHARPENING = (1e2, 1e4, 1e6)  # kappa, step by step, where Q* has kinks
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True)
class Posterior:
    """A batch of Gaussians over theta, with the mean of alpha and a report of each fit."""

    mean: Tensor  # (B, M)
    factor: Tensor  # (B, M, P): theta = mean + factor @ (P standard normal numbers)
    alpha: Tensor | None  # (B,), the mean of alpha, where the model has one
    bent: Tensor  # (B,), how far the curvature was bent to make it positive definite; 0 at a maximum
    fit: Fit

    @property
    def cov(self) -> Tensor:
        return self.factor @ self.factor.mT


@dataclass(frozen=True)
class _Joint:
    """Log prior of theta plus log likelihood."""

    likelihood: Density
    precision: Tensor  # (P,), of the Gaussian prior; 0 for the logit of alpha, which has its own
    diagonal: Tensor  # (P, P), the same as a matrix

    def __call__(self, at: Tensor) -> Evaluation:
        data = self.likelihood(at)
        pull = at * self.precision
        value = torch.sub(data.value, torch.linalg.vecdot(pull, at), alpha=0.5)
        curvature = data.curvature + self.diagonal
        convex = curvature if data.convex is data.curvature else data.convex + self.diagonal
        return Evaluation(value, data.gradient - pull, curvature, convex)

    def gradient(self, at: Tensor) -> Tensor:
        return self.likelihood.gradient(at) - at * self.precision

    def only(self, rows: Tensor) -> _Joint:
        return _Joint(self.likelihood.only(rows), self.precision, self.diagonal)


def fit_naive(evidence: Evidence, tau: float, start: Tensor, fit: str = "converged") -> Posterior:
    """The posterior of a learner that takes answers at face value."""
    return fit_posterior(TEACHERS["naive"], evidence, beta=0.0, tau=tau, start=start, fit=fit)


def fit_posterior(
    teacher: TeacherModel, evidence: Evidence, *, beta: float, tau: float, start: Tensor, fit: str
) -> Posterior:
    """The posterior under ``teacher``, from S starting points ``start`` (B, S, P).

    The highest of the maxima counts; of equal ones, the first.
    """
    batch, starts, parameters = start.shape
    repeated_evidence = evidence.repeat(starts)
    all_starts = start.reshape(batch * starts, parameters)

    precision = torch.full((parameters,), tau**-2, dtype=start.dtype)
    if teacher.has_alpha:
        precision[-1] = 0.0

    def density(kappa: float) -> _Joint:
        return _Joint(teacher.log_likelihood(repeated_evidence, beta, kappa), precision, precision.diag())

    exact = density(math.inf)
    if fit == "published":
        steps = PUBLISHED_STEPS[teacher.has_alpha]
        fitted = climb(exact, all_starts, steps, PUBLISHED_RATE)
    elif not teacher.plans or evidence.sums.shape[3] == 1:
        fitted = newton(exact, all_starts)
    else:
        fitted = _newton_to_the_kinks(density, all_starts)
    return _gaussian(_highest(fitted, batch, starts), evidence.features.shape[-1])


def _newton_to_the_kinks(density: Callable[[float], Density], start: Tensor) -> Fit:
    """Maximise through sharper and sharper smooth stand-ins for the maximum over trajectories.

    The curvature is that of the trajectories that are best at the maximum.  Where the maximum is on a kink,
    these alone may curve upwards across it; there the stand-in of core.laplace is used.
    """
    iterations = torch.zeros(len(start), dtype=torch.int64)
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
    top = value.amax(-1, keepdim=True)
    best = (value >= top - 1e-9 * (1.0 + top.abs())).to(torch.int8).argmax(-1)
    rows = torch.arange(batch) * starts + best
    return replace(fitted.only(rows), iterations=fitted.iterations.reshape(batch, starts).sum(-1))


def _gaussian(fitted: Fit, dimension: int) -> Posterior:
    factor, bent = normal_factor(fitted.curvature)
    alpha = None
    if fitted.at.shape[-1] > dimension:
        spread = factor[:, -1].square().sum(-1, keepdim=True).sqrt()
        nodes, weights = torch.from_numpy(_NODES), torch.from_numpy(_WEIGHTS / _WEIGHTS.sum())
        alpha = torch.sigmoid(fitted.at[:, -1:] + spread * nodes) @ weights
    return Posterior(fitted.at[:, :dimension], factor[:, :dimension], alpha, bent, fitted)
