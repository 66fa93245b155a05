"""Selection rules: which arm to ask about next.

    bayes-ucb   the largest 1 - 1/t quantile of x'theta, where t = 2, 3, ... is the question's number
    thompson    the best arm under one draw of theta from the posterior
    greedy      the best arm under the posterior mean

Each rule is one class that scores every arm; ``core.choice`` picks the best score and breaks ties.  This
module does not load torch, because a study file is checked before torch is needed.

To add a rule, write one such class here and add it to ``SELECTIONS``.  core/README.md has a complete
example, and the contract tests (tests/core/test_contracts.py) run on every rule that is added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.kinds import Kinds
from core.randomness import stream

if TYPE_CHECKING:
    from torch import Tensor

    from core.posterior import Posterior

__all__ = ["SELECTIONS", "Asking", "BayesUCB", "Greedy", "SelectionRule", "Thompson"]


@dataclass(frozen=True)
class Asking:
    """Everything that a rule may look at, for a batch of learners."""

    posterior: Posterior
    arms: Tensor  # (B, K, M)
    spread: Tensor  # (B, K), the standard deviation of x'theta
    question: int  # its number in the round; the first that a rule chooses is 2
    seeds: Sequence[int]  # (B,), one per learner: draw from stream(seed, name of the rule, question)

    @property
    def means(self) -> Tensor:
        """(B, K), the posterior mean of x'theta."""
        return (self.arms @ self.posterior.mean.unsqueeze(-1)).squeeze(-1)


class SelectionRule(ABC):
    """How a learner chooses its next question: a score for every arm."""

    name: str  # as users write it
    sentence: str  # for a report, after "The learner": "asks about the arm with the highest mean"

    @abstractmethod
    def scores(self, asking: Asking) -> Tensor:
        """(B, K), a score for every arm; the arm with the highest score is asked about."""


SELECTIONS: Kinds[SelectionRule] = Kinds("selection rule")


class BayesUCB(SelectionRule):
    """Favours uncertain arms more with every question: the upper quantile 1 - 1/t."""

    name = "bayes-ucb"
    sentence = "asks about the arm with the highest upper quantile (1 - 1/t at question t)"

    def scores(self, asking: Asking) -> Tensor:
        from scipy.special import ndtri

        return asking.means + float(ndtri(1.0 - 1.0 / asking.question)) * asking.spread


SELECTIONS.add(BayesUCB())


class Thompson(SelectionRule):
    """Asks about each arm as often as that arm is likely to be the best one."""

    name = "thompson"
    sentence = "asks about the best arm under one draw from its posterior"

    def scores(self, asking: Asking) -> Tensor:
        import torch

        posterior = asking.posterior
        width = posterior.factor.shape[-1]
        draws = np.stack([stream(seed, "thompson", asking.question).normal(width) for seed in asking.seeds])
        theta = posterior.mean + (posterior.factor @ torch.from_numpy(draws).unsqueeze(-1)).squeeze(-1)
        return (asking.arms @ theta.unsqueeze(-1)).squeeze(-1)


SELECTIONS.add(Thompson())


class Greedy(SelectionRule):
    """Never explores."""

    name = "greedy"
    sentence = "asks about the arm with the highest posterior mean"

    def scores(self, asking: Asking) -> Tensor:
        return asking.means


SELECTIONS.add(Greedy())
