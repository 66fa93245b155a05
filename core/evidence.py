"""Answers as the likelihoods read them: a batch of histories of equal length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch

__all__ = ["Evidence"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence(Batch):
    """A batch of answered questions, each with what a planning teacher saw ahead of it."""

    features: Array  # (B, n, M): the arm that each question was about
    signs: Array  # (B, n): +1 for yes, -1 for no
    sums: Array  # (B, n, 2, J, M): discounted features ahead, by answer and trajectory; J = 0 if unknown

    @staticmethod
    def none(batch: int, dimension: int, trajectories: int) -> Evidence:
        """No answers yet."""
        return Evidence(
            np.zeros((batch, 0, dimension)),
            np.zeros((batch, 0)),
            np.zeros((batch, 0, 2, trajectories, dimension)),
        )

    @property
    def predictors(self) -> Array:
        """The vectors (B, R, M) whose products with theta are all that a likelihood depends on."""
        trajectories = self.sums.shape[3]
        if trajectories == 1:  # one-step planning compares a yes with a no
            return np.concatenate([self.features, self.sums[:, :, 1, 0] - self.sums[:, :, 0, 0]], 1)
        batch, _, _, _, dimension = self.sums.shape
        return np.concatenate([self.features, self.sums.reshape(batch, -1, dimension)], 1)

    def within(self, basis: Array) -> Evidence:
        """The same answers in the coordinates of a subspace with an orthonormal ``basis`` (B, M, R)."""
        sums = self.sums @ basis[:, None, None]
        return Evidence(self.features @ basis, self.signs, sums)

    @staticmethod
    def without_plans(features: Array, signs: Array) -> Evidence:
        """Answers (B, n) to questions (B, n, M) where nobody looked ahead."""
        batch, answers, dimension = features.shape
        return Evidence(features, signs, np.zeros((batch, answers, 2, 0, dimension)))

    def and_also(self, features: Array, signs: Array, sums: Array) -> Evidence:
        """This evidence and one more answer: features (B, M), signs (B,), sums (B, 2, J, M)."""
        return Evidence(
            np.concatenate([self.features, features[:, None]], 1),
            np.concatenate([self.signs, signs[:, None]], 1),
            np.concatenate([self.sums, sums[:, None]], 1),
        )
