"""Maximum a posteriori by Newton's method, and the Laplace approximation around it, in batches.

The posterior is approximated by a Gaussian: its mean is the maximum of the log density and its
covariance the inverse of the negative Hessian there (Gelman et al. 2013, section 4.1; section 3.4
of the paper).  The mixture model's density is not concave, so a plain Newton step may go downhill or
diverge.  With H minus the Hessian, a step is

    H^-1 gradient      where H is positive definite (Newton's step), and
    C^-1 gradient      elsewhere, where C is a positive definite stand-in that the density provides
                       (for the mixture, the curvature if it were known which teacher gave which
                       answer, as in the EM algorithm),

and it is shortened until it climbs.  Both are ascent directions, so every climb ends at a stationary point.
If that is a saddle, the next climb starts along the direction that curves upwards.  Near a maximum,
convergence is quadratic.

Everything has a leading batch dimension.  An element that has converged is frozen, so its result does not
depend on the rest of the batch, and each element has its own report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["Density", "Evaluation", "Fit", "climb", "either", "newton", "normal_factor", "positive_definite"]

CONVERGED = 1e-8  # a fit has converged when no entry of its gradient is larger than this
TARGET = 1e-11  # where Newton stops: so far below CONVERGED that the starting point no longer matters
MOST_ITERATIONS = 200
MOST_SADDLES = 3
FEW = 8  # a batch this small is not divided further


class Evaluation(NamedTuple):
    """A log density at a batch of points, with its first derivative and minus its second."""

    value: Tensor  # (B,)
    gradient: Tensor  # (B, P)
    curvature: Tensor  # (B, P, P), minus the Hessian
    convex: Tensor  # (B, P, P), a positive definite stand-in for it where it is not


class Density(Protocol):
    """A log density, up to a constant."""

    def __call__(self, at: Tensor, /) -> Evaluation: ...

    def gradient(self, at: Tensor, /) -> Tensor:
        """The gradient alone, for fits that take a thousand small steps."""
        ...

    def only(self, rows: Tensor, /) -> Density:
        """The density of these elements of the batch."""
        ...


@dataclass(frozen=True)
class Fit:
    """A batch of maxima, each with a report of its climb."""

    at: Tensor  # (B, P), the maximum
    value: Tensor  # (B,), the log density there
    curvature: Tensor  # (B, P, P), minus its Hessian there
    gradient: Tensor  # (B,), the largest absolute entry of the gradient there
    iterations: Tensor  # (B,)

    @property
    def converged(self) -> Tensor:
        return self.gradient <= CONVERGED

    def only(self, rows: Tensor) -> Fit:
        """These elements of the batch."""
        return Fit(
            self.at[rows], self.value[rows], self.curvature[rows], self.gradient[rows], self.iterations[rows]
        )


def newton(density: Density, start: Tensor) -> Fit:
    """Climb from ``start`` (B, P) to a local maximum of ``density``."""
    fit = _ascend(density, start)
    for _ in range(MOST_SADDLES):
        saddle = ~positive_definite(fit.curvature)
        if not saddle.any():
            break
        again = _ascend(density, _off_the_saddle(fit, saddle))
        fit = Fit(
            either(saddle, again.at, fit.at),
            either(saddle, again.value, fit.value),
            either(saddle, again.curvature, fit.curvature),
            either(saddle, again.gradient, fit.gradient),
            either(saddle, fit.iterations + again.iterations, fit.iterations),
        )
    return fit


def _ascend(density: Density, start: Tensor) -> Fit:
    """Climb until the gradient vanishes.

    Matrices are computed by torch.  The few numbers that decide about each element are computed by NumPy,
    whose calls start faster: with a single element this halves the time.  When most elements have
    converged, the others continue in a smaller batch.
    """
    here, now = start, density(start)
    value, size = now.value.numpy(), _size(now.gradient)
    reach = np.ones_like(size)  # the fraction of the step that is tried
    iterations = np.zeros(size.shape, dtype=np.int64)
    active = size > TARGET
    finished: list[tuple[NDArray[np.intp], Fit]] = []  # with their positions in the batch
    positions: NDArray[np.intp] = np.arange(len(size))
    for _ in range(MOST_ITERATIONS):
        if not active.any():
            break
        if 2 * active.sum() <= len(active) > FEW:
            rest = torch.from_numpy(np.flatnonzero(~active))
            done = Fit(here, now.value, now.curvature, torch.from_numpy(size), torch.from_numpy(iterations))
            finished.append((positions[~active], done.only(rest)))
            going = torch.from_numpy(np.flatnonzero(active))
            density, here = density.only(going), here[going]
            now = Evaluation(*(part[going] for part in now))
            value, size, reach = value[active], size[active], reach[active]
            iterations, positions, active = iterations[active], positions[active], active[active]
        iterations += active
        step = _step(now)
        if (reach < 1.0).any():
            step = torch.from_numpy(reach).unsqueeze(-1) * step
        next_at = here + step
        trial = density(next_at)
        trial_value, trial_size = trial.value.numpy(), _size(trial.gradient)
        gain = trial_value - value
        promised = torch.linalg.vecdot(now.gradient, step).numpy()
        better = gain > 1e-4 * promised
        if not better.all():  # near the maximum, gains vanish in rounding; compare gradients
            level = gain >= -1e-12 * (1.0 + np.abs(value))
            better |= level & (trial_size < 0.5 * size)
        taken = active & better
        if taken.all():
            here, now, value, size = next_at, trial, trial_value, trial_size
            reach = np.ones_like(size)
            active = size > TARGET
        else:
            floor = ~better & (size <= CONVERGED)  # no further progress in floating point
            here, now = either(taken, next_at, here), _mixed(taken, trial, now)
            value, size = np.where(taken, trial_value, value), np.where(taken, trial_size, size)
            reach = np.where(taken, 1.0, 0.25 * reach)
            active = active & (size > TARGET) & ~floor
    last = Fit(here, now.value, now.curvature, torch.from_numpy(size), torch.from_numpy(iterations))
    return _together([*finished, (positions, last)])


def _together(parts: list[tuple[NDArray[np.intp], Fit]]) -> Fit:
    """One batch, in its first order, from parts that converged one after another."""
    if len(parts) == 1:
        return parts[0][1]
    order = torch.from_numpy(np.argsort(np.concatenate([positions for positions, _ in parts])))
    fits = [fit for _, fit in parts]
    return Fit(
        torch.cat([fit.at for fit in fits])[order],
        torch.cat([fit.value for fit in fits])[order],
        torch.cat([fit.curvature for fit in fits])[order],
        torch.cat([fit.gradient for fit in fits])[order],
        torch.cat([fit.iterations for fit in fits])[order],
    )


def climb(density: Density, start: Tensor, steps: int, rate: float) -> Fit:
    """Take a fixed number of plain gradient steps from ``start``, converged or not, as published."""
    here = start
    for _ in range(steps):
        here = here + rate * density.gradient(here)
    end = density(here)
    iterations = torch.full_like(end.value, steps, dtype=torch.int64)
    return Fit(here, end.value, end.curvature, end.gradient.abs().amax(-1), iterations)


def normal_factor(curvature: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix F with F F' = inverse of ``curvature`` (B, P, P), and how far that was bent (B,).

    At a maximum the curvature is positive definite and not bent (0).  Where steps stopped elsewhere, it is
    replaced by its absolute value, and ``bent`` is the absolute value of its lowest eigenvalue.
    """
    root, failed = _cholesky(curvature)
    identity = torch.eye(curvature.shape[-1], dtype=curvature.dtype)
    factor = torch.linalg.solve_triangular(root, identity, upper=False).mT
    if not failed.any():
        return factor, torch.zeros_like(curvature[:, 0, 0])
    values, vectors = torch.linalg.eigh(curvature)
    sizes = torch.maximum(values.abs(), 1e-6 * values.abs().amax(-1, keepdim=True))
    bent = vectors * sizes.rsqrt().unsqueeze(-2)
    return either(failed, bent, factor), either(failed, values[:, 0].abs(), torch.zeros_like(values[:, 0]))


