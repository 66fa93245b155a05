"""From answers to beliefs, one answer at a time, for a batch of histories.

``Learner`` has a batch of one, or of two: after a no and after a yes.  ``core.simulation`` has a batch of
many replications.  The result of an element does not depend on the rest of its batch.

There is one class for each belief: over weights, by Laplace's method (core.posterior), and over targets,
exactly (core.targets).  Where a teacher plans, both imagine the same naive learner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.beliefs import Belief, TargetsBelief, WeightsBelief
from core.evidence import Evidence
from core.people import People
from core.posterior import Posterior, fit_posterior
from core.settings import Settings
from core.targets import Hypotheses, TargetsInference, TargetsMemory
from core.teachers import TEACHERS
from core.teaching import Ahead, look_ahead
from core.thompson import PriorDraws

Array = NDArray[np.float64]

__all__ = ["Inference", "Inferred", "Memory", "OverTargets", "OverWeights", "TargetsMemory"]


@dataclass(frozen=True)
class Memory:
    """What a batch of learners keeps from one answer to the next."""

    evidence: Evidence
    naive: Array  # (B, M), mean of the (imagined) naive learner
    at: Array  # (B, P), where the last fit ended

    @staticmethod
    def together(parts: Sequence[Memory]) -> Memory:
        """One batch of several, all with equally many answers."""
        evidence = Evidence.together([part.evidence for part in parts])
        naive, at = (np.concatenate([getattr(part, name) for part in parts]) for name in ("naive", "at"))
        return Memory(evidence, naive, at)

    def repeat(self, times: int) -> Memory:
        """Each element of the batch ``times`` times, side by side."""
        naive, at = self.naive.repeat(times, axis=0), self.at.repeat(times, axis=0)
        return Memory(self.evidence.repeat(times), naive, at)

    def only(self, i: int) -> Memory:
        """Element i, as a batch of one."""
        return Memory(self.evidence.only(i), self.naive[i : i + 1], self.at[i : i + 1])


@dataclass(frozen=True)
class Inferred:
    """What a batch of learners believes."""

    belief: Belief
    posterior: Posterior | None  # of the weights
    targets: Array | None  # (B, T), the probability of each target
    alpha: Array | None  # (B,), the mean of alpha, where the model has one
    converged: NDArray[np.bool_]  # (B,)
    log_density: Array  # (B,): at the maximum found, or the log evidence of the answers


AnyMemory = TypeVar("AnyMemory", Memory, TargetsMemory)


class Inference(ABC, Generic[AnyMemory]):
    """What learners with these settings infer from answers.

    The naive learner that a planning teacher imagines is fitted in the same way as the learner, unless
    ``imagined_fit`` names another way.
    """

    def __init__(self, settings: Settings, imagined_fit: str | None = None) -> None:
        settings.check_together()
        self.settings = settings
        self.imagined_fit = imagined_fit or settings.fit
        self.model = TEACHERS[settings.teacher]

    @abstractmethod
    def blank(self, batch: int, dimension: int) -> AnyMemory:
        """The memory before any answer."""

    @abstractmethod
    def remember(
        self,
        memory: AnyMemory,
        arms: Array,
        arm: NDArray[np.intp],
        answers: NDArray[np.intp],
        ahead: Ahead | None,
    ) -> AnyMemory:
        """The memory with answers (B,), 0 or 1, to questions about ``arm`` (B,), out of ``arms`` (B, K, M).

        ``ahead`` is what anyone who planned saw ahead of these questions.
        """

    @abstractmethod
    def inferred(self, memory: AnyMemory, arms: Array) -> tuple[Inferred, AnyMemory]:
        """The belief given everything in memory, and the memory that includes where a fit ended."""

    @abstractmethod
    def imagined(self, memory: AnyMemory) -> Memory:
        """What a planning teacher's imagined learner has seen."""

    def look_ahead(self, memory: AnyMemory, arms: Array, asked: Array, draws: PriorDraws) -> Ahead:
        """What a planning teacher sees ahead when asked about ``asked`` (B, M), out of ``arms`` (B, K, M)."""
        imagined = self.imagined(memory)
        return look_ahead(
            arms,
            imagined.evidence,
            asked,
            imagined.naive,
            draws,
            self.settings,
            self.imagined_fit,
        )


def _asked(arms: Array, arm: NDArray[np.intp]) -> Array:
    """The features (B, M) of the arms that are asked about."""
    return arms[np.arange(len(arm)), arm]


