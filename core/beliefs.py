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
from numpy.typing import NDArray

from core.posterior import Posterior
from core.randomness import stream
from core.reward_tables import Table

Array = NDArray[np.float64]

__all__ = ["Belief", "TargetsBelief", "WeightsBelief"]


class Belief(Protocol):
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
class WeightsBelief:
    """A normal posterior of the weights."""

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
class TargetsBelief:
    """A probability for every target."""

    targets: Array  # (B, T)
    rewards: Table

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
