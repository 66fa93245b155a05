"""How much a person plans: the posterior of alpha when the target is known.

In the learner's mixture model an answer is a planning teacher's with probability alpha and a naive
teacher's otherwise (section 3.3).  The learner has to guess the target and alpha from fifteen answers.  An
analysis knows the target, hence theta, so over all answers y of a person

    p(alpha | answers)  ~  prod [ alpha p_planning(y) + (1 - alpha) p_naive(y) ]

under the same prior, Beta(1, 1).  This is a density on a line, computed on a grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from core.evidence import Evidence
from core.settings import Settings
from core.teaching import look_ahead
from core.thompson import thompson_points

__all__ = ["AlphaPosterior", "alpha_posterior", "planning_chances"]

GRID = np.linspace(0.0, 1.0, 201)


@dataclass(frozen=True)
class AlphaPosterior:
    """The posterior of alpha: its mean and its 95 % interval."""

    mean: float
    low: float
    high: float


@torch.inference_mode()
def planning_chances(
    arms: NDArray[np.float64],  # (K, M)
    rewards: NDArray[np.float64],  # (R, K), strictly between 0 and 1, for the target of each round
    asked: NDArray[np.intp],  # (R, Q), the arm of every question
    yes: NDArray[np.bool_],  # (R, Q), its answer
    settings: Settings,
) -> NDArray[np.float64]:
    """The chance (R, Q) that a planning teacher who knows the rewards says yes to each question.

    Every question number has its own Thompson points, so their errors are not repeated from question to
    question.
    """
    rounds, questions = asked.shape
    K, M = arms.shape
    X = torch.tensor(arms)
    odds = np.log(rewards / (1 - rewards))
    theta = torch.tensor(np.linalg.lstsq(arms, odds.T, rcond=None)[0].T)
    signs = torch.tensor(np.where(yes, 1.0, -1.0))
    naive = torch.zeros(rounds, M, dtype=torch.float64)
    chances = np.empty((rounds, questions))
    for question in range(questions):
        features = X[torch.tensor(asked[:, :question])]
        ahead = look_ahead(
            X.expand(rounds, -1, -1),
            Evidence.without_plans(features, signs[:, :question]),
            X[torch.tensor(asked[:, question])],
            naive,
            _points(K, M, settings.samples, settings.seed + question),
            tau=settings.tau,
            horizon=settings.horizon,
            gamma=settings.gamma,
            fit="converged",
        )
        chances[:, question] = torch.sigmoid(settings.beta * ahead.advantage(theta)).numpy()
        naive = ahead.naive[torch.arange(rounds), torch.tensor(yes[:, question].astype(int))]
    return chances


_points = lru_cache(maxsize=64)(thompson_points)  # the same for every participant


def alpha_posterior(
    yes: NDArray[np.bool_], planning: NDArray[np.float64], naive: NDArray[np.float64]
) -> AlphaPosterior:
    """The posterior of alpha from answers and the chance of a yes under either teacher, all (N,)."""
    by_planning = np.where(yes, planning, 1 - planning)
    by_naive = np.where(yes, naive, 1 - naive)
    mixed = GRID[:, None] * by_planning + (1 - GRID[:, None]) * by_naive
    log_density = np.log(np.maximum(mixed, 1e-300)).sum(-1)
    weights = np.exp(log_density - log_density.max())
    weights[[0, -1]] /= 2  # the trapezoidal rule
    weights /= weights.sum()
    below = np.cumsum(weights) - weights / 2
    return AlphaPosterior(
        mean=float(weights @ GRID),
        low=float(np.interp(0.025, below, GRID)),
        high=float(np.interp(0.975, below, GRID)),
    )
