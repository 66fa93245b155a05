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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.people import People
from core.recall import NEVER, Recall
from core.reward_tables import Table
from core.teachers import TargetQuestion, TeacherModel

if TYPE_CHECKING:
    from core.inference import Memory

__all__ = ["Hypotheses", "TargetsInference", "TargetsMemory", "TargetsPosterior", "arms_of_targets"]

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


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The possible targets of a batch of learners, or (B = 1) of all of them."""

    rewards: Table
    targets: NDArray[np.intp]  # (B, T), arms
    relevance: Table | None  # the chance that each arm seems relevant, for a model of people

    @staticmethod
    def of(rewards: Array, people: People | None, odds: Array | None = None) -> Hypotheses:
        """From likenesses (B, T, K), and perhaps their log-odds; ``people`` if the model is one of people."""
        targets = np.stack([arms_of_targets(table) for table in rewards])
        relevance = None
        if people is not None:
            chances = [people.relevance(*one) for one in zip(rewards, targets, strict=True)]
            relevance = Table(np.stack(chances))
        return Hypotheses(Table.of(rewards, odds), targets, relevance)


@dataclass(frozen=True, eq=False)
class TargetsMemory:
    """What a batch of learners keeps from one answer to the next."""

    log_weights: Array  # (B, T, ...), of every target and every value of the unknown, unnormalised
    recall: Recall
    planner: Memory | None  # of the naive learner that planning teachers imagine; None where there are none

    @staticmethod
    def together(parts: Sequence[TargetsMemory]) -> TargetsMemory:
        """One batch of several, all with equally many answers."""
        planners = [part.planner for part in parts if part.planner is not None]
        return TargetsMemory(
            np.concatenate([part.log_weights for part in parts]),
            Recall.together([part.recall for part in parts]),
            planners[0].together(planners) if planners else None,
        )

    def repeat(self, times: int) -> TargetsMemory:
        """Each element of the batch ``times`` times, side by side."""
        planner = None if self.planner is None else self.planner.repeat(times)
        return TargetsMemory(self.log_weights.repeat(times, axis=0), self.recall.repeat(times), planner)

    def only(self, i: int) -> TargetsMemory:
        """Element i, as a batch of one."""
        planner = None if self.planner is None else self.planner.only(i)
        return TargetsMemory(self.log_weights[i : i + 1], self.recall.only(i), planner)


@dataclass(frozen=True, eq=False)
class TargetsPosterior:
    """The probabilities of all targets, for a batch of learners."""

    targets: Array  # (B, T)
    alpha: Array | None  # (B,), the mean of alpha, where the model has one
    log_evidence: Array  # (B,), the log probability of all answers


class TargetsInference:
    """What learners with this teacher model infer about the target."""

    def __init__(self, model: TeacherModel, hypotheses: Hypotheses, beta: float, people: People) -> None:
        self.model = model
        self.hypotheses = hypotheses
        self._beta = beta
        self._people = people
        self._prior = model.unknown(people)

    def blank(self, batch: int, planner: Memory | None = None) -> TargetsMemory:
        """The memory before any answer."""
        targets, arms = self.hypotheses.rewards.targets, self.hypotheses.rewards.arms
        weights = np.broadcast_to(np.log(self._prior / targets), (batch, targets, *self._prior.shape))
        return TargetsMemory(weights, Recall.none(batch, arms), planner)

    def remember(
        self,
        memory: TargetsMemory,
        arm: NDArray[np.intp],  # (B,)
        answers: NDArray[np.intp],  # (B,), 0 or 1
        advantage: Array | None,  # (B, T): Q*(1) - Q*(0) for each target, where the model plans
    ) -> TargetsMemory:
        """The memory with these answers added."""
        chances = np.clip(self.chances(memory, arm, advantage), SURE, 1 - SURE)
        yes = answers.reshape(-1, *[1] * (chances.ndim - 1)) == 1
        log_weights = memory.log_weights + np.log(np.where(yes, chances, 1 - chances))
        return replace(memory, log_weights=log_weights, recall=memory.recall.after(arm, answers))

    def chances(self, memory: TargetsMemory, arm: NDArray[np.intp], advantage: Array | None) -> Array:
        """The chance of a yes to ``arm`` (B,) under every target and value of the unknown, (B, T, ...)."""
        hypotheses, recall = self.hypotheses, memory.recall
        targets = np.broadcast_to(hypotheses.targets, (len(arm), hypotheses.targets.shape[1]))
        question = TargetQuestion(
            number=recall.answers + 1,
            rewards=hypotheses.rewards.about(arm),
            is_target=targets == arm[:, None],
            last=recall.last[np.arange(len(arm)), arm],
            found=np.take_along_axis(recall.last, targets, 1) != NEVER,
            relevance=None if hypotheses.relevance is None else hypotheses.relevance.about(arm),
            advantage=advantage,
            beta=self._beta,
            people=self._people,
        )
        return self.model.chances(question)

    def posterior(self, memory: TargetsMemory) -> TargetsPosterior:
        """The posterior given everything in memory."""
        log_weights = memory.log_weights
        unknown = tuple(range(2, log_weights.ndim))
        everything = tuple(range(1, log_weights.ndim))
        top = log_weights.max(axis=everything, keepdims=True)
        weights = np.exp(log_weights - top)
        total = weights.sum(axis=everything)
        weights /= total.reshape(-1, *[1] * (weights.ndim - 1))
        return TargetsPosterior(
            targets=weights.sum(axis=unknown),
            alpha=self.model.mean_alpha(weights.sum(axis=1)),
            log_evidence=top.reshape(-1) + np.log(total),
        )
