"""The paper's two teachers compared on a person's answers, when the target is known.

In the learner's mixture model an answer is a planning teacher's with probability alpha and a naive
teacher's otherwise (section 3.3).  The learner has to guess the target and alpha from fifteen answers.  An
analysis knows the target, hence theta, so over all answers y of a person

    p(alpha | answers)  ~  prod [ alpha p_planning(y) + (1 - alpha) p_naive(y) ]

under the same prior, Beta(1, 1).  This is a density on a line, computed on a grid.

Alpha compares these two teachers and no others.  It says what share of the answers fits this planning
teacher, with its beta, better than the naive one; it does not say what share was planned.  Answers like
neither teacher's give an alpha between 0 and 1 as well.  Whether a teacher describes a person at all, the
log-likelihood of the answers under that teacher tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core import one_step
from core.rewards import weights
from core.settings import Settings

__all__ = ["AlphaPosterior", "alpha_posterior", "log_likelihood", "planning_odds"]

GRID = np.linspace(0.0, 1.0, 201)


@dataclass(frozen=True)
class AlphaPosterior:
    """The posterior of alpha: its mean, its 95 % interval, and the alpha of the largest likelihood."""

    mean: float
    low: float
    high: float
    best: float


def planning_odds(
    arms: NDArray[np.float64],  # (K, M)
    rewards: NDArray[np.float64],  # (R, K), strictly between 0 and 1, for the target of each round
    asked: NDArray[np.intp],  # (R, Q), the arm of every question
    yes: NDArray[np.bool_],  # (R, Q), its answer
    settings: Settings,
) -> NDArray[np.float64]:
    """The log-odds (R, Q) of a yes to each question from a planning teacher who knows the rewards.

    They are log-odds because a chance of almost 1 would be rounded to 1, and then an unexpected answer would
    be impossible.  Every question number has its own Thompson points, so their errors are not repeated from
    question to question.  With a horizon of one question and no more arms than features, as in every study
    of words, torch isn't loaded.
    """
    K, M = arms.shape
    theta = weights(arms, rewards)
    if settings.horizon == 1 and K <= M:
        points = [_points(K, settings.samples, settings.seed + q) for q in range(asked.shape[1])]
        prior = settings.tau**2 * arms @ arms.T
        return settings.beta * one_step.advantages(prior, theta @ arms.T, asked, yes, points)
    return _further_ahead(arms, theta, asked, yes, settings)


@lru_cache(maxsize=64)  # the same for every participant
def _points(dimension: int, samples: int, seed: int) -> NDArray[np.float64]:
    return one_step.normal_points(samples, dimension, seed)


def _further_ahead(
    arms: NDArray[np.float64],
    thetas: NDArray[np.float64],
    asked: NDArray[np.intp],
    yes: NDArray[np.bool_],
    settings: Settings,
) -> NDArray[np.float64]:
    """The same for any horizon and any arms."""
    import torch

    from core.evidence import Evidence
    from core.teaching import look_ahead
    from core.thompson import PriorDraws

    rounds, questions = asked.shape
    M = arms.shape[1]
    planning = np.empty((rounds, questions))
    with torch.inference_mode():
        X, theta = torch.tensor(arms), torch.tensor(thetas)
        signs = torch.tensor(np.where(yes, 1.0, -1.0))
        naive = torch.zeros(rounds, M, dtype=torch.float64)
        for question in range(questions):
            features = X[torch.tensor(asked[:, :question])]
            ahead = look_ahead(
                X.expand(rounds, -1, -1),
                Evidence.without_plans(features, signs[:, :question]),
                X[torch.tensor(asked[:, question])],
                naive,
                PriorDraws.of(X, settings.samples, settings.seed + question),
                tau=settings.tau,
                horizon=settings.horizon,
                gamma=settings.gamma,
                fit="converged",
            )
            planning[:, question] = (settings.beta * ahead.advantage(theta)).numpy()
            naive = ahead.naive[torch.arange(rounds), torch.tensor(yes[:, question].astype(int))]
    return planning


def log_likelihood(yes: NDArray[np.bool_], odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """log p(answer) under a teacher with these log-odds of a yes; any shape."""
    return np.asarray(-np.logaddexp(0.0, np.where(yes, -odds, odds)))


def alpha_posterior(planning: NDArray[np.float64], naive: NDArray[np.float64]) -> AlphaPosterior:
    """The posterior of alpha from the log-likelihood of every answer under either teacher, both (N,)."""
    with np.errstate(divide="ignore"):
        weights = np.log(GRID), np.log(1 - GRID)
    mixed = np.logaddexp(weights[0][:, None] + planning, weights[1][:, None] + naive)
    log_density = mixed.sum(-1)
    best = float(GRID[log_density.argmax()])
    density = np.exp(log_density - log_density.max())
    density[[0, -1]] /= 2  # the trapezoidal rule
    density /= density.sum()
    below = np.cumsum(density) - density / 2
    return AlphaPosterior(
        mean=float(density @ GRID),
        low=float(np.interp(0.025, below, GRID)),
        high=float(np.interp(0.975, below, GRID)),
        best=best,
    )
