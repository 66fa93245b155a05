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

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from core.batch import Batch, Flags, Rows, either

CONVERGED = 1e-8  # a fit has converged when no entry of its gradient is larger than this
TARGET = 1e-11  # where Newton stops: so far below CONVERGED that the starting point no longer matters
MOST_ITERATIONS = 200
MOST_SADDLES = 3
FEW = 8  # a batch this small is not divided further

Array = NDArray[np.float64]


class Evaluation(NamedTuple):
    """A log density at a batch of points, with its first derivative and minus its second."""

    value: Array  # (B,)
    gradient: Array  # (B, P)
    curvature: Array  # (B, P, P), minus the Hessian
    convex: Array  # (B, P, P), a positive definite stand-in for it where it is not


class Density(Protocol):
    """A log density, up to a constant."""

    def __call__(self, at: Array, /) -> Evaluation: ...

    def gradient(self, at: Array, /) -> Array:
        """The gradient alone, for fits that take a thousand small steps."""
        ...

    def only(self, rows: Rows, /) -> Density:
        """The density of these elements of the batch."""
        ...


@dataclass(frozen=True, eq=False)
class Fit(Batch):
    """A batch of maxima, each with a report of its climb."""

    at: Array  # (B, P), the maximum
    value: Array  # (B,), the log density there
    curvature: Array  # (B, P, P), minus its Hessian there
    gradient: Array  # (B,), the largest absolute entry of the gradient there
    iterations: NDArray[np.int64]  # (B,)

    @property
    def converged(self) -> Flags:
        return self.gradient <= CONVERGED


def newton(density: Density, start: Array) -> Fit:
    """Climb from ``start`` (B, P) to a local maximum of ``density``."""
    fit = _ascend(density, start)
    for _ in range(MOST_SADDLES):
        saddle = ~positive_definite(fit.curvature)
        if not saddle.any():
            break
        again = _ascend(density, _off_the_saddle(fit, saddle))
        fit = replace(again, iterations=fit.iterations + again.iterations).where(saddle, fit)
    return fit


def _ascend(density: Density, start: Array) -> Fit:
    """Climb until the gradient vanishes.

    When most elements have converged, the others continue in a smaller batch.
    """
    here, now = start, density(start)
    size = _size(now.gradient)
    reach = np.ones_like(size)  # the fraction of the step that is tried
    iterations = np.zeros(size.shape, dtype=np.int64)
    active = size > TARGET
    finished: list[tuple[Rows, Fit]] = []  # with their positions in the batch
    positions: Rows = np.arange(len(size))
    for _ in range(MOST_ITERATIONS):
        if not active.any():
            break
        if 2 * np.count_nonzero(active) <= len(active) > FEW:
            done = Fit(here, now.value, now.curvature, size, iterations)
            finished.append((positions[~active], done.only(np.flatnonzero(~active))))
            going = np.flatnonzero(active)
            density, here = density.only(going), here[going]
            now = Evaluation(*(part[going] for part in now))
            size, reach, iterations = size[going], reach[going], iterations[going]
            positions, active = positions[going], active[going]
        iterations += active
        step = reach[:, None] * _step(now)
        next_at = here + step
        trial = density(next_at)
        trial_size = _size(trial.gradient)
        gain = trial.value - now.value
        better = gain > 1e-4 * (now.gradient * step).sum(-1)
        if not better.all():  # near the maximum, gains vanish in rounding; compare gradients
            level = gain >= -1e-12 * (1.0 + np.abs(now.value))
            better |= level & (trial_size < 0.5 * size)
        taken = active & better
        if taken.all():
            here, now, size = next_at, trial, trial_size
            reach = np.ones_like(size)
            active = size > TARGET
        else:
            floor = ~better & (size <= CONVERGED)  # no further progress in floating point
            here, now = either(taken, next_at, here), _mixed(taken, trial, now)
            size = np.where(taken, trial_size, size)
            reach = np.where(taken, 1.0, 0.25 * reach)
            active = active & (size > TARGET) & ~floor
    last = Fit(here, now.value, now.curvature, size, iterations)
    if not finished:
        return last
    order = np.argsort(np.concatenate([*(one for one, _ in finished), positions]))
    return Fit.together([*(fit for _, fit in finished), last]).only(order)


def climb(density: Density, start: Array, steps: int, rate: float) -> Fit:
    """Take a fixed number of plain gradient steps from ``start``, converged or not, as published."""
    here = start
    for _ in range(steps):
        here = here + rate * density.gradient(here)
    end = density(here)
    iterations = np.full(len(here), steps, dtype=np.int64)
    return Fit(here, end.value, end.curvature, _size(end.gradient), iterations)


def normal_factor(curvature: Array) -> tuple[Array, Array]:
    """A matrix F with F F' = inverse of ``curvature`` (B, P, P), and how far that was bent (B,).

    At a maximum the curvature is positive definite and not bent (0).  Where steps stopped elsewhere, it is
    replaced by its absolute value, and ``bent`` is the absolute value of its lowest eigenvalue.
    """
    factor, failed = np.empty_like(curvature), np.zeros(len(curvature), dtype=bool)
    for i, matrix in enumerate(curvature):
        root, flaw = lapack.dpotrf(matrix, lower=1)
        factor[i], failed[i] = lapack.dtrtri(root, lower=1)[0].T, flaw != 0
    if not failed.any():
        return factor, np.zeros(len(curvature))
    values, vectors = np.linalg.eigh(curvature)
    sizes = np.maximum(np.abs(values), 1e-6 * np.abs(values).max(-1, keepdims=True))
    bent = (vectors / np.sqrt(sizes)[:, None]) @ vectors.swapaxes(-1, -2)
    return either(failed, bent, factor), np.where(failed, np.abs(values[:, 0]), 0.0)


def positive_definite(curvature: Array) -> Flags:
    """Which matrices (B, P, P) are positive definite."""
    return np.array([lapack.dpotrf(matrix, lower=1)[1] == 0 for matrix in curvature])


def _size(gradient: Array) -> Array:
    return np.asarray(np.abs(gradient).max(-1))


def _mixed(flags: Flags, yes: Evaluation, no: Evaluation) -> Evaluation:
    convex = either(flags, yes.convex, no.convex)
    # A concave density needs no stand-in: the two are one array, and stay one.
    concave = yes.curvature is yes.convex and no.curvature is no.convex
    return Evaluation(
        either(flags, yes.value, no.value),
        either(flags, yes.gradient, no.gradient),
        convex if concave else either(flags, yes.curvature, no.curvature),
        convex,
    )


def _step(now: Evaluation) -> Array:
    """Newton's step; where the density curves upwards, the step of the stand-in.

    LAPACK is called for one element after the other: its calls start so fast that no batched routine is
    faster, for two elements or for fifty.
    """
    step = np.empty_like(now.gradient)
    for i, (curvature, gradient) in enumerate(zip(now.curvature, now.gradient, strict=True)):
        _, step[i], flaw = lapack.dposv(curvature, gradient, lower=1)
        if flaw:
            _, step[i], _ = lapack.dposv(now.convex[i], gradient, lower=1)
    return step


def _off_the_saddle(fit: Fit, saddle: Flags) -> Array:
    """New starts: a little along the upward direction for elements on a saddle, unchanged for others."""
    _, vectors = np.linalg.eigh(fit.curvature)
    upwards = vectors[..., 0]
    largest = np.take_along_axis(upwards, np.abs(upwards).argmax(-1)[:, None], 1)
    return either(saddle, fit.at + 0.1 * upwards * np.sign(largest), fit.at)