def either(flags: NDArray[np.bool_], yes: Tensor, no: Tensor) -> Tensor:
    """For each element of a batch, ``yes`` where its flag is set, else ``no``."""
    return torch.where(torch.from_numpy(flags).view(-1, *[1] * (yes.dim() - 1)), yes, no)


def positive_definite(curvature: Tensor) -> NDArray[np.bool_]:
    """Which matrices (B, P, P) are positive definite."""
    return ~_cholesky(curvature)[1]


def _size(gradient: Tensor) -> NDArray[np.float64]:
    size: NDArray[np.float64] = np.abs(gradient.numpy()).max(-1)
    return size


def _mixed(flags: NDArray[np.bool_], yes: Evaluation, no: Evaluation) -> Evaluation:
    return Evaluation(
        either(flags, yes.value, no.value),
        either(flags, yes.gradient, no.gradient),
        either(flags, yes.curvature, no.curvature),
        either(flags, yes.convex, no.convex),
    )


def _step(now: Evaluation) -> Tensor:
    """Newton's step; where the density curves upwards, the step of the stand-in."""
    root, failed = _cholesky(now.curvature)
    if failed.any():
        root, _ = _cholesky(either(failed, now.convex, now.curvature))
    return torch.cholesky_solve(now.gradient.unsqueeze(-1), root).squeeze(-1)


def _cholesky(curvature: Tensor) -> tuple[Tensor, NDArray[np.bool_]]:
    """Cholesky factors, and flags of the matrices that have none."""
    root, info = torch.linalg.cholesky_ex(curvature)
    return root, info.numpy() > 0


def _off_the_saddle(fit: Fit, saddle: NDArray[np.bool_]) -> Tensor:
    """New starts: a little along the upward direction for elements on a saddle, unchanged for others."""
    _, vectors = torch.linalg.eigh(fit.curvature)
    upwards = vectors[..., 0]
    largest = upwards.gather(-1, upwards.abs().argmax(-1, keepdim=True))
    return either(saddle, fit.at + 0.1 * upwards * largest.sign(), fit.at)
