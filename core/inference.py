"""From answers to posteriors, one answer at a time, for a batch of histories.

``Learner`` has a batch of one, or of two: after a no and after a yes.  ``core.simulation`` has a batch of
many replications.  The result of an element does not depend on the rest of its batch.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.evidence import Evidence, repeated
from core.posterior import Posterior, fit_posterior
from core.settings import Settings
from core.teachers import TEACHERS
from core.teaching import Ahead, look_ahead

__all__ = ["Inference", "Memory"]


@dataclass(frozen=True)
class Memory:
    """What a batch of learners keeps from one answer to the next."""

    evidence: Evidence
    naive: Tensor  # (B, M), mean of the (imagined) naive learner
    at: Tensor  # (B, P), where the last fit ended

    def repeat(self, times: int) -> Memory:
        """Each element of the batch ``times`` times, side by side."""
        return Memory(self.evidence.repeat(times), repeated(self.naive, times), repeated(self.at, times))

    def after(self, posterior: Posterior) -> Memory:
        """The memory that includes where this fit ended."""
        return Memory(self.evidence, self.naive, posterior.fit.at)

    def only(self, i: int) -> Memory:
        """Element i, as a batch of one."""
        return Memory(self.evidence.only(i), self.naive[i : i + 1], self.at[i : i + 1])


class Inference:
    """What a learner with these settings infers from answers.

    The naive learner that a planning teacher imagines is fitted in the same way as the learner, unless
    ``imagined_fit`` names another way.
    """

    def __init__(self, settings: Settings, imagined_fit: str | None = None) -> None:
        self.settings = settings
        self.imagined_fit = imagined_fit or settings.fit
        self.model = TEACHERS[settings.teacher]

    def blank(self, batch: int, dimension: int) -> Memory:
        """The memory before any answer."""
        zero = torch.zeros(batch, dimension, dtype=torch.float64)
        at = torch.zeros(batch, dimension + self.model.has_alpha, dtype=torch.float64)
        trajectories = 2 ** (self.settings.horizon - 1) if self.model.plans else 0
        return Memory(Evidence.none(batch, dimension, trajectories), zero, at)

    def look_ahead(self, memory: Memory, arms: Tensor, asked: Tensor, points: Tensor) -> Ahead:
        """What a planning teacher sees ahead when asked about ``asked`` (B, M), out of ``arms`` (B, K, M)."""
        return look_ahead(
            arms,
            memory.evidence,
            asked,
            memory.naive,
            points,
            tau=self.settings.tau,
            horizon=self.settings.horizon,
            gamma=self.settings.gamma,
            fit=self.imagined_fit,
        )

    def remember(self, memory: Memory, asked: Tensor, answers: Tensor, ahead: Ahead | None) -> Memory:
        """The memory with answers (B,), 0 or 1, to ``asked`` (B, M) added; ``ahead`` if anyone planned."""
        naive = memory.naive if ahead is None else ahead.naive[torch.arange(len(answers)), answers]
        sums = asked.new_zeros(len(asked), 2, 0, asked.shape[1])
        if self.model.plans:
            assert ahead is not None
            sums = ahead.sums
        evidence = memory.evidence.and_also(asked, 2.0 * answers.to(asked.dtype) - 1.0, sums)
        return Memory(evidence, naive, memory.at)

    def posterior(self, memory: Memory) -> Posterior:
        """The posterior given everything in memory."""
        published = self.settings.fit == "published"
        return fit_posterior(
            self.model,
            memory.evidence,
            beta=self.settings.beta,
            tau=self.settings.tau,
            start=memory.at.unsqueeze(1) if published else self._starts(memory.naive),
            fit=self.settings.fit,
        )

    def _starts(self, naive: Tensor) -> Tensor:
        """Where to climb from, (B, S, P): a concave density has one maximum, others may have several.

        The starts depend on the history alone and not on earlier fits, so a history gives the same
        posterior however it came about.  The highest maximum found need not be the highest there is: on
        the study's words it nearly always is with beta 20, and often is not with beta 200 and random
        answers.
        """
        zero = torch.zeros_like(naive)
        one_maximum = not self.model.has_alpha and (not self.model.plans or self.settings.horizon == 1)
        thetas = zero.unsqueeze(1) if one_maximum else torch.stack([zero, naive], 1)
        if not self.model.has_alpha:
            return thetas
        return torch.cat([thetas, torch.zeros_like(thetas[..., :1])], -1)
