"""Maximum a posteriori by Newton's method, and the Laplace approximation around it, in batches.

The posterior is approximated by a Gaussian: its mean is the maximum of the log density and its
covariance the inverse of the negative Hessian there (Gelman et al. 2013, section 4.1; section 3.4
of the paper).  With several answers the mixture model's density is not concave, so a bare Newton
step may run away; here a step solves

    (H + mu I) step = gradient,        H = - Hessian of the log density,

where mu >= 0 is what it takes for the matrix to be positive definite and for the step to climb
(Levenberg's damping, a trust region in disguise).  Near the maximum mu is 0 and convergence is
quadratic.

Everything has a leading batch dimension.  An element that is done is frozen, so its result does
not depend on the company it keeps, and each one carries its own report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["Density", "Evaluation", "Fit", "climb", "newton", "normal_factor"]

CONVERGED = 1e-8  # a fit has converged when no entry of its gradient is larger than this
TARGET = 1e-11  # where Newton stops: so far below CONVERGED that the road there leaves no trace
MOST_ITERATIONS = 200


@dataclass(frozen=True)
class Evaluation:
    """A log density at a batch of points, with its first derivative and minus its second."""

    value: Tensor  # (B,)
    gradient: Tensor  # (B, P)
    curvature: Tensor  # (B, P, P), minus the Hessian


class Density(Protocol):
    """A log density, up to a constant."""

    def __call__(self, at: Tensor, /) -> Evaluation: ...

    def gradient(self, at: Tensor, /) -> Tensor:
        """The gradient alone, for those who take a thousand small steps."""
        ...


@dataclass(frozen=True)
class Fit:
    """A batch of maxima, with what the climb to each was like."""

    at: Tensor  # (B, P), the maximum
    value: Tensor  # (B,), the log density there
    curvature: Tensor  # (B, P, P), minus its Hessian there
    gradient: Tensor  # (B,), the largest entry of the gradient there, in size
    iterations: Tensor  # (B,)

    @property
    def converged(self) -> Tensor:
        return self.gradient <= CONVERGED


def newton(density: Density, start: Tensor) -> Fit:
    """Climb from ``start`` (B, P) to a local maximum of ``density``.

    The matrices are torch's; the few numbers by which each element is judged are looked at through
    NumPy, which has less to do before it starts: with a single element that is half of the time.
    """
    here, now = start, density(start)
    value, size = now.value.numpy(), _size(now.gradient)
    damping = np.zeros_like(size)
    iterations = np.zeros(size.shape, dtype=np.int64)
    active = size > TARGET
    for _ in range(MOST_ITERATIONS):
        if not active.any():
            break
        iterations += active
        factor, damping = _factor(now.curvature, damping)
        step = torch.cholesky_solve(now.gradient.unsqueeze(-1), factor).squeeze(-1)
        there = here + step
        trial = density(there)
        trial_size = _size(trial.gradient)
        gain = trial.value.numpy() - value
        promised = 0.5 * torch.linalg.vecdot(now.gradient, step).numpy()
        # Close to the maximum the gain drowns in rounding, and only the gradient tells.
        level = gain >= -1e-12 * (1.0 + np.abs(value))
        better = (gain > 1e-4 * promised) | (level & (trial_size < 0.5 * size))
        taken = active & better
        floor = active & ~better & (size <= CONVERGED)  # floating point has no more to give
        if taken.all():
            here, now = there, trial
        else:
            rows = torch.from_numpy(taken)
            here = torch.where(rows.unsqueeze(-1), there, here)
            now = Evaluation(
                torch.where(rows, trial.value, now.value),
                torch.where(rows.unsqueeze(-1), trial.gradient, now.gradient),
                torch.where(rows.unsqueeze(-1).unsqueeze(-1), trial.curvature, now.curvature),
            )
        value, size = now.value.numpy(), np.where(taken, trial_size, size)
        active = active & (size > TARGET) & ~floor
        if damping.any() or not better.all():
            damping = _next_damping(damping, better, gain > 0.75 * promised, now.curvature)
    return Fit(here, now.value, now.curvature, torch.from_numpy(size), torch.from_numpy(iterations))


def climb(density: Density, start: Tensor, steps: int, rate: float) -> Fit:
    """A fixed count of plain gradient steps from ``start``, converged or not, as published."""
    here = start
    for _ in range(steps):
        here = here + rate * density.gradient(here)
    end = density(here)
    iterations = torch.full_like(end.value, steps, dtype=torch.int64)
    return Fit(here, end.value, end.curvature, end.gradient.abs().amax(-1), iterations)


def normal_factor(curvature: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix F with F F' = inverse of ``curvature`` (B, P, P), and the jitter it took (B,).

    The jitter, added to the diagonal, is 0 wherever the curvature is positive definite, as it is
    at every proper maximum.
    """
    factor, jitter = _factor(curvature, np.zeros(len(curvature)))
    identity = torch.eye(curvature.shape[-1], dtype=curvature.dtype)
    inverse = torch.linalg.solve_triangular(factor, identity, upper=False)
    return inverse.mT, torch.from_numpy(jitter)


Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


def _size(gradient: Tensor) -> Numbers:
    size: Numbers = np.abs(gradient.numpy()).max(-1)
    return size


def _factor(curvature: Tensor, damping: Numbers) -> tuple[Tensor, Numbers]:
    """The Cholesky factor of ``curvature + damping I``, damping raised until there is one."""
    damped = curvature
    if damping.any():
        identity = torch.eye(curvature.shape[-1], dtype=curvature.dtype)
        damped = curvature + torch.from_numpy(damping)[:, None, None] * identity
    factor, info = torch.linalg.cholesky_ex(damped)
    failed = info.numpy() > 0
    if not failed.any():
        return factor, damping
    raised = np.maximum(4.0 * damping, _least_damping(curvature))
    return _factor(curvature, np.where(failed, raised, damping))


def _next_damping(damping: Numbers, better: Flags, good: Flags, curvature: Tensor) -> Numbers:
    """More after a step that failed, less after one that kept its promise, none when it is little."""
    least = _least_damping(curvature)
    eased = np.where(good, 0.1 * damping, damping)
    eased[eased < 0.1 * least] = 0.0
    return np.where(better, eased, np.maximum(8.0 * damping, least))


def _least_damping(curvature: Tensor) -> Numbers:
    largest: Numbers = np.abs(np.diagonal(curvature.numpy(), axis1=-2, axis2=-1)).max(-1)
    return 1e-2 * largest
