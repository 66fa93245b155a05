"""What a learner believes about the value of every arm, for a batch of learners.

A learner is uncertain about its weights (the paper: a normal posterior, core.posterior) or about which arm is
the target (a probability for each, core.targets).  Selection rules see either one through the same three
things: the mean and the standard deviation of every arm's value, and a draw.  The value is the linear
predictor x'theta for weights, and the reward for targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from core.posterior import Posterior
from core.randomness import stream

__all__ = ["Belief", "TargetsBelief", "WeightsBelief"]


class Belief(Protocol):
    @property
    def means(self) -> Tensor:
        """(B, K), the expected value of every arm."""
        ...

    @property
    def spread(self) -> Tensor:
        """(B, K), its standard deviation."""
        ...

    def draw(self, seeds: Sequence[int], *names: str | int) -> Tensor:
        """(B, K), the value of every arm under one draw from the belief, named by each learner's seed."""
        ...


@dataclass(frozen=True)
class WeightsBelief:
    """A normal posterior of the weights."""

    posterior: Posterior
    arms: Tensor  # (B, K, M)

    @cached_property
    def means(self) -> Tensor:
        return (self.arms @ self.posterior.mean.unsqueeze(-1)).squeeze(-1)

    @cached_property
    def spread(self) -> Tensor:
        return self.posterior.variances(self.arms).sqrt()

    def draw(self, seeds: Sequence[int], *names: str | int) -> Tensor:
        count = self.posterior.normals
        normals = torch.from_numpy(np.stack([stream(seed, *names).normal(count) for seed in seeds]))
        theta = self.posterior.draws(normals)
        return (self.arms @ theta.unsqueeze(-1)).squeeze(-1)


@dataclass(frozen=True)
class TargetsBelief:
    """A probability for every target."""

    targets: Tensor  # (B, T)
    rewards: Tensor  # (B, T, K), or (1, T, K) for all

    @cached_property
    def means(self) -> Tensor:
        return self._mean(self.rewards)

    @cached_property
    def spread(self) -> Tensor:
        squares = self._mean(self.rewards.square())
        return (squares - self.means.square()).clamp_min(0.0).sqrt()

    def _mean(self, table: Tensor) -> Tensor:
        return (self.targets.unsqueeze(1) @ table).squeeze(1)

    def draw(self, seeds: Sequence[int], *names: str | int) -> Tensor:
        luck = torch.from_numpy(np.stack([stream(seed, *names).uniform(1) for seed in seeds]))
        drawn = (self.targets.cumsum(-1) < luck).sum(-1).clamp_max(self.targets.shape[-1] - 1)
        rows = torch.arange(len(drawn)) if len(self.rewards) > 1 else 0
        return self.rewards[rows, drawn]
