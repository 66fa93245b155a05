"""What a learner that samples by Thompson's rule asks next, on average.

    S = X'p,      p_k = Pr(z_k > z_j for all j != k),      z = X theta,      theta ~ N(m, C),  C = F F'.

The planning teacher model compares S between two posteriors, after a yes and after a no, and multiplies the
difference by beta, so its Monte Carlo error matters.  These things keep it small (measured by
tests/benchmarks/thompson.py):

- With few features, quasi-random points (core.quasi_random) instead of independent draws.
- Common random numbers: all posteriors use the same points, so most of the error cancels from a difference.
- One of three estimates, by the number of arms and of features.

Few arms, no more than features: the Rao-Blackwellised estimate of the paper.  Given the values of the other
arms, z_k is normal, and its chance to exceed their largest is exact.  With more arms than features the others
determine z_k, and this would gain nothing at the cost of K x K matrices.  The points have min(K, M)
dimensions.

Few features: winners and heights.  Counting winners estimates p; how high they are says more.  The gradient
of the largest value, g(theta) = max_k z_k, is the features of the best arm, so by Stein's lemma

    F'S = E[F' grad g] = Cov(e, g),      theta = m + F e,

which a linear regression of the heights g on the points e estimates.  With p counted, Y = X F, and
D = diag(p) - pp', the errors of the two estimates of F'S = Y'p have covariances Y'D Y and v I, over the
number of points, where v is the variance that the regression leaves.  Weighing them by these gives

    p + D Y (Y'D Y + v I)^-1 (Cov(e, g) - Y'p).

Quasi-random points integrate the heights, which are continuous, better than they count winners, so v is taken
as a quarter of what it would be with independent points.

Many features: winners among draws from the prior that are corrected for the answers (core.gaussian).  The
values X theta of all arms under draws from the prior are computed once per learner, and the correction costs
R x K multiplications for a draw, instead of M x K.

No arm is left out.  After 15 answers about 1,000 words, nine words in ten still win some of a few thousand
draws, so a bound that leaves out arms which can no longer be the best one would keep almost all.

Studies ask here how much memory a learner needs.  That does not load SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch
from core.gaussian import FEW_FEATURES, Gaussian
from core.quasi_random import MOST_DIMENSIONS, uniform_points
from core.randomness import stream

BLOCK = 1 << 18  # values made at once: 2 MB; more would not fit the cache
SMALL_BLOCK = 1 << 16  # where values are corrected, which takes those of the prior and the points as well
POINTS_PER_FEATURE = 4  # at least, to learn from the heights of winners
SMOOTHER = 0.25  # the variance of a mean of heights, beside that with independent points
LEAST_LEFT = 1e-12  # of the mean square of heights, for one arm that always wins
JITTER = 1e-6  # on the arms' covariance, as published, but relative to its size

FEW_ARMS = 64  # for the Rao-Blackwellised estimate, with its K x K matrices
COUNTED = 2  # points per requested sample, where winners are counted
MOST_COUNTED = 4  # with many features and up to 100 arms, whose values are the least certain

Array = NDArray[np.float64]


# How many points


def has_few_arms(K: int, M: int) -> bool:
    """Are K arms of M features few enough for the Rao-Blackwellised estimate?"""
    return min(M, FEW_ARMS) >= K


def keeps_values(K: int, M: int) -> bool:
    """Are the arms' values under the points kept?  With few features, they are as quickly made anew."""
    return M > FEW_FEATURES and not has_few_arms(K, M)


def dimension(K: int, M: int) -> int:
    """Of the points: the weights' or, with fewer arms, the arms'."""
    return min(K, M) if has_few_arms(K, M) else M


