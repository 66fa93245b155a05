"""The reward of every arm under every possible target, for a batch of learners.

``Table`` is an array of numbers.  For thousands of words, ``core.likeness.Likeness`` computes the same from
their vectors, without a table of words by words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.rewards import clamped, log_odds

__all__ = ["RewardTable", "Table"]

Array = NDArray[np.float64]
Whole = NDArray[np.intp]


class RewardTable(Protocol):
    """Rewards strictly between 0 and 1."""

    @property
    def targets(self) -> int: ...

    @property
    def arms(self) -> int: ...

    def about(self, arm: Whole, /) -> Array:
        """The reward (B, T) under every target, of one arm (B,) for each learner."""
        ...

    def under(self, target: Whole, /) -> Array:
        """The reward (B, K) of every arm, under one target (B,) for each learner."""
        ...

    def columns(self, arms: Whole, world: int, /) -> Array:
        """The rewards (T, n) of some arms of one learner."""
        ...

    def mean(self, chances: Array, /) -> Array:
        """The mean reward (B, K) of every arm, from the chance (B, T) of every target."""
        ...

    def mean_square(self, chances: Array, /) -> Array:
        """The mean squared reward (B, K) of every arm."""
        ...

    def mean_odds(self, shares: Array, /) -> Array:
        """The log-odds of all arms under every target, summed with the arms' shares (B, R, K): (B, R, T)."""
        ...


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers themselves."""

    rewards: Array  # (B, T, K), or (1, T, K) for all learners
    known_odds: Array | None = None  # the log-odds, where they are known better than the clamped rewards

    @staticmethod
    def of(likenesses: Array, odds: Array | None = None) -> Table:
        """Likenesses (B, T, K) from 0 to 1 as rewards."""
        return Table(clamped(likenesses), odds)

    @property
    def targets(self) -> int:
        return int(self.rewards.shape[1])

    @property
    def arms(self) -> int:
        return int(self.rewards.shape[2])

    def about(self, arm: Whole) -> Array:
        one = len(self.rewards) == 1
        return np.asarray(self.rewards[0].T[arm] if one else self.rewards[np.arange(len(arm)), :, arm])

    def under(self, target: Whole) -> Array:
        rows = 0 if len(self.rewards) == 1 else np.arange(len(target))
        return np.asarray(self.rewards[rows, target])

    def columns(self, arms: Whole, world: int) -> Array:
        return np.asarray(self.rewards[world][:, arms])

    def mean(self, chances: Array) -> Array:
        return np.asarray((chances[:, None] @ self.rewards)[:, 0])

    def mean_square(self, chances: Array) -> Array:
        return np.asarray((chances[:, None] @ self._squares)[:, 0])

    def mean_odds(self, shares: Array) -> Array:
        return shares @ self._odds.swapaxes(-1, -2)

    @cached_property
    def _squares(self) -> Array:
        return np.asarray(self.rewards**2)

    @cached_property
    def _odds(self) -> Array:
        return log_odds(self.rewards) if self.known_odds is None else self.known_odds
