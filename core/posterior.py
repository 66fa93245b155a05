"""The learner's posterior of theta (and alpha): prior, teacher model and Laplace together.

    theta ~ N(0, tau^2 I),       answers ~ the teacher model, which brings its own prior of alpha.

Two ways to fit are offered.  ``converged`` maximises.  ``published`` takes the fixed count of
gradient steps of the published study from where the last fit ended, and so stops short of the
maximum: it is there to repeat that study as it was.
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
SHARPENING = (1e2, 1e4, 1e6)  # kappa on the way to the kinks of a Q* with several trajectories
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True)
class Posterior:
    """A batch of Gaussians over theta, each with what is known of alpha and of its own fit."""

    mean: Tensor  # (B, M)
    factor: Tensor  # (B, M, P): theta = mean + factor @ (P standard normal numbers)
    alpha: Tensor | None  # (B,), the mean of alpha, where the model has one
    bent: Tensor  # (B,), how far the curvature had to be bent to be positive definite; 0 at a maximum
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
    """The posterior under ``teacher``; ``start`` (B, S, P) holds S places to climb from.

    Of the maxima found the highest counts, the first of equals.
    """
    batch, starts, parameters = start.shape
    several = evidence.repeat(starts)
    everywhere = start.reshape(batch * starts, parameters)

    precision = torch.full((parameters,), tau**-2, dtype=start.dtype)
    if teacher.has_alpha:
        precision[-1] = 0.0

    def density(kappa: float) -> _Joint:
        return _Joint(teacher.log_likelihood(several, beta, kappa), precision, precision.diag())

    exact = density(math.inf)
    if fit == "published":
        steps = PUBLISHED_STEPS[teacher.has_alpha]
        found = climb(exact, everywhere, steps, PUBLISHED_RATE)
    elif not teacher.plans or evidence.sums.shape[3] == 1:
        found = newton(exact, everywhere)
    else:
        found = _newton_to_the_kinks(density, everywhere)
    return _gaussian(_highest(found, batch, starts), evidence.features.shape[-1])


def _newton_to_the_kinks(density: Callable[[float], Density], start: Tensor) -> Fit:
    """Maximise through ever sharper smooth stand-ins for the maximum over trajectories.

    The curvature is that of the trajectories which are best at the top.  Where the top lies on a kink
    these alone may curve upwards across it; there the stand-in of core.laplace counts.
    """
    iterations = torch.zeros(len(start), dtype=torch.int64)
    for kappa in SHARPENING:
        found = newton(density(kappa), start)
        start, iterations = found.at, iterations + found.iterations
    exact = density(math.inf)(found.at)
    curvature = either(positive_definite(exact.curvature), exact.curvature, exact.convex)
    return replace(found, value=exact.value, curvature=curvature, iterations=iterations)


def _highest(found: Fit, batch: int, starts: int) -> Fit:
    if starts == 1:
        return found
    value = found.value.reshape(batch, starts)
    # Equal but for rounding is equal: the first of them, on every machine.
    top = value.amax(-1, keepdim=True)
    best = (value >= top - 1e-9 * (1.0 + top.abs())).to(torch.int8).argmax(-1)
    rows = torch.arange(batch) * starts + best
    return replace(found.only(rows), iterations=found.iterations.reshape(batch, starts).sum(-1))


def _gaussian(found: Fit, dimension: int) -> Posterior:
    factor, bent = normal_factor(found.curvature)
    alpha = None
    if found.at.shape[-1] > dimension:
        spread = factor[:, -1].square().sum(-1, keepdim=True).sqrt()
        nodes, weights = torch.from_numpy(_NODES), torch.from_numpy(_WEIGHTS / _WEIGHTS.sum())
        alpha = torch.sigmoid(found.at[:, -1:] + spread * nodes) @ weights
    return Posterior(found.at[:, :dimension], factor[:, :dimension], alpha, bent, found)
