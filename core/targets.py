"""A belief over targets: one of the arms is the target, and every answer says something about which.

For each target h, the teacher model gives the chance of a yes given the round so far,
and perhaps given something unknown about the teacher: the mixing weight alpha, or who the person is.  The
unknown z has a few values (a grid, with prior weights), so Bayes' theorem is a product and a sum:

    p(h, z | answers)  ~  p(h) p(z) prod over answers of p(answer | h, z, what came before),      p(h) = 1/T.

No approximation is made but that of the grid, and that of the planning teacher's look-ahead.  The
mixture's grid is exact for up to 62 answers: the product is a polynomial in alpha, which Gauss and Legendre's
rule integrates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch
from core.inference import Inference, Inferred, Memory
from core.people import People
from core.randomness import stream
from core.recall import NEVER, Recall
from core.rewards import RewardTable
from core.settings import Settings
from core.teachers import TargetQuestion
from core.teaching import Ahead

Array = NDArray[np.float64]

SURE = 1e-12  # no answer is impossible


def arms_of_targets(rewards: Array) -> NDArray[np.intp]:
    """The arm that each row of rewards (T, K) is about: the best one.

    Of equal ones in a square table, it is the row's own.
    """
    targets, arms = rewards.shape
    best = rewards.argmax(-1)
    if targets == arms:
        own = np.arange(targets)
        best = np.where(rewards[own, own] >= rewards.max(-1), own, best)
    return np.asarray(best)


@dataclass(frozen=True)
class TargetsBelief:
    """A probability for every target; an arm's value is its reward."""

    targets: Array  # (B, T)
    rewards: RewardTable

    @cached_property
    def means(self) -> Array:
        return self.rewards.mean(self.targets)

    @cached_property
    def spread(self) -> Array:
        squares = self.rewards.mean_square(self.targets)
        return np.sqrt(np.maximum(squares - self.means**2, 0.0))

    @property
    def scale(self) -> Array:
        return np.ones(len(self.targets))  # rewards are between 0 and 1

    def draw(self, seeds: Sequence[int], *names: str | int) -> Array:
        luck = np.stack([stream(seed, *names).uniform(1) for seed in seeds])
        below = (self.targets.cumsum(-1) < luck).sum(-1)
        return self.rewards.under(np.minimum(below, self.targets.shape[-1] - 1))


@dataclass(frozen=True, eq=False)
class TargetsMemory(Batch):
    """What a batch of learners keeps from one answer to the next."""

    log_weights: Array  # (B, T, ...), of every target and every value of the unknown, unnormalised
    recall: Recall
    imagined: Memory  # of the naive learner that planning teachers imagine


class OverTargets(Inference[TargetsMemory]):
    """A probability for every target.

    The rewards (B, T, K) are likenesses, of every arm under every target, for each learner or (B = 1) for all
    of them; ``odds`` are their log-odds, where they are known better than the clamped rewards.
    """

    def __init__(
        self,
        settings: Settings,
        rewards: Array,
        people: People,
        odds: Array | None = None,
        imagined_fit: str | None = None,
    ) -> None:
        super().__init__(settings, imagined_fit)
        self._people = people
        self._prior = self.model.unknown(people)
        self._targets = np.stack([arms_of_targets(table) for table in rewards])  # (B, T), arms
        self._rewards = RewardTable.of(rewards, odds)
        self._relevance: RewardTable | None = None  # the chance that each arm seems relevant to people
        if self.model.of_people:
            chances = [people.relevance(*one) for one in zip(rewards, self._targets, strict=True)]
            self._relevance = RewardTable(np.stack(chances))

    def blank(self, batch: int, dimension: int) -> TargetsMemory:
        targets, arms = self._rewards.targets, self._rewards.arms
        weights = np.broadcast_to(np.log(self._prior / targets), (batch, targets, *self._prior.shape))
        return TargetsMemory(weights, Recall.none(batch, arms), Memory.blank(batch, dimension))

    def imagined(self, memory: TargetsMemory) -> Memory:
        return memory.imagined

    def remember(
        self,
        memory: TargetsMemory,
        arms: Array,
        arm: NDArray[np.intp],
        answers: NDArray[np.intp],
        ahead: Ahead | None,
    ) -> TargetsMemory:
        chances = np.clip(self._chances(memory.recall, arm, ahead), SURE, 1 - SURE)
        yes = answers.reshape(-1, *[1] * (chances.ndim - 1)) == 1
        log_weights = memory.log_weights + np.log(np.where(yes, chances, 1 - chances))
        imagined = memory.imagined if ahead is None else memory.imagined.after(arms, arm, answers, ahead)
        return TargetsMemory(log_weights, memory.recall.after(arm, answers), imagined)

    def _chances(self, recall: Recall, arm: NDArray[np.intp], ahead: Ahead | None) -> Array:
        """The chance of a yes to ``arm`` (B,) under every target and value of the unknown, (B, T, ...)."""
        targets = np.broadcast_to(self._targets, (len(arm), self._targets.shape[1]))
        question = TargetQuestion(
            number=recall.answers + 1,
            rewards=self._rewards.about(arm),
            is_target=targets == arm[:, None],
            last=recall.last[np.arange(len(arm)), arm],
            found=np.take_along_axis(recall.last, targets, 1) != NEVER,
            relevance=None if self._relevance is None else self._relevance.about(arm),
            advantage=ahead.advantages(self._rewards) if self.model.plans and ahead is not None else None,
            beta=self.settings.beta,
            people=self._people,
        )
        return self.model.chances(question)

    def inferred(self, memory: TargetsMemory, arms: Array) -> tuple[Inferred, TargetsMemory]:  # noqa: ARG002
        log_weights = memory.log_weights
        everything = tuple(range(1, log_weights.ndim))
        top = log_weights.max(axis=everything, keepdims=True)
        weights = np.exp(log_weights - top)
        total = weights.sum(axis=everything)
        weights /= total.reshape(-1, *[1] * (weights.ndim - 1))
        targets = weights.sum(axis=everything[1:])
        inferred = Inferred(
            belief=TargetsBelief(targets, self._rewards),
            posterior=None,
            targets=targets,
            alpha=self.model.mean_alpha(weights.sum(axis=1)),
            converged=np.ones(len(targets), dtype=bool),
            log_density=top.reshape(-1) + np.log(total),
        )
        return inferred, memory
