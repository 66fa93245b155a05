"""The learner's posterior of theta (and alpha): prior, teacher model and Laplace approximation.

    theta ~ N(0, tau^2 I),       answers ~ the teacher model, which brings its own prior of alpha.

With R predictors (one for each answer, two for the mixture), the likelihood depends only on the part of theta
in their span.  Elsewhere the posterior is the prior.  So where R < M, the fit is done in the coordinates c of
an orthonormal basis Q of the span, and costs R^3 instead of M^3:

    theta = Q c + rest,      c ~ the fit,      rest ~ N(0, tau^2 (I - QQ')), independent of c.

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
SMALL = 32  # with so few features, all of them take no longer than a basis
SHARPENING = (1e2, 1e4, 1e6)  # kappa, step by step, where Q* has kinks
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


@dataclass(frozen=True)
class Posterior:
    """A batch of Gaussians over theta, with the mean of alpha and a report of each fit."""

    mean: Tensor  # (B, M)
    basis: Tensor | None  # (B, M, R), Q; None where R = M and Q is the identity
    factor: Tensor  # (B, R, P): c = Q'mean + factor @ (P standard normal numbers)
    tau: float  # the standard deviation of theta outside the basis
    alpha: Tensor | None  # (B,), the mean of alpha, where the model has one
    bent: Tensor  # (B,), how far the curvature was bent to make it positive definite; 0 at a maximum
    at: Tensor  # (B, M) or, with the logit of alpha, (B, M + 1): where the fit ended
    fit: Fit  # in the coordinates of the basis

    @property
    def cov(self) -> Tensor:
        """(B, M, M)"""
        inner = self.factor @ self.factor.mT
        if self.basis is None:
            return inner
        less = inner - self.tau**2 * torch.eye(inner.shape[-1], dtype=inner.dtype)
        cov = self.basis @ less @ self.basis.mT
        cov.diagonal(dim1=-2, dim2=-1).add_(self.tau**2)
        return cov

    def only(self, i: int) -> Posterior:
        """Element i, as a batch of one."""
        one = slice(i, i + 1)
        return Posterior(
            mean=self.mean[one],
            basis=None if self.basis is None else self.basis[one],
            factor=self.factor[one],
            tau=self.tau,
            alpha=None if self.alpha is None else self.alpha[one],
            bent=self.bent[one],
            at=self.at[one],
            fit=self.fit.only(torch.tensor([i])),
        )

    def variances(self, arms: Tensor) -> Tensor:
        """The variances (B, K) of arms (B, K, M)."""
        if self.basis is None:
            return (arms @ self.factor).square().sum(-1)
        inside = arms @ self.basis
        outside = arms.square().sum(-1) - inside.square().sum(-1)
        return (inside @ self.factor).square().sum(-1) + self.tau**2 * outside.clamp_min(0.0)

    @property
    def normals(self) -> int:
        """How many standard normal numbers a draw takes."""
        return self.factor.shape[-1] + (0 if self.basis is None else self.mean.shape[-1])

    def draws(self, normals: Tensor) -> Tensor:
        """Theta (B, M), from standard normal numbers (B, ``normals``)."""
        width = self.factor.shape[-1]
        inner = (self.factor @ normals[:, :width].unsqueeze(-1)).squeeze(-1)
        if self.basis is None:
            return self.mean + inner
        prior = self.tau * normals[:, width:]
        inner = inner - (prior.unsqueeze(-2) @ self.basis).squeeze(-2)
        return self.mean + prior + (self.basis @ inner.unsqueeze(-1)).squeeze(-1)


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
    batch, starts, _ = start.shape
    dimension = evidence.features.shape[-1]
    basis = _basis(evidence)
    if basis is not None:
        evidence = evidence.within(basis)
        start = torch.cat([start[..., :dimension] @ basis, start[..., dimension:]], -1)
    repeated_evidence, all_starts = evidence.repeat(starts), start.flatten(0, 1)

    precision = torch.full(start.shape[-1:], tau**-2, dtype=start.dtype)
    if teacher.has_alpha:
        precision[-1] = 0.0

    def density(kappa: float) -> _Joint:
        return _Joint(teacher.log_likelihood(repeated_evidence, beta, kappa), precision, precision.diag())

    if fit == "published":
        fitted = climb(density(math.inf), all_starts, PUBLISHED_STEPS[teacher.has_alpha], PUBLISHED_RATE)
    elif not teacher.plans or evidence.sums.shape[3] == 1:
        fitted = newton(density(math.inf), all_starts)
    else:
        fitted = _newton_to_the_kinks(density, all_starts)
    return _gaussian(_highest(fitted, batch, starts), basis, evidence.features.shape[-1], tau)


def _basis(evidence: Evidence) -> Tensor | None:
    """An orthonormal basis (B, M, R) of the span of the predictors; None if R is not less than M."""
    predictors = evidence.predictors
    batch, rows, dimension = predictors.shape
    if dimension <= SMALL or rows >= dimension:
        return None
    if rows == 0:  # any direction will do
        predictors = predictors.new_zeros(batch, 1, dimension)
    # Of predictors that depend on each other, fewer would do; the others' directions stay at the prior.
    basis: Tensor = torch.linalg.qr(predictors.mT).Q
    return basis


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


def _gaussian(fitted: Fit, basis: Tensor | None, rank: int, tau: float) -> Posterior:
    factor, bent = normal_factor(fitted.curvature)
    alpha, at = None, fitted.at
    if at.shape[-1] > rank:
        spread = factor[:, -1].square().sum(-1, keepdim=True).sqrt()
        nodes, weights = torch.from_numpy(_NODES), torch.from_numpy(_WEIGHTS / _WEIGHTS.sum())
        alpha = torch.sigmoid(at[:, -1:] + spread * nodes) @ weights
    if basis is not None:
        theta = (basis @ at[:, :rank].unsqueeze(-1)).squeeze(-1)
        at = torch.cat([theta, at[:, rank:]], -1)
    mean = at[:, : at.shape[-1] - (alpha is not None)]
    return Posterior(mean, basis, factor[:, :rank], tau, alpha, bent, at, fitted)
