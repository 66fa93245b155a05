"""Selection rules: which arm to ask about next.

    bayes-ucb       the largest 1 - 1/t quantile of the arm's value, with t = 2, 3, ... the question's number
    thompson        the best arm under one draw from the belief
    greedy          the arm with the highest expected value
    explore-first   as thompson up to question 6, then greedy

An arm's value is x'theta for a belief over weights, and its reward for a belief over targets.
Each rule is one class that scores every arm; the arm with the highest score is asked about.  Scores that
differ only by rounding are a tie.  Ties are broken by seeded noise, so the same question is asked on every
machine.  This module does not load SciPy, because a study file is checked before SciPy is needed.

To add a rule, write one such class here and add it to ``SELECTIONS``.  core/README.md has a complete
example, and the contract tests (tests/core/test_contracts.py) run on every rule that is added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.kinds import Kinds
from core.randomness import stream

if TYPE_CHECKING:
    from core.inference import Belief

Array = NDArray[np.float64]

EXPLORING = 6  # the last question that explore-first draws for
TIE = 1e-9  # scores closer than this are equal, relative to their size and spread


@dataclass(frozen=True)
class Asking:
    """Everything that a rule may look at, for a batch of learners."""

    belief: Belief
    question: int  # its number in the round; the first that a rule chooses is 2
    seeds: Sequence[int]  # (B,), one per learner: draw from stream(seed, name of the rule, question)

    @property
    def means(self) -> Array:
        """(B, K), the expected value of every arm."""
        return self.belief.means

    @property
    def spread(self) -> Array:
        """(B, K), its standard deviation."""
        return self.belief.spread


class SelectionRule(ABC):
    """How a learner chooses its next question: a score for every arm."""

    name: str  # as users write it
    sentence: str  # for a report, after "The learner": "asks about the arm with the highest mean"
    draws: bool = True  # does it use the seeds?  If not, its questions follow from the belief alone

    @abstractmethod
    def scores(self, asking: Asking) -> Array:
        """(B, K), a score for every arm; the arm with the highest score is asked about."""


SELECTIONS: Kinds[SelectionRule] = Kinds("selection rule")


class BayesUCB(SelectionRule):
    """Favours uncertain arms more with every question: the upper quantile 1 - 1/t.

    A belief over weights is normal, so its quantile is exact.  For a belief over targets, it is that of a
    normal distribution with the same mean and standard deviation.
    """

    name = "bayes-ucb"
    sentence = "asks about the arm with the highest upper quantile (1 - 1/t at question t)"
    draws = False

    def scores(self, asking: Asking) -> Array:
        from scipy.special import ndtri

        return asking.means + float(ndtri(1.0 - 1.0 / asking.question)) * asking.spread


SELECTIONS.add(BayesUCB())


class Thompson(SelectionRule):
    """Asks about each arm as often as that arm is likely to be the best one."""

    name = "thompson"
    sentence = "asks about the best arm under one draw from its belief"

    def scores(self, asking: Asking) -> Array:
        return asking.belief.draw(asking.seeds, self.name, asking.question)


SELECTIONS.add(Thompson())


class Greedy(SelectionRule):
    """Never explores."""

    name = "greedy"
    sentence = "asks about the arm with the highest expected value"
    draws = False

    def scores(self, asking: Asking) -> Array:
        return asking.means


SELECTIONS.add(Greedy())


class ExploreFirst(SelectionRule):
    """Explores like Thompson sampling at the beginning of a round, then asks about the best arm.

    The greedy rule earns the most from people, but it finds fewer targets with a teacher who says yes to a
    similar word again and again, as a planning teacher does.  A few draws from the belief prevent that.
    """

    name = "explore-first"
    sentence = (
        f"asks about the best arm under a draw from its belief up to question {EXPLORING}, then greedily"
    )

    def scores(self, asking: Asking) -> Array:
        if asking.question <= EXPLORING:
            return asking.belief.draw(asking.seeds, self.name, asking.question)
        return asking.means


SELECTIONS.add(ExploreFirst())


# The next question


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen arm and how clearly it won."""

    arm: int
    gap: float  # by how much its score beats every other score; 0 for a tie
    scores: NDArray[np.float64]  # (K,)


def choose(rule: str, belief: Belief, question: int, seeds: Sequence[int]) -> tuple[Choice, ...]:
    """Choose question number ``question`` for each element of a batch with B seeds."""
    if question < 2:
        raise ValueError("the first question of a round is drawn, not chosen")
    scores = SELECTIONS[rule].scores(Asking(belief, question, seeds))
    top = np.partition(scores, -2, axis=-1)[:, -2:]
    ties = TIE * (belief.scale + np.abs(scores).max(-1))
    choices = []
    for row, (second, best), tie, seed in zip(scores, top.tolist(), ties.tolist(), seeds, strict=True):
        if best - second > tie:
            choices.append(Choice(int(row.argmax()), best - second, row))
        else:
            tied = np.flatnonzero(row >= best - tie)
            noise = stream(seed, "tie", question).uniform(len(row))
            choices.append(Choice(int(tied[np.argmax(noise[tied])]), 0.0, row))
    return tuple(choices)
