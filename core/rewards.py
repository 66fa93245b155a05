"""The reward of asking about a word: the word's similarity to the target.

Rewards are clamped, as in the published study, so that their log-odds are finite.  The target itself has
the highest reward.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.intp]

LEAST, MOST = 1e-4, 1 - 1e-4


def clamped(similarity: Array) -> Array:
    """The rewards of words with these similarities to the target."""
    return np.clip(similarity, LEAST, MOST)


def log_odds(rewards: Array) -> Array:
    """Of rewards strictly between 0 and 1."""
    return np.asarray(np.log(rewards / (1 - rewards)))


def weights(arms: Array, rewards: Array) -> Array:
    """The weights theta (..., M) with X theta = log-odds of the rewards (..., K), for arms X (K, M).

    The rewards are strictly between 0 and 1.
    """
    # What rounding alone keeps apart counts as equal, as in a least squares solution.
    inverse = np.linalg.pinv(arms, rcond=max(arms.shape) * np.finfo(np.float64).eps)
    return np.asarray(log_odds(rewards) @ inverse.T)


@dataclass(frozen=True, eq=False)
class RewardTable:
    """The reward of every arm under every target, strictly between 0 and 1, for a batch of learners."""

    rewards: Array  # (B, T, K), or (1, T, K) for all learners
    known_odds: Array | None = None  # the log-odds, where they are known better than the clamped rewards

    @staticmethod
    def of(likenesses: Array, odds: Array | None = None) -> RewardTable:
        """Likenesses (B, T, K) from 0 to 1 as rewards."""
        return RewardTable(clamped(likenesses), odds)

    @property
    def targets(self) -> int:
        return int(self.rewards.shape[1])

    @property
    def arms(self) -> int:
        return int(self.rewards.shape[2])

    def about(self, arm: Whole) -> Array:
        """The reward (B, T) under every target, of one arm (B,) for each learner."""
        one = len(self.rewards) == 1
        return np.asarray(self.rewards[0].T[arm] if one else self.rewards[np.arange(len(arm)), :, arm])

    def under(self, target: Whole) -> Array:
        """The reward (B, K) of every arm, under one target (B,) for each learner."""
        rows = 0 if len(self.rewards) == 1 else np.arange(len(target))
        return np.asarray(self.rewards[rows, target])

    def mean(self, chances: Array) -> Array:
        """The mean reward (B, K) of every arm, from the chance (B, T) of every target."""
        return np.asarray((chances[:, None] @ self.rewards)[:, 0])

    def mean_square(self, chances: Array) -> Array:
        """The mean squared reward (B, K) of every arm."""
        return np.asarray((chances[:, None] @ self._squares)[:, 0])

    def mean_odds(self, shares: Array) -> Array:
        """The log-odds of all arms under every target, summed with the arms' shares (B, R, K): (B, R, T)."""
        return shares @ self._odds.swapaxes(-1, -2)

    @cached_property
    def _squares(self) -> Array:
        return np.asarray(self.rewards**2)

    @cached_property
    def _odds(self) -> Array:
        return log_odds(self.rewards) if self.known_odds is None else self.known_odds
