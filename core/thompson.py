"""Thompson probabilities: how likely each arm is to be the best one.

    p_k = Pr(z_k > z_j for all j != k),      z = X theta,      theta ~ N(m, F F').

The planning teacher model compares them between two posteriors, after a yes and after a no, and multiplies
the difference by beta, so their Monte Carlo error matters.  Three things keep it small (measured by
tests/benchmarks/thompson.py):

- Quasi-random points (Sobol with a random digital shift) instead of independent draws.
- Common random numbers: all posteriors use the same points, so most of the error cancels from a difference.
- With no more arms than features, the Rao-Blackwellised estimate of the paper: given the values of the
  other arms, z_k is normal, and its chance to exceed their largest is exact.  With more arms than features
  the others determine z_k, and this would gain nothing at the cost of K x K matrices.  There the winners
  are counted, in the space of the weights, which is so cheap that four times as many points are used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.posterior import SMALL, Posterior
from core.randomness import stream

__all__ = [
    "PriorDraws",
    "best_arm_probabilities",
    "normal_points",
    "thompson_points",
    "thompson_probabilities",
]

BLOCK = 1 << 19  # numbers held at once: 4 MB, which fits the processor's cache
COUNTED = 4  # points per requested sample, where winners are counted
JITTER = 1e-6  # on the arms' covariance, as published, but relative to its size
SOBOL_BITS = 30
MOST_RAO_BLACKWELL = 100  # arms: with more, its K x K matrices cost more than they gain


def normal_points(samples: int, dimension: int, seed: int) -> Tensor:
    """Quasi-random standard normal points (N, dimension); N is the next power of 2 of ``samples``."""
    count = 1 << (samples - 1).bit_length()
    engine = torch.quasirandom.SobolEngine(dimension)  # type: ignore[no-untyped-call]
    net = engine.draw(count, dtype=torch.float64)
    whole = (net * 2.0**SOBOL_BITS).to(torch.int64)
    shift = stream(seed, "thompson points").uniform(dimension) * 2.0**SOBOL_BITS
    shifted = whole ^ torch.from_numpy(shift.astype("int64"))
    points: Tensor = torch.special.ndtri((shifted.to(torch.float64) + 0.5) * 2.0**-SOBOL_BITS)
    return points


def thompson_points(arms: int, dimension: int, samples: int, seed: int) -> Tensor:
    """The points that ``best_arm_probabilities`` needs for this number of arms and samples."""
    counted = arms > dimension or arms > MOST_RAO_BLACKWELL
    return normal_points(samples * (COUNTED if counted else 1), dimension, seed)


@dataclass(frozen=True)
class PriorDraws:
    """Draws from the prior of G learners, in units of tau: made once, then corrected for the answers."""

    points: Tensor  # (G, N, M), of the weights
    values: Tensor | None  # (G, N, K), of the arms; None where they are as quickly made anew

    @staticmethod
    def of(arms: Tensor, samples: int, seed: int) -> PriorDraws:
        """Quasi-random draws for a learner with these arms (K, M)."""
        K, M = arms.shape
        points = thompson_points(K, M, samples, seed).unsqueeze(0)
        return PriorDraws(points, None if M <= SMALL else points @ arms.mT)

    @staticmethod
    def together(parts: Sequence[PriorDraws]) -> PriorDraws:
        """The draws of several learners."""
        values = [part.values for part in parts if part.values is not None]
        return PriorDraws(torch.cat([part.points for part in parts]), torch.cat(values) if values else None)

    def first(self, count: int) -> PriorDraws:
        """Only the first draws."""
        values = None if self.values is None else self.values[:, :count]
        return PriorDraws(self.points[:, :count], values)


def thompson_probabilities(posterior: Posterior, arms: Tensor, draws: PriorDraws) -> Tensor:
    """p (B, K) for posteriors of theta, without an alpha, and arms (B, K, M); B is a multiple of G."""
    if posterior.basis is None:
        return best_arm_probabilities(posterior.mean, posterior.factor, arms, draws.points)
    if arms.shape[1] <= MOST_RAO_BLACKWELL:
        return _rao_blackwell(posterior.mean, _whole_factor(posterior), arms, draws.points)
    return _count_conditioned(posterior, arms, draws)


def _whole_factor(posterior: Posterior) -> Tensor:
    """F (B, M, M) with F F' = cov: the prior's outside the basis."""
    assert posterior.basis is not None
    identity = torch.eye(posterior.factor.shape[1], dtype=posterior.factor.dtype)
    change = posterior.factor - posterior.tau * identity
    factor = posterior.basis @ change @ posterior.basis.mT
    factor.diagonal(dim1=-2, dim2=-1).add_(posterior.tau)
    return factor


def _count_conditioned(posterior: Posterior, arms: Tensor, draws: PriorDraws) -> Tensor:
    """Winners among draws from the posterior, each of which is a draw from the prior, corrected.

    With theta = tau e a draw from the prior, mean + theta + Q (factor / tau - I) Q'theta is one from the
    posterior (Matheron's rule): R x K multiplications for the values of all arms, instead of M x K.
    """
    assert posterior.basis is not None
    assert draws.values is not None
    batch, K, _ = arms.shape
    count, tau = draws.points.shape[1], posterior.tau
    centre = (arms @ posterior.mean.unsqueeze(-1)).squeeze(-1)
    inside = (arms @ posterior.basis).mT / tau  # (B, R, K)
    change = (posterior.factor - tau * torch.eye(posterior.factor.shape[1], dtype=arms.dtype)).mT
    wins = np.zeros((batch, K))
    rows = min(count, max(1, BLOCK // K))
    for b in range(batch):
        group = b * len(draws.points) // batch
        for start in range(0, count, rows):
            part = slice(start, start + rows)
            moved = draws.points[group, part] @ posterior.basis[b] @ change[b]
            z = torch.addmm(draws.values[group, part], moved, inside[b])
            z += centre[b] / tau
            wins[b] += np.bincount(z.numpy().argmax(-1), minlength=K)
    return torch.from_numpy(wins / count)


def best_arm_probabilities(mean: Tensor, factor: Tensor, arms: Tensor, points: Tensor) -> Tensor:
    """p (B, K) for posteriors with mean (B, M) and factor (B, M, M), and arms (B, K, M).

    Either all share the points (N, M), or each of G equal parts of the batch has its own, (G, N, M).
    """
    own = points.expand(1, -1, -1) if points.dim() == 2 else points
    if arms.shape[1] <= min(arms.shape[2], MOST_RAO_BLACKWELL):
        return _rao_blackwell(mean, factor, arms, own)
    return _count_winners(mean, factor, arms, own)


def _rao_blackwell(mean: Tensor, factor: Tensor, arms: Tensor, points: Tensor) -> Tensor:
    batch, K, _ = arms.shape
    if len(points) > 1:
        points = points.repeat_interleave(batch // len(points), 0)
    spread = arms @ factor  # z = arms @ mean + spread @ point
    covariance = spread @ spread.mT
    jitter = JITTER * covariance.diagonal(dim1=-2, dim2=-1).mean(-1).clamp_min(1e-30)
    covariance = covariance + jitter[:, None, None] * torch.eye(K, dtype=arms.dtype)
    precision = torch.cholesky_inverse(torch.linalg.cholesky(covariance))
    root = precision.diagonal(dim1=-2, dim2=-1).sqrt()  # 1 / conditional sd
    # (conditional mean of z_k - z_k) / conditional sd, for every k at once
    pull = -(precision / root.unsqueeze(-2)).mT @ spread
    centre = (arms @ mean.unsqueeze(-1)).squeeze(-1)
    z = (points @ spread.mT).add_(centre.unsqueeze(-2))  # (B, N, K)
    winner = _winner(z)
    top = z.gather(-1, winner)
    second = z.scatter(-1, winner, -torch.inf).amax(-1, keepdim=True)
    lead = (z - top).scatter_(-1, winner, top - second)  # over the best of the others
    surplus = torch.addcmul(points @ pull.mT, lead, root.unsqueeze(-2))
    p = 1.0 + torch.erf(surplus.mul_(math.sqrt(0.5))).mean(-2)  # twice the mean of Phi(surplus)
    return p / p.sum(-1, keepdim=True)


def _count_winners(mean: Tensor, factor: Tensor, arms: Tensor, points: Tensor) -> Tensor:
    batch, K, _ = arms.shape
    centre = (arms @ mean.unsqueeze(-1)).squeeze(-1)
    spread = (arms @ factor).mT.contiguous()
    wins = np.zeros((batch, K))
    rows = min(points.shape[1], max(1, BLOCK // K))
    values = torch.empty(rows, K, dtype=arms.dtype)  # allocated once: allocating each time costs more
    for b in range(batch):
        own = points[b * len(points) // batch]
        for start in range(0, len(own), rows):
            part = own[start : start + rows]
            z = torch.addmm(centre[b], part, spread[b], out=values[: len(part)])
            wins[b] += np.bincount(z.numpy().argmax(-1), minlength=K)
    return torch.from_numpy(wins / points.shape[1])


def _winner(z: Tensor) -> Tensor:
    """The index of the largest value along the last dimension, by NumPy, which is five times as fast."""
    return torch.from_numpy(z.numpy().argmax(-1)).unsqueeze(-1)
