"""What a planning teacher sees one step ahead of every question of finished rounds, in NumPy.

An analysis asks about thousands of questions at once and nothing else, so it can do without torch, which
takes longer to load than all of this to compute.  The mathematics is that of core.teaching with a horizon of
1: after either answer, the naive learner that the teacher imagines has a normal posterior around its maximum,
and asks next about each arm as often as that arm is the best one (core.thompson).

Everything is written in the values of the arms, f = X theta ~ N(0, C) with C = tau^2 X X'.  With n answers,
the maximum is f = C_a' u for weights u of the answers, and Newton's method solves n equations instead of M:

    u = y sigma(-y f_a)      at the maximum, y = +1 or -1
    cov(f) = C - C_a' (C_aa + W^-1)^-1 C_a,      W = sigma(f_a) sigma(-f_a).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from core.randomness import stream

__all__ = ["advantages", "best_arm_probabilities", "imagined", "normal_points"]

Array = NDArray[np.float64]

TOLERANCE = 1e-9  # on the gradient, beside what rounding adds to it
ROUNDING = 64 * float(np.finfo(float).eps)
ITERATIONS = 50
JITTER = 1e-6  # on the arms' covariance, relative to its size, as in core.thompson


def advantages(
    prior: Array,  # C, (K, K)
    odds: Array,  # (R, K), the log-odds of every arm's reward, for the target of each round
    asked: NDArray[np.intp],  # (R, Q), the arm of every question
    yes: NDArray[np.bool_],  # (R, Q), its answer
    points: list[Array],  # for every question, (N, K): standard normal
) -> Array:
    """Q*(1) - Q*(0) for every question, (R, Q)."""
    rounds, questions = asked.shape
    signs = np.where(yes, 1.0, -1.0)
    found = np.empty((rounds, questions))
    weights = np.zeros((rounds, 0))  # at the maximum so far, where the search for the next one begins
    for q in range(questions):
        start = np.column_stack([weights, np.zeros(rounds)])
        chances, after = [], []
        for answer in (-1.0, 1.0):
            known = np.column_stack([signs[:, :q], np.full(rounds, answer)])
            mean, covariance, weights = imagined(prior, asked[:, : q + 1], known, start)
            chances.append(best_arm_probabilities(mean, covariance, points[q]))
            after.append(weights)
        found[:, q] = ((chances[1] - chances[0]) * odds).sum(-1)
        weights = np.where(yes[:, q : q + 1], after[1], after[0])
    return found


def imagined(
    prior: Array, asked: NDArray[np.intp], signs: Array, start: Array | None = None
) -> tuple[Array, Array, Array]:
    """The imagined learner's posterior after answers ``signs`` (B, n).

    Its mean (B, K), its covariance (B, K, K), and the weights u (B, n) of the answers.
    """
    across = prior[asked]  # (B, n, K)
    among = np.take_along_axis(across, asked[:, None, :], 2)  # (B, n, n)
    u = _maximum(among, signs, np.zeros_like(signs) if start is None else start)
    curvature = _curvature((among @ u[..., None])[..., 0])
    half = np.sqrt(curvature)[..., None] * across
    scaled = np.eye(asked.shape[1]) + np.sqrt(curvature[..., :, None] * curvature[..., None, :]) * among
    mean = (u[:, None, :] @ across)[:, 0]
    return mean, prior - half.swapaxes(1, 2) @ np.linalg.solve(scaled, half), u


def _curvature(f: Array) -> Array:
    return np.asarray(expit(f) * expit(-f))


def _maximum(among: Array, signs: Array, u: Array) -> Array:
    """The weights u (B, n) of the answers at the maximum of the posterior, by Newton's method.

    A step that would lower the density is halved until it does not.
    """
    n = signs.shape[1]
    value = _log_density(among, signs, u)
    for _ in range(ITERATIONS):
        f = (among @ u[..., None])[..., 0]
        gradient = signs * expit(-signs * f) - u  # of the log density in f, times the prior's covariance
        # With a wide prior, f is a small difference of large numbers, and no gradient is as exact as that.
        rounding = ROUNDING * (np.abs(among) @ np.abs(u)[..., None])[..., 0]
        if (np.abs(gradient) <= TOLERANCE + rounding).all():
            return u
        curvature = _curvature(f)
        step = np.linalg.solve(np.eye(n) + curvature[..., None] * among, gradient[..., None])[..., 0]
        length = np.ones((len(u), 1))
        while True:
            ahead = _log_density(among, signs, u + length * step)
            worse = ahead < value - 1e-12 * (1 + np.abs(value)) - (np.abs(u) * rounding).sum(-1)
            if not worse.any() or length.min() < 1e-15:
                break
            length[worse] /= 2
        u, value = u + length * step, ahead
    raise ArithmeticError("the imagined learner's fit did not converge")


def _log_density(among: Array, signs: Array, u: Array) -> Array:
    f = (among @ u[..., None])[..., 0]
    return np.asarray(-np.logaddexp(0.0, -signs * f).sum(-1) - (u * f).sum(-1) / 2)


def best_arm_probabilities(mean: Array, covariance: Array, points: Array) -> Array:
    """How likely each arm is to be the best one, (B, K): the Rao-Blackwellised estimate of core.thompson."""
    K = mean.shape[1]
    jitter = JITTER * np.trace(covariance, axis1=-2, axis2=-1)[:, None, None] / K
    factor = np.linalg.cholesky(covariance + jitter * np.eye(K))
    inverse = np.linalg.inv(factor)
    root = np.sqrt((inverse**2).sum(-2))[:, None, :]  # 1 / sd of each arm, given the others
    z = mean[:, None, :] + points @ factor.swapaxes(1, 2)  # (B, N, K)
    ranked = np.partition(z, K - 2, axis=-1)
    best, second = ranked[..., -1:], ranked[..., -2:-1]
    lead = z - np.where(z == best, second, best)  # over the best of the others
    chances = ndtr(lead * root - points @ inverse / root).mean(1)
    return np.asarray(chances / chances.sum(-1, keepdims=True))


def normal_points(samples: int, dimension: int, seed: int) -> Array:
    """Quasi-random standard normal points (N, dimension), those of core.thompson."""
    from scipy.stats import qmc

    net = qmc.Sobol(dimension, scramble=False).random_base2((samples - 1).bit_length())
    whole = (net * 2.0**30).astype(np.int64)
    shift = (stream(seed, "thompson points").uniform(dimension) * 2.0**30).astype(np.int64)
    return np.asarray(ndtri(((whole ^ shift) + 0.5) * 2.0**-30))
