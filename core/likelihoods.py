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
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import logsigmoid, pad

from core.evidence import Evidence
from core.laplace import Density, Evaluation

__all__ = ["mixture", "naive", "planning"]


# The prior of alpha, Beta(a, b), as counts: b earlier answers in the first way, a in the second.
_PRIOR = (1.0, 1.0)
_PRIOR_COUNTS = torch.tensor(_PRIOR, dtype=torch.float64)
_SIDES = torch.tensor([-1.0, 1.0], dtype=torch.float64)  # log(1 - alpha) = log sigma(-lambda)


def naive(evidence: Evidence) -> Density:
    """The log likelihood of answers that pass on the reward."""
    return _OneWay(_by_reward(evidence))


def planning(evidence: Evidence, beta: float, kappa: float) -> Density:
    """The log likelihood of answers that steer the imagined learner."""
    return _OneWay(_by_plan(evidence, beta, kappa))


def mixture(evidence: Evidence, beta: float, kappa: float) -> Density:
    """The log likelihood of answers given in either way; the logit of alpha is the last parameter."""
    padded = Evidence(pad(evidence.features, (0, 1)), evidence.signs, pad(evidence.sums, (0, 1)))
    return _TwoWays(_side_by_side(_by_reward(padded), _by_plan(padded, beta, kappa)))


# Predictors: b of log sigma(b)


class _Predicted(NamedTuple):
    """The predictor b of every answer at some point; the log likelihood of an answer is log sigma(b)."""

    b: Tensor  # (B, n)
    slope: Tensor  # (B, n, P), the derivative of b
    bend: Tensor | None  # (B, n, P, P), its second derivative; None where b is linear


class _Predictor(Protocol):
    def __call__(self, at: Tensor, /) -> _Predicted: ...

    def only(self, rows: Tensor, /) -> _Predictor: ...


@dataclass(frozen=True)
class _Linear:
    slope: Tensor  # (B, n, P)

    def __call__(self, at: Tensor) -> _Predicted:
        return _Predicted((self.slope @ at.unsqueeze(-1)).squeeze(-1), self.slope, None)

    def only(self, rows: Tensor) -> _Linear:
        return _Linear(self.slope[rows])


@dataclass(frozen=True)
class _DifferenceOfMaxima:
    sums: Tensor  # (B, n, 2, J, P)
    signs: Tensor  # (B, n), times beta
    kappa: float

    def __call__(self, at: Tensor) -> _Predicted:
        returns = (self.sums @ at[:, None, None, :, None]).squeeze(-1)  # (B, n, 2, J)
        if math.isinf(self.kappa):
            best = returns.amax(-1, keepdim=True)
            share = (returns == best).to(returns.dtype)
            share = share / share.sum(-1, keepdim=True)
            value = best.squeeze(-1)
        else:
            share = torch.softmax(self.kappa * returns, -1)
            value = torch.logsumexp(self.kappa * returns, -1) / self.kappa
        mean = (share.unsqueeze(-2) @ self.sums).squeeze(-2)  # (B, n, 2, P)
        bend = None
        if not math.isinf(self.kappa):
            spread = self.sums - mean.unsqueeze(-2)
            bends = self.kappa * ((share.unsqueeze(-1) * spread).mT @ spread)
            bend = self.signs[..., None, None] * (bends[:, :, 1] - bends[:, :, 0])
        slope = self.signs.unsqueeze(-1) * (mean[:, :, 1] - mean[:, :, 0])
        return _Predicted(self.signs * (value[..., 1] - value[..., 0]), slope, bend)

    def only(self, rows: Tensor) -> _DifferenceOfMaxima:
        return _DifferenceOfMaxima(self.sums[rows], self.signs[rows], self.kappa)


def _by_reward(evidence: Evidence) -> _Predictor:
    return _Linear(evidence.signs.unsqueeze(-1) * evidence.features)


def _by_plan(evidence: Evidence, beta: float, kappa: float) -> _Predictor:
    signs = beta * evidence.signs
    if evidence.sums.shape[3] == 1:
        return _Linear(signs.unsqueeze(-1) * (evidence.sums[:, :, 1, 0] - evidence.sums[:, :, 0, 0]))
    return _DifferenceOfMaxima(evidence.sums, signs, kappa)


def _bend(way: _Predicted) -> Tensor:
    return way.slope.new_zeros(*way.slope.shape, way.slope.shape[-1]) if way.bend is None else way.bend


@dataclass(frozen=True)
class _Both:
    """The answers twice: all in the first way, then all in the second."""

    first: _Predictor
    second: _Predictor

    def __call__(self, at: Tensor) -> _Predicted:
        one, other = self.first(at), self.second(at)
        bend = None if one.bend is None and other.bend is None else torch.cat([_bend(one), _bend(other)], 1)
        return _Predicted(torch.cat([one.b, other.b], 1), torch.cat([one.slope, other.slope], 1), bend)

    def only(self, rows: Tensor) -> _Both:
        return _Both(self.first.only(rows), self.second.only(rows))