def _remembered(
    memory: Memory, asked: Array, answers: NDArray[np.intp], sums: Array, ahead: Ahead | None
) -> Memory:
    naive = memory.naive if ahead is None else ahead.naive[np.arange(len(answers)), answers]
    evidence = memory.evidence.and_also(asked, np.where(answers == 1, 1.0, -1.0), sums)
    return Memory(evidence, naive, memory.at)


class OverWeights(Inference[Memory]):
    """A normal posterior of the weights."""

    def blank(self, batch: int, dimension: int) -> Memory:
        zero = np.zeros((batch, dimension))
        at = np.zeros((batch, dimension + self.model.has_alpha))
        trajectories = 2 ** (self.settings.horizon - 1) if self.model.plans else 0
        return Memory(Evidence.none(batch, dimension, trajectories), zero, at)

    def imagined(self, memory: Memory) -> Memory:
        return memory

    def remember(
        self,
        memory: Memory,
        arms: Array,
        arm: NDArray[np.intp],
        answers: NDArray[np.intp],
        ahead: Ahead | None,
    ) -> Memory:
        asked = _asked(arms, arm)
        sums = np.zeros((len(asked), 2, 0, asked.shape[1]))
        if self.model.plans:
            assert ahead is not None
            sums = ahead.sums
        return _remembered(memory, asked, answers, sums, ahead)

    def inferred(self, memory: Memory, arms: Array) -> tuple[Inferred, Memory]:
        posterior = self.posterior(memory)
        fit = posterior.fit
        inferred = Inferred(
            WeightsBelief(posterior, arms), posterior, None, posterior.alpha, fit.converged, fit.value
        )
        return inferred, replace(memory, at=posterior.at)

    def posterior(self, memory: Memory) -> Posterior:
        """The posterior given everything in memory."""
        published = self.settings.fit == "published"
        return fit_posterior(
            self.model,
            memory.evidence,
            beta=self.settings.beta,
            tau=self.settings.tau,
            start=memory.at[:, None] if published else self._starts(memory.naive),
            fit=self.settings.fit,
        )

    def _starts(self, naive: Array) -> Array:
        """Where to climb from, (B, S, P): a concave density has one maximum, others may have several.

        The starts depend on the history alone and not on earlier fits, so a history gives the same
        posterior however it came about.  The highest maximum found need not be the highest there is: on
        the study's words it nearly always is with beta 20, and often is not with beta 200 and random
        answers.
        """
        zero = np.zeros_like(naive)
        one_maximum = not self.model.has_alpha and (not self.model.plans or self.settings.horizon == 1)
        thetas = zero[:, None] if one_maximum else np.stack([zero, naive], 1)
        if not self.model.has_alpha:
            return thetas
        return np.concatenate([thetas, np.zeros_like(thetas[..., :1])], -1)


class OverTargets(Inference[TargetsMemory]):
    """A probability for every target."""

    def __init__(
        self, settings: Settings, hypotheses: Hypotheses, people: People, imagined_fit: str | None = None
    ) -> None:
        super().__init__(settings, imagined_fit)
        self._targets = TargetsInference(self.model, hypotheses, settings.beta, people)
        self._rewards = hypotheses.rewards

    def blank(self, batch: int, dimension: int) -> TargetsMemory:
        zero = np.zeros((batch, dimension))
        planner = Memory(Evidence.none(batch, dimension, 0), zero, zero)
        return self._targets.blank(batch, planner)

    def imagined(self, memory: TargetsMemory) -> Memory:
        assert memory.planner is not None
        return memory.planner

    def remember(
        self,
        memory: TargetsMemory,
        arms: Array,
        arm: NDArray[np.intp],
        answers: NDArray[np.intp],
        ahead: Ahead | None,
    ) -> TargetsMemory:
        advantage = None
        if self.model.plans:
            assert ahead is not None
            advantage = ahead.advantages(self._rewards)
        told = self._targets.remember(memory, arm, answers, advantage)
        if ahead is None:
            return told
        asked = _asked(arms, arm)
        sums = np.zeros((len(asked), 2, 0, asked.shape[1]))
        return replace(told, planner=_remembered(self.imagined(memory), asked, answers, sums, ahead))

    def inferred(self, memory: TargetsMemory, arms: Array) -> tuple[Inferred, TargetsMemory]:  # noqa: ARG002
        posterior = self._targets.posterior(memory)
        inferred = Inferred(
            belief=TargetsBelief(posterior.targets, self._rewards),
            posterior=None,
            targets=posterior.targets,
            alpha=posterior.alpha,
            converged=np.ones(len(posterior.targets), dtype=bool),
            log_density=posterior.log_evidence,
        )
        return inferred, memory
