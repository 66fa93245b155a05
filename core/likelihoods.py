"""The likelihoods of the teacher models, with their first and second derivatives.

There are two ways to answer, with sigma the logistic function and s = 2 y - 1 the sign of the answer y:

    naive      p_B = sigma(s x'theta)                         passes on the reward    (equation 1)
    planning   p_M = sigma(s beta (Q*(1) - Q*(0)))            steers the learner      (equations 3, 4)

and a person may use either, which is the mixture (equation 5)

    (1 - alpha) p_B + alpha p_M,       alpha = sigma(lambda).

Q*(y) is the largest theta'S over the trajectories that start with the answer y.  The rows S are discounted
sums of the features of the arms that the imagined learner asks about next (see core.teaching).  With
one-step planning there is one row per answer, Q* is linear, and the planning model is a logistic
regression on beta (S(1) - S(0)).  With more steps Q* has kinks.  There the maximum is approached through
(1 / kappa) log sum exp(kappa theta'S), which is smooth, is exact for one row and for kappa -> infinity,
and lies at most log(rows) / kappa above the maximum.

Both ways have the form log sigma(b(theta)), and a mixture of two log densities l_0, l_1 with
responsibility r has

    gradient   (1 - r) g_0 + r g_1
    Hessian    (1 - r) H_0 + r H_1 + r (1 - r) (g_1 - g_0)(g_1 - g_0)'

in theta and lambda together, where log(1 - alpha) and log(alpha) count as parts of l_0 and l_1.

The mixture brings the prior of its own parameter: alpha ~ Beta(a, b), a = b = 1.  The Laplace approximation
is in lambda, so the density includes the Jacobian alpha (1 - alpha) of that transform, which makes it
log p(lambda) = a log(alpha) + b log(1 - alpha).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logsumexp, softmax

from core.batch import Batch, Rows
from core.laplace import Density, Evaluation

Array = NDArray[np.float64]
Bend = Callable[[Array], Array]

# The prior of alpha, Beta(a, b), as counts: b earlier answers in the first way, a in the second.
_PRIOR = (1.0, 1.0)


# Answers


@dataclass(frozen=True, eq=False)
class Evidence(Batch):
    """A batch of answered questions, each with what a planning teacher saw ahead of it."""

    features: Array  # (B, n, M): the arm that each question was about
    signs: Array  # (B, n): +1 for yes, -1 for no
    sums: Array  # (B, n, 2, J, M): discounted features ahead, by answer and trajectory; J = 0 if unknown

    @staticmethod
    def none(batch: int, dimension: int, trajectories: int) -> Evidence:
        """No answers yet."""
        return Evidence(
            np.zeros((batch, 0, dimension)),
            np.zeros((batch, 0)),
            np.zeros((batch, 0, 2, trajectories, dimension)),
        )

    @property
    def predictors(self) -> Array:
        """The vectors (B, R, M) whose products with theta are all that a likelihood depends on."""
        trajectories = self.sums.shape[3]
        if trajectories == 1:  # one-step planning compares a yes with a no
            return np.concatenate([self.features, self.sums[:, :, 1, 0] - self.sums[:, :, 0, 0]], 1)
        batch, _, _, _, dimension = self.sums.shape
        return np.concatenate([self.features, self.sums.reshape(batch, -1, dimension)], 1)

    def within(self, basis: Array) -> Evidence:
        """The same answers in the coordinates of a subspace with an orthonormal ``basis`` (B, M, R)."""
        sums = self.sums @ basis[:, None, None]
        return Evidence(self.features @ basis, self.signs, sums)

    @staticmethod
    def without_plans(features: Array, signs: Array) -> Evidence:
        """Answers (B, n) to questions (B, n, M) where nobody looked ahead."""
        batch, answers, dimension = features.shape
        return Evidence(features, signs, np.zeros((batch, answers, 2, 0, dimension)))

    def and_also(self, features: Array, signs: Array, sums: Array) -> Evidence:
        """This evidence and one more answer: features (B, M), signs (B,), sums (B, 2, J, M)."""
        return Evidence(
            np.concatenate([self.features, features[:, None]], 1),
            np.concatenate([self.signs, signs[:, None]], 1),
            np.concatenate([self.sums, sums[:, None]], 1),
        )


# Likelihoods


def naive(evidence: Evidence) -> Density:
    """The log likelihood of answers that pass on the reward."""
    return _OneWay(_by_reward(evidence))


def planning(evidence: Evidence, beta: float, kappa: float) -> Density:
    """The log likelihood of answers that steer the imagined learner."""
    return _OneWay(_by_plan(evidence, beta, kappa))


def mixture(evidence: Evidence, beta: float, kappa: float) -> Density:
    """The log likelihood of answers given in either way; the logit of alpha is the last parameter."""
    return _TwoWays(_side_by_side(_by_reward(evidence).padded(), _by_plan(evidence, beta, kappa).padded()))


# Predictors: b of log sigma(b)


class _Predicted(NamedTuple):
    """The predictor b of every answer at some point; the log likelihood of an answer is log sigma(b)."""

    b: Array  # (B, n)
    slope: Array  # (B, n, P), the derivative of b
    bend: Bend | None  # the sum (B, P, P) of its second derivatives, with weights (B, n)


class _Predictor(Protocol):
    def __call__(self, at: Array, /) -> _Predicted: ...

    def only(self, rows: Rows, /) -> _Predictor: ...


class _Way(_Predictor, Protocol):
    """One of the ways in which answers are given."""

    def padded(self) -> _Way:
        """The same with one more parameter, on which it does not depend."""
        ...


def _padded(slope: Array) -> Array:
    wider = np.zeros((*slope.shape[:-1], slope.shape[-1] + 1))
    wider[..., :-1] = slope
    return wider


@dataclass(frozen=True, eq=False)
class _Linear(Batch):
    slope: Array  # (B, n, P)

    def __call__(self, at: Array) -> _Predicted:
        return _Predicted((self.slope @ at[..., None])[..., 0], self.slope, None)

    def padded(self) -> _Linear:
        return _Linear(_padded(self.slope))


@dataclass(frozen=True, eq=False)
class _DifferenceOfMaxima(Batch):
    sums: Array  # (B, n, 2, J, P)
    signs: Array  # (B, n), times beta
    kappa: float

    def __call__(self, at: Array) -> _Predicted:
        returns = (self.sums @ at[:, None, None, :, None])[..., 0]  # (B, n, 2, J)
        if math.isinf(self.kappa):
            value = returns.max(-1)
            is_best = returns == value[..., None]
            share = is_best / is_best.sum(-1, keepdims=True)
        else:
            share = softmax(self.kappa * returns, -1)
            value = logsumexp(self.kappa * returns, -1) / self.kappa
        mean = (share[..., None, :] @ self.sums)[..., 0, :]  # (B, n, 2, P)
        bend = None
        if not math.isinf(self.kappa):
            bend = partial(self._bend, share, self.sums - mean[..., None, :])
        slope = self.signs[..., None] * (mean[:, :, 1] - mean[:, :, 0])
        return _Predicted(self.signs * (value[..., 1] - value[..., 0]), slope, bend)

    def _bend(self, share: Array, spread: Array, weights: Array) -> Array:
        """A difference of covariances over trajectories, summed in one product over answers."""
        sides = (weights * self.signs)[..., None] * (-self.kappa, self.kappa)  # (B, n, 2): of a no and a yes
        rows = spread.reshape(len(spread), -1, spread.shape[-1])
        return _squares((sides[..., None] * share).reshape(rows.shape[:2]), rows)

    def padded(self) -> _DifferenceOfMaxima:
        return _DifferenceOfMaxima(_padded(self.sums), self.signs, self.kappa)


def _by_reward(evidence: Evidence) -> _Way:
    return _Linear(evidence.signs[..., None] * evidence.features)


def _by_plan(evidence: Evidence, beta: float, kappa: float) -> _Way:
    signs, sums = beta * evidence.signs, evidence.sums
    if sums.shape[3] == 1:
        return _Linear(signs[..., None] * (sums[:, :, 1, 0] - sums[:, :, 0, 0]))
    return _DifferenceOfMaxima(sums, signs, kappa)


@dataclass(frozen=True, eq=False)
class _Both(Batch):
    """The answers twice: all in the first way, then all in the second."""

    first: _Predictor
    second: _Predictor

    def __call__(self, at: Array) -> _Predicted:
        one, other = self.first(at), self.second(at)
        n = one.b.shape[1]
        parts = [(slice(n), one.bend), (slice(n, None), other.bend)]
        bends = [(part, bend) for part, bend in parts if bend is not None]
        slope = np.concatenate([one.slope, other.slope], 1)
        return _Predicted(
            np.concatenate([one.b, other.b], 1),
            slope,
            partial(_summed, bends) if bends else None,
        )


def _summed(bends: Sequence[tuple[slice, Bend]], weights: Array) -> Array:
    """The bends of several parts of the answers."""
    return np.asarray(np.sum([bend(weights[:, part]) for part, bend in bends], axis=0))


def _side_by_side(first: _Predictor, second: _Predictor) -> _Predictor:
    if isinstance(first, _Linear) and isinstance(second, _Linear):
        return _Linear(np.concatenate([first.slope, second.slope], 1))
    return _Both(first, second)


# Densities


def _pulled(weights: Array, slope: Array) -> Array:
    """The sum (B, P) of slopes (B, n, P) with weights (B, n)."""
    return (weights[:, None, :] @ slope)[:, 0]


def _squares(weights: Array, slope: Array) -> Array:
    """The sum (B, P, P) of the slopes' outer products with weights (B, n)."""
    return (weights[..., None] * slope).swapaxes(1, 2) @ slope