def _side_by_side(first: _Predictor, second: _Predictor) -> _Predictor:
    if isinstance(first, _Linear) and isinstance(second, _Linear):
        return _Linear(torch.cat([first.slope, second.slope], 1))
    return _Both(first, second)


# Densities


@dataclass(frozen=True)
class _OneWay:
    """The log likelihood of answers that were all given in one way."""

    predictor: _Predictor

    def __call__(self, at: Tensor) -> Evaluation:
        way = self.predictor(at)
        surprise = torch.sigmoid(-way.b)  # 1 - sigma(b), the derivative of log sigma(b)
        pull = surprise.unsqueeze(-1) * way.slope
        curvature = convex = (torch.sigmoid(way.b).unsqueeze(-1) * pull).mT @ way.slope
        if way.bend is not None:
            curvature = convex - (surprise[..., None, None] * way.bend).sum(1)
        return Evaluation(logsigmoid(way.b).sum(-1), pull.sum(1), curvature, convex)

    def gradient(self, at: Tensor) -> Tensor:
        way = self.predictor(at)
        return (torch.sigmoid(-way.b).unsqueeze(-2) @ way.slope).squeeze(-2)

    def only(self, rows: Tensor) -> _OneWay:
        return _OneWay(self.predictor.only(rows))


@dataclass(frozen=True)
class _TwoWays:
    """The log likelihood of answers given in one of two ways; the last entry of ``at`` is the logit of alpha.

    The predictor has the answers twice, all in the first way and then all in the second.  It does not
    depend on the last entry, so its slopes end in a zero.
    """

    predictor: _Predictor

    def __call__(self, at: Tensor) -> Evaluation:
        way = self.predictor(at)
        choosing, logs = self._logs(at, way.b)
        n = logs.shape[2]
        first, second = logs.unbind(1)
        value = torch.logaddexp(first, second).sum(-1) + choosing @ _PRIOR_COUNTS
        r = torch.softmax(logs, 1)  # (B, 2, n), the probability that the answer was given in each way
        weight = r.view(len(at), 2 * n, 1)
        surprise = torch.sigmoid(-way.b).unsqueeze(-1)  # 1 - sigma(b), the derivative of log sigma(b)
        pull = surprise * way.slope
        weighted = weight * pull
        convex = (torch.sigmoid(way.b).unsqueeze(-1) * weighted).mT @ way.slope
        # Where the two ways pull in different directions the density of a mixture may curve upwards.
        # In the logit of alpha their pulls are 1 - alpha and -alpha.
        apart = pull[:, n:] - pull[:, :n]
        apart[..., -1] = 1.0
        curvature = torch.baddbmm(convex, (r.prod(1).unsqueeze(-1) * apart).mT, apart, alpha=-1.0)
        if way.bend is not None:
            curvature = curvature - ((weight * surprise).unsqueeze(-1) * way.bend).sum(1)
        gradient = weighted.sum(1)
        in_logit, bend = self._in_logit(choosing, r)
        gradient.numpy()[:, -1] = in_logit
        curvature.numpy()[:, -1, -1] += bend
        convex.numpy()[:, -1, -1] += bend
        return Evaluation(value, gradient, curvature, convex)

    def gradient(self, at: Tensor) -> Tensor:
        way = self.predictor(at)
        choosing, logs = self._logs(at, way.b)
        r = torch.softmax(logs, 1)
        gradient = ((r.view_as(way.b) * torch.sigmoid(-way.b)).unsqueeze(-2) @ way.slope).squeeze(-2)
        gradient.numpy()[:, -1] = self._in_logit(choosing, r)[0]
        return gradient

    def only(self, rows: Tensor) -> _TwoWays:
        return _TwoWays(self.predictor.only(rows))

    @staticmethod
    def _in_logit(choosing: Tensor, r: Tensor) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The derivative in the logit of alpha, and minus the second one without the ways' pulls.

        These are two numbers per element.  NumPy is used because its calls start faster than torch's.
        """
        counts = r.shape[2] + sum(_PRIOR)
        alpha = np.exp(choosing.numpy()[:, 1])
        return r.numpy()[:, 1].sum(-1) + _PRIOR[1] - counts * alpha, counts * alpha * (1.0 - alpha)

    @staticmethod
    def _logs(at: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """log(1 - alpha) and log(alpha), then the log probability of each way together with its answer."""
        choosing = logsigmoid(at[:, -1:] * _SIDES)
        return choosing, logsigmoid(b).view(len(b), 2, -1) + choosing.unsqueeze(-1)
