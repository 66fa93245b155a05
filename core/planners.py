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

import numpy as np
from numpy.typing import NDArray

from core.likelihoods import Evidence
from core.rewards import log_odds
from core.settings import Settings
from core.teaching import look_ahead
from core.thompson import PriorDraws

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
    be impossible.  Every question number has its own draws, so their errors are not repeated from question to
    question.
    """
    rounds, questions = asked.shape
    odds, signs = log_odds(rewards), np.where(yes, 1.0, -1.0)
    X = np.broadcast_to(arms, (rounds, *arms.shape))
    naive = np.zeros((rounds, arms.shape[1]))
    planning = np.empty((rounds, questions))
    for question in range(questions):
        ahead = look_ahead(
            X,
            Evidence.without_plans(arms[asked[:, :question]], signs[:, :question]),
            arms[asked[:, question]],
            naive,
            PriorDraws.of(arms, settings.samples, settings.seed + question),
            settings,
            "converged",
        )
        planning[:, question] = settings.beta * ahead.advantage(odds)
        naive = ahead.naive[np.arange(rounds), yes[:, question].astype(np.intp)]
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