def points(K: int, M: int, samples: int) -> int:
    """How many points, a power of 2."""
    times = 1 if has_few_arms(K, M) else COUNTED
    if keeps_values(K, M):
        times = min(MOST_COUNTED, max(COUNTED, 100 * MOST_COUNTED // K))
    return 1 << (times * samples - 1).bit_length()


def numbers_held(K: int, M: int, samples: int) -> int:
    """How many numbers a learner keeps: its points, and perhaps the arms' values under them."""
    return points(K, M, samples) * (dimension(K, M) + (K if keeps_values(K, M) else 0))


# Points and draws


def normal_points(samples: int, dimension: int, seed: int) -> Array:
    """Standard normal points (N, dimension), evenly spread; N is the next power of 2 of ``samples``."""
    from scipy.special import ndtri

    exponent, name = (samples - 1).bit_length(), "thompson points"
    if dimension > MOST_DIMENSIONS:
        return stream(seed, name).normal(dimension << exponent).reshape(-1, dimension)
    return np.asarray(ndtri(uniform_points(exponent, dimension, seed, name)))


@dataclass(frozen=True, eq=False)
class PriorDraws(Batch):
    """Draws from the prior of G learners, in units of tau: made once, then used for all their questions."""

    points: Array  # (G, N, M), of the weights; with fewer arms than features, (G, N, K), of the arms
    values: Array | None  # (G, N, K), of the arms; None where they are not kept
    _firsts: dict[int, PriorDraws] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def of(arms: Array, samples: int, seed: int) -> PriorDraws:
        """Quasi-random draws for a learner with these arms (K, M)."""
        K, M = arms.shape
        drawn = normal_points(points(K, M, samples), dimension(K, M), seed)[None]
        return PriorDraws(drawn, drawn @ arms.T if keeps_values(K, M) else None)

    def first(self, count: int) -> PriorDraws:
        """Only the first draws."""
        if count >= self.points.shape[1]:
            return self
        if count not in self._firsts:
            values = None if self.values is None else self.values[:, :count]
            self._firsts[count] = PriorDraws(self.points[:, :count], values)
        return self._firsts[count]

    @cached_property
    def slopes(self) -> Array:
        """(G, N, M), for E[point g] = sum of slopes g(point): the linear regression of g on the points."""
        centred = self.points - self.points.mean(1, keepdims=True)
        return np.asarray(centred @ np.linalg.inv(self.covariance) / centred.shape[1])

    @cached_property
    def covariance(self) -> Array:
        """(G, M, M), of the points."""
        centred = self.points - self.points.mean(1, keepdims=True)
        return np.asarray(centred.swapaxes(1, 2) @ centred / centred.shape[1])

    @cached_property
    def with_ones(self) -> Array:
        """(G, N, M + 1), the points with a one at their end, for values with their means."""
        return np.concatenate([self.points, np.ones_like(self.points[..., :1])], -1)


# Estimates


def best_arm(learner: Gaussian, arms: Array, draws: PriorDraws) -> Array:
    """p (B, K) for what learners with arms (B, K, M) believe; B is a multiple of G."""
    _, K, M = arms.shape
    if has_few_arms(K, M):
        return rao_blackwell(learner, arms, draws)
    if M <= FEW_FEATURES and draws.points.shape[1] >= POINTS_PER_FEATURE * M:
        return winners_and_heights(learner, arms, draws)
    return count_winners(learner, arms, draws)


def rao_blackwell(learner: Gaussian, arms: Array, draws: PriorDraws) -> Array:
    """p (B, K), by the chance of each arm to exceed the others, given their values."""
    from scipy.special import erf

    batch, K, _ = arms.shape
    groups = len(draws.points)
    spread = learner.root(arms)  # z = arms @ mean + spread @ point
    covariance = spread @ spread.swapaxes(1, 2)
    sizes = np.einsum("bkk->b", covariance) / K
    covariance += np.maximum(JITTER * sizes, 1e-30)[:, None, None] * np.eye(K)
    precision = np.linalg.inv(covariance)
    root = np.sqrt(np.einsum("bkk->bk", precision))  # 1 / conditional sd
    # (conditional mean of z_k - z_k) / conditional sd, for every k at once
    pull = -(precision / root[..., None]) @ spread
    spread = np.concatenate([spread, learner.means(arms)[..., None]], -1)
    p = np.empty((batch, K))
    for b in range(batch):
        group = b * groups // batch
        z = draws.with_ones[group] @ spread[b].T
        order = K * np.arange(len(z))
        winner = order + z.argmax(-1)
        top = z.take(winner)
        z.put(winner, -np.inf)
        second = z.take(order + z.argmax(-1))
        z -= top[:, None]
        z.put(winner, top - second)  # the lead over the best of the others
        z *= root[b]
        z += draws.points[group] @ pull[b].T
        z *= math.sqrt(0.5)
        p[b] = 1.0 + erf(z, out=z).mean(0)  # twice the mean of Phi
    return np.asarray(p / p.sum(-1, keepdims=True))


def count_winners(learner: Gaussian, arms: Array, draws: PriorDraws) -> Array:
    """p (B, K), by how often each arm is the best one."""
    wins = np.zeros(arms.shape[:2])
    for b, _, z in _values(learner, arms, draws):
        wins[b] += np.bincount(z.argmax(-1), minlength=arms.shape[1])
    return np.asarray(wins / draws.points.shape[1])


def winners_and_heights(learner: Gaussian, arms: Array, draws: PriorDraws) -> Array:
    """p (B, K), by counting winners and by Stein's lemma; not for learners with a basis.

    What was counted as 0 stays 0, and a small probability may come out slightly below 0.
    """
    batch, K, M = arms.shape
    groups, count, _ = draws.points.shape
    wins, slopes, sums, squares = np.zeros((batch, K)), np.zeros((batch, M)), np.zeros(batch), np.zeros(batch)
    for b, part, z in _values(learner, arms, draws):
        winner = z.argmax(-1)
        wins[b] += np.bincount(winner, minlength=K)
        height = z.take(K * np.arange(len(z)) + winner)
        slopes[b] += height @ draws.slopes[b * groups // batch, part]
        sums[b] += height.sum()
        squares[b] += height @ height
    p = wins / count
    explained = ((slopes[:, None] @ draws.covariance.repeat(batch // groups, 0))[:, 0] * slopes).sum(-1)
    left = np.maximum(
        SMOOTHER * (squares / count - (sums / count) ** 2 - explained), LEAST_LEFT * squares / count
    )
    spread = arms @ learner.factor  # Y
    counted = (p[:, None] @ spread)[:, 0]
    weighted = p[..., None] * spread - p[..., None] * counted[:, None]  # D Y
    weight = spread.swapaxes(1, 2) @ weighted
    weight += left[:, None, None] * np.eye(M)
    return np.asarray(p + (weighted @ np.linalg.solve(weight, (slopes - counted)[..., None]))[..., 0])


def _values(learner: Gaussian, arms: Array, draws: PriorDraws) -> Iterator[tuple[int, slice, Array]]:
    """For every element of the batch and every part of its draws, the values of its arms (draws, K).

    With a basis they are in units of tau.  The next values take the place of these.
    """
    batch, K, _ = arms.shape
    groups, count, _ = draws.points.shape
    centre = learner.means(arms)
    if learner.basis is None:
        spread = np.concatenate([(arms @ learner.factor).swapaxes(1, 2), centre[:, None]], 1)
    else:
        change = learner.correction @ (arms @ learner.basis).swapaxes(1, 2)
        spread = np.concatenate([change, centre[:, None] / learner.tau], 1)
    rows = min(count, max(1, (BLOCK if learner.basis is None else SMALL_BLOCK) // K))
    held = np.empty((rows, K))  # allocated once: allocating each time costs more
    for b in range(batch):
        group = b * groups // batch
        for start in range(0, count, rows):
            part = slice(start, min(start + rows, count))
            z = held[: part.stop - start]
            if learner.basis is None:
                np.matmul(draws.with_ones[group, part], spread[b], out=z)
            else:
                assert draws.values is not None
                moved = draws.points[group, part] @ learner.basis[b]
                np.matmul(np.column_stack([moved, np.ones(len(moved))]), spread[b], out=z)
                z += draws.values[group, part]
            yield b, part, z
