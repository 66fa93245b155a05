"""Which arm to ask about next.

    bayes-ucb   the largest 1 - 1/t quantile of x'theta, t = 2, 3, ... being the question's number
    thompson    the best arm of one draw of theta from the posterior
    greedy      the best arm of the posterior mean

A rule gives every arm a score.  Scores that differ by rounding only are a tie, and ties are
broken by seeded noise, so that the same question is asked on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri
from torch import Tensor

from core.posterior import Posterior
from core.randomness import stream

__all__ = ["SELECTIONS", "TIE", "Choice", "choose"]

TIE = 1e-9  # scores closer than this are equal, on the scale of their size and spread


@dataclass(frozen=True, eq=False)
class Choice:
    """The arm chosen, by how much its score beats every other's (0 for a tie), and all scores."""

    arm: int
    gap: float
    scores: NDArray[np.float64]  # (K,)


@dataclass(frozen=True)
class _Asking:
    """All that a rule may look at."""

    posterior: Posterior
    arms: Tensor  # (B, K, M)
    spread: Tensor  # (B, K), the standard deviation of x'theta
    question: int
    seeds: Sequence[int]


def _bayes_ucb(asking: _Asking) -> Tensor:
    return _greedy(asking) + float(ndtri(1.0 - 1.0 / asking.question)) * asking.spread


def _thompson(asking: _Asking) -> Tensor:
    posterior = asking.posterior
    width = posterior.factor.shape[-1]
    draws = np.stack([stream(seed, "thompson", asking.question).normal(width) for seed in asking.seeds])
    theta = posterior.mean + (posterior.factor @ torch.from_numpy(draws).unsqueeze(-1)).squeeze(-1)
    return (asking.arms @ theta.unsqueeze(-1)).squeeze(-1)


def _greedy(asking: _Asking) -> Tensor:
    return (asking.arms @ asking.posterior.mean.unsqueeze(-1)).squeeze(-1)


SELECTIONS: dict[str, Callable[[_Asking], Tensor]] = {
    "bayes-ucb": _bayes_ucb,
    "thompson": _thompson,
    "greedy": _greedy,
}


def choose(
    rule: str, posterior: Posterior, arms: Tensor, question: int, seeds: Sequence[int]
) -> tuple[Choice, ...]:
    """Choose question number ``question`` for each element of a batch; arms (B, K, M), B seeds."""
    if question < 2:
        raise ValueError("the first question of a round is drawn, not chosen")
    spread = (arms @ posterior.factor).square().sum(-1).sqrt()
    scores = SELECTIONS[rule](_Asking(posterior, arms, spread, question, seeds))
    top = scores.topk(2, -1).values
    ties = TIE * (spread.amax(-1) + scores.abs().amax(-1))
    choices = []
    for row, (best, second), tie, seed in zip(scores, top.tolist(), ties.tolist(), seeds, strict=True):
        if best - second > tie:
            choices.append(Choice(int(row.argmax()), best - second, row.numpy()))
        else:
            tied = torch.nonzero(row >= best - tie).flatten().numpy()
            noise = stream(seed, "tie", question).uniform(len(row))
            choices.append(Choice(int(tied[np.argmax(noise[tied])]), 0.0, row.numpy()))
    return tuple(choices)