@dataclass(frozen=True, eq=False)
class _OneWay(Batch):
    """The log likelihood of answers that were all given in one way."""

    predictor: _Predictor

    def __call__(self, at: Array) -> Evaluation:
        way = self.predictor(at)
        surprise = expit(-way.b)  # 1 - sigma(b), the derivative of log sigma(b)
        curvature = convex = _squares(surprise * expit(way.b), way.slope)
        if way.bend is not None:
            curvature = convex - way.bend(surprise)
        return Evaluation(log_expit(way.b).sum(-1), _pulled(surprise, way.slope), curvature, convex)

    def gradient(self, at: Array) -> Array:
        way = self.predictor(at)
        return _pulled(expit(-way.b), way.slope)


@dataclass(frozen=True, eq=False)
class _TwoWays(Batch):
    """The log likelihood of answers given in one of two ways; the last entry of ``at`` is the logit of alpha.

    The predictor has the answers twice, all in the first way and then all in the second.  It does not
    depend on the last entry, so its slopes end in a zero.
    """

    predictor: _Predictor

    def __call__(self, at: Array) -> Evaluation:
        way = self.predictor(at)
        n = way.b.shape[1] // 2
        logs, ways = log_expit(way.b), log_expit(at[:, -1:] * (-1.0, 1.0))  # of 1 - alpha and of alpha
        first, second = logs[:, :n] + ways[:, :1], logs[:, n:] + ways[:, 1:]
        value = np.logaddexp(first, second).sum(-1) + ways @ _PRIOR
        r = self._responsibilities(first, second)
        surprise = expit(-way.b)  # 1 - sigma(b), the derivative of log sigma(b)
        weight = r * surprise
        convex = _squares(weight * expit(way.b), way.slope)
        # Where the two ways pull in different directions the density of a mixture may curve upwards.
        # In the logit of alpha their pulls are 1 - alpha and -alpha.
        pull = surprise[..., None] * way.slope
        apart = pull[:, n:] - pull[:, :n]
        apart[..., -1] = 1.0
        curvature = convex - _squares(r[:, :n] * r[:, n:], apart)
        if way.bend is not None:
            curvature -= way.bend(weight)
        gradient = _pulled(weight, way.slope)
        gradient[:, -1], bend = self._in_logit(ways, r)
        curvature[:, -1, -1] += bend
        convex[:, -1, -1] += bend
        return Evaluation(value, gradient, curvature, convex)

    def gradient(self, at: Array) -> Array:
        way = self.predictor(at)
        n = way.b.shape[1] // 2
        logs, ways = log_expit(way.b), log_expit(at[:, -1:] * (-1.0, 1.0))
        r = self._responsibilities(logs[:, :n] + ways[:, :1], logs[:, n:] + ways[:, 1:])
        gradient = _pulled(r * expit(-way.b), way.slope)
        gradient[:, -1] = self._in_logit(ways, r)[0]
        return gradient

    @staticmethod
    def _responsibilities(first: Array, second: Array) -> Array:
        """(B, 2 n): for either way, the probability that the answer was given in it."""
        apart = second - first
        return np.concatenate([expit(-apart), expit(apart)], 1)

    @staticmethod
    def _in_logit(ways: Array, r: Array) -> tuple[Array, Array]:
        """The derivative in the logit of alpha, and minus the second one without the ways' pulls."""
        n = r.shape[1] // 2
        counts = n + sum(_PRIOR)
        alpha = np.exp(ways[:, 1])
        return r[:, n:].sum(-1) + _PRIOR[1] - counts * alpha, counts * alpha * (1.0 - alpha)
