"""Maximum a posteriori by Newton's method, and the Laplace approximation around it, in batches.

The posterior is approximated by a Gaussian: its mean is the maximum of the log density and its
covariance the inverse of the negative Hessian there (Gelman et al. 2013, section 4.1; section 3.4
of the paper).  The mixture model's density is not concave, so a bare Newton step may run downhill
or away.  With H minus the Hessian, a step here is

    H^-1 gradient      where H is positive definite, which is Newton's, and
    C^-1 gradient      elsewhere, C being a positive definite stand-in that the density brings
                       (for the mixture, the curvature if it were known who gave which answer,
                       which is what the EM algorithm goes by),

and it is shortened until it climbs.  Both are ascent directions, so every climb ends at a
stationary point; if that is a saddle, it is left by the direction that curves upwards.  Near a
maximum convergence is quadratic.

Everything has a leading batch dimension.  An element that is done is frozen, so its result does
not depend on the company it keeps, and each one carries its own report.
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
TARGET = 1e-11  # where Newton stops: so far below CONVERGED that the road there leaves no trace
MOST_ITERATIONS = 200
MOST_SADDLES = 3
FEW = 8  # elements that are better left together


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
        """The gradient alone, for those who take a thousand small steps."""
        ...

    def only(self, rows: Tensor, /) -> Density:
        """Of these elements of the batch."""
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

    def only(self, rows: Tensor) -> Fit:
        """These of the batch."""
        return Fit(
            self.at[rows], self.value[rows], self.curvature[rows], self.gradient[rows], self.iterations[rows]
        )


def newton(density: Density, start: Tensor) -> Fit:
    """Climb from ``start`` (B, P) to a local maximum of ``density``."""
    found = _ascend(density, start)
    for _ in range(MOST_SADDLES):
        saddle = ~positive_definite(found.curvature)
        if not saddle.any():
            break
        again = _ascend(density, _off_the_saddle(found, saddle))
        found = Fit(
            either(saddle, again.at, found.at),
            either(saddle, again.value, found.value),
            either(saddle, again.curvature, found.curvature),
            either(saddle, again.gradient, found.gradient),
            either(saddle, found.iterations + again.iterations, found.iterations),
        )
    return found


def _ascend(density: Density, start: Tensor) -> Fit:
    """Climb until the gradient vanishes.

    The matrices are torch's; the few numbers by which each element is judged are looked at through
    NumPy, which has less to do before it starts: with a single element that is half of the time.
    Where most have arrived the others go on alone.
    """
    here, now = start, density(start)
    value, size = now.value.numpy(), _size(now.gradient)
    reach = np.ones_like(size)  # the part of the step that is tried
    iterations = np.zeros(size.shape, dtype=np.int64)
    active = size > TARGET
    arrived: list[tuple[NDArray[np.intp], Fit]] = []  # with their places in the batch
    places: NDArray[np.intp] = np.arange(len(size))
    for _ in range(MOST_ITERATIONS):
        if not active.any():
            break
        if 2 * active.sum() <= len(active) > FEW:
            rest = torch.from_numpy(np.flatnonzero(~active))
            done = Fit(here, now.value, now.curvature, torch.from_numpy(size), torch.from_numpy(iterations))
            arrived.append((places[~active], done.only(rest)))
            going = torch.from_numpy(np.flatnonzero(active))
            density, here = density.only(going), here[going]
            now = Evaluation(*(part[going] for part in now))
            value, size, reach = value[active], size[active], reach[active]
            iterations, places, active = iterations[active], places[active], active[active]
        iterations += active
        step = _step(now)
        if (reach < 1.0).any():
            step = torch.from_numpy(reach).unsqueeze(-1) * step
        there = here + step
        trial = density(there)
        trial_value, trial_size = trial.value.numpy(), _size(trial.gradient)
        gain = trial_value - value
        promised = torch.linalg.vecdot(now.gradient, step).numpy()
        better = gain > 1e-4 * promised
        if not better.all():  # close to the maximum gains drown in rounding, and only the gradient tells
            level = gain >= -1e-12 * (1.0 + np.abs(value))
            better |= level & (trial_size < 0.5 * size)
        taken = active & better
        if taken.all():
            here, now, value, size = there, trial, trial_value, trial_size
            reach = np.ones_like(size)
            active = size > TARGET
        else:
            floor = ~better & (size <= CONVERGED)  # floating point has no more to give
            here, now = either(taken, there, here), _mixed(taken, trial, now)
            value, size = np.where(taken, trial_value, value), np.where(taken, trial_size, size)
            reach = np.where(taken, 1.0, 0.25 * reach)
            active = active & (size > TARGET) & ~floor
    last = Fit(here, now.value, now.curvature, torch.from_numpy(size), torch.from_numpy(iterations))
    return _together([*arrived, (places, last)])


def _together(parts: list[tuple[NDArray[np.intp], Fit]]) -> Fit:
    """One batch of several that arrived one after the other."""
    if len(parts) == 1:
        return parts[0][1]
    order = torch.from_numpy(np.argsort(np.concatenate([places for places, _ in parts])))
    fits = [fit for _, fit in parts]
    return Fit(
        torch.cat([fit.at for fit in fits])[order],
        torch.cat([fit.value for fit in fits])[order],
        torch.cat([fit.curvature for fit in fits])[order],
        torch.cat([fit.gradient for fit in fits])[order],
        torch.cat([fit.iterations for fit in fits])[order],
    )


def climb(density: Density, start: Tensor, steps: int, rate: float) -> Fit:
    """A fixed count of plain gradient steps from ``start``, converged or not, as published."""
    here = start
    for _ in range(steps):
        here = here + rate * density.gradient(here)
    end = density(here)
    iterations = torch.full_like(end.value, steps, dtype=torch.int64)
    return Fit(here, end.value, end.curvature, end.gradient.abs().amax(-1), iterations)


def normal_factor(curvature: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix F with F F' = inverse of ``curvature`` (B, P, P), and how far that was bent (B,).

    At every maximum the curvature is positive definite, and bent by 0.  Where steps were broken off
    elsewhere it is replaced by its absolute value, and the size of its lowest eigenvalue is told.
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
    """Element by element of a batch, the one or the other."""
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
    """Newton's step; where the density curves upwards, the stand-in's."""
    root, failed = _cholesky(now.curvature)
    if failed.any():
        root, _ = _cholesky(either(failed, now.convex, now.curvature))
    return torch.cholesky_solve(now.gradient.unsqueeze(-1), root).squeeze(-1)


def _cholesky(curvature: Tensor) -> tuple[Tensor, NDArray[np.bool_]]:
    """Cholesky factors, and which of the matrices have none."""
    root, info = torch.linalg.cholesky_ex(curvature)
    return root, info.numpy() > 0


def _off_the_saddle(found: Fit, saddle: NDArray[np.bool_]) -> Tensor:
    """A start a little way along the direction that curves upwards; for the others, where they are."""
    _, vectors = torch.linalg.eigh(found.curvature)
    upwards = vectors[..., 0]
    largest = upwards.gather(-1, upwards.abs().argmax(-1, keepdim=True))
    return either(saddle, found.at + 0.1 * upwards * largest.sign(), found.at)
