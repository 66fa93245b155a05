"""A teacher model, a selection rule and a simulated teacher that only tests know.

Tests add them for a while (``with TEACHERS.also(Stubborn()):``) to prove that a new kind is one class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.randomness import stream
from core.selection import Asking, SelectionRule
from core.simulated import PosedQuestion, SimulatedKind
from core.teachers import TargetQuestion, TeacherModel

if TYPE_CHECKING:
    from core.laplace import Density, Evaluation
    from core.likelihoods import Evidence
    from core.people import People

__all__ = ["Coin", "Contrary", "Stubborn"]

Array = NDArray[np.float64]


class Stubborn(TeacherModel):
    """Naive, with every answer counted at half its weight (or, for targets, half of them given at random)."""

    name = "stubborn"
    letter = "S"
    sentence = "takes every answer for half an answer"
    plans = False
    has_alpha = False
    beliefs = ("weights", "targets")

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:  # noqa: ARG002
        from core.likelihoods import naive

        return Weighted(naive(evidence), 0.5)

    def unknown(self, people: People) -> Array:  # noqa: ARG002
        return np.array([0.5, 0.5])

    def chances(self, question: TargetQuestion) -> Array:
        return np.stack([question.rewards, np.full_like(question.rewards, 0.5)], -1)


@dataclass(frozen=True)
class Weighted:
    """A log density times a number."""

    density: Density
    weight: float

    def __call__(self, at: Array) -> Evaluation:
        from core.laplace import Evaluation

        return Evaluation(*(self.weight * part for part in self.density(at)))

    def gradient(self, at: Array) -> Array:
        return self.weight * self.density.gradient(at)

    def only(self, rows: NDArray[np.intp]) -> Weighted:
        return Weighted(self.density.only(rows), self.weight)


class Coin(SelectionRule):
    """Asks about any arm."""

    name = "coin"
    sentence = "asks about an arm at random"

    def scores(self, asking: Asking) -> Array:
        K = asking.means.shape[1]
        return np.stack([stream(seed, self.name, asking.question).uniform(K) for seed in asking.seeds])


class Contrary(SimulatedKind):
    """Says the opposite of what a naive teacher says."""

    name = "contrary"
    letter = "C"
    sentence = "says no with a probability equal to the reward"

    def chances(self, question: PosedQuestion) -> Array:
        return 1.0 - question.rewards
