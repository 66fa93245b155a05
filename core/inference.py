"""From answers to beliefs, one answer at a time, for a batch of histories.

``Learner`` has a batch of one, or of two: after a no and after a yes.  ``core.simulation`` has a batch of
many replications.  The result of an element does not depend on the rest of its batch.

A learner is uncertain about its weights (here: the paper's normal posterior, by Laplace's method) or about
which arm is the target (core.targets: a probability for each, exactly).  Selection rules see either belief
through the same three things: the mean and the standard deviation of every arm's value, and a draw.  Where a
teacher plans, it imagines the same naive learner with both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch
from core.likelihoods import Evidence
from core.posterior import Posterior, fit_posterior
from core.randomness import stream
from core.settings import Settings
from core.teachers import TEACHERS
from core.teaching import Ahead, look_ahead
from core.thompson import PriorDraws

Array = NDArray[np.float64]
Whole = NDArray[np.intp]


class Belief(Protocol):
    """What a batch of learners believes about the value of every arm."""

    @property
    def means(self) -> Array:
        """(B, K), the expected value of every arm."""
        ...

    @property
    def spread(self) -> Array:
        """(B, K), its standard deviation."""
        ...

    @property
    def scale(self) -> Array:
        """(B,), how large differences between the values of arms are."""
        ...

    def draw(self, seeds: Sequence[int], *names: str | int) -> Array:
        """(B, K), the value of every arm under one draw from the belief, named by each learner's seed."""
        ...


@dataclass(frozen=True)
class Inferred:
    """What a batch of learners believes."""

    belief: Belief
    posterior: Posterior | None  # of the weights
    targets: Array | None  # (B, T), the probability of each target
    alpha: Array | None  # (B,), the mean of alpha, where the model has one
    converged: NDArray[np.bool_]  # (B,)
    log_density: Array  # (B,): at the maximum found, or the log evidence of the answers


AnyMemory = TypeVar("AnyMemory", bound=Batch)


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
        self, memory: AnyMemory, arms: Array, arm: Whole, answers: Whole, ahead: Ahead | None
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
        seen = self.imagined(memory)
        return look_ahead(arms, seen.evidence, asked, seen.naive, draws, self.settings, self.imagined_fit)


# A belief over weights


@dataclass(frozen=True)
class WeightsBelief:
    """A normal posterior of the weights theta; an arm's value is its linear predictor x'theta."""

    posterior: Posterior
    arms: Array  # (B, K, M)

    @cached_property
    def means(self) -> Array:
        return self.posterior.means(self.arms)

    @cached_property
    def spread(self) -> Array:
        return np.sqrt(self.posterior.variances(self.arms))

    @property
    def scale(self) -> Array:
        return np.asarray(self.spread.max(-1))

    def draw(self, seeds: Sequence[int], *names: str | int) -> Array:
        count = self.posterior.normals
        normals = np.stack([stream(seed, *names).normal(count) for seed in seeds])
        return (self.arms @ self.posterior.draws(normals)[..., None])[..., 0]


@dataclass(frozen=True)
class Memory(Batch):
    """What a batch of learners, real or imagined, keeps from one answer to the next."""

    evidence: Evidence
    naive: Array  # (B, M), mean of the (imagined) naive learner
    at: Array  # (B, P), where the last fit ended

    @staticmethod
    def blank(batch: int, dimension: int, parameters: int = 0, trajectories: int = 0) -> Memory:
        """Before any answer."""
        evidence = Evidence.none(batch, dimension, trajectories)
        return Memory(evidence, np.zeros((batch, dimension)), np.zeros((batch, parameters)))

    def after(
        self, arms: Array, arm: Whole, answers: Whole, ahead: Ahead | None, *, plans: bool = False
    ) -> Memory:
        """With answers (B,) to questions about ``arm`` (B,); their teacher may be thought to plan."""
        every = np.arange(len(arm))
        asked = arms[every, arm]
        sums = ahead.sums if plans and ahead is not None else np.zeros((len(arm), 2, 0, asked.shape[1]))
        naive = self.naive if ahead is None else ahead.naive[every, answers]
        return Memory(self.evidence.and_also(asked, np.where(answers == 1, 1.0, -1.0), sums), naive, self.at)


class OverWeights(Inference[Memory]):
    """A normal posterior of the weights."""

    def blank(self, batch: int, dimension: int) -> Memory:
        trajectories = 2 ** (self.settings.horizon - 1) if self.model.plans else 0
        return Memory.blank(batch, dimension, dimension + self.model.has_alpha, trajectories)

    def imagined(self, memory: Memory) -> Memory:
        return memory

    def remember(
        self, memory: Memory, arms: Array, arm: Whole, answers: Whole, ahead: Ahead | None
    ) -> Memory:
        return memory.after(arms, arm, answers, ahead, plans=self.model.plans)

    def inferred(self, memory: Memory, arms: Array) -> tuple[Inferred, Memory]:
        posterior = self.posterior(memory)
        fit = posterior.fit
        belief = WeightsBelief(posterior, arms)
        inferred = Inferred(belief, posterior, None, posterior.alpha, fit.converged, fit.value)
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
