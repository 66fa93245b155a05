"""Answers as the likelihoods read them: a batch of histories of equal length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Evidence", "repeated"]


@dataclass(frozen=True)
class Evidence:
    """A batch of answered questions, each with what a planning teacher saw ahead of it."""

    features: Tensor  # (B, n, M): the arm that each question was about
    signs: Tensor  # (B, n): +1 for yes, -1 for no
    sums: Tensor  # (B, n, 2, J, M): discounted features ahead, by answer and trajectory; J = 0 if unknown

    @staticmethod
    def none(batch: int, dimension: int, trajectories: int) -> Evidence:
        """No answers yet."""
        empty = torch.zeros(batch, 0, dtype=torch.float64)
        return Evidence(
            empty.unsqueeze(-1).expand(batch, 0, dimension),
            empty,
            torch.zeros(batch, 0, 2, trajectories, dimension, dtype=torch.float64),
        )

    @property
    def predictors(self) -> Tensor:
        """The vectors (B, R, M) whose products with theta are all that a likelihood depends on."""
        trajectories = self.sums.shape[3]
        if trajectories == 1:  # one-step planning compares a yes with a no
            return torch.cat([self.features, self.sums[:, :, 1, 0] - self.sums[:, :, 0, 0]], 1)
        return torch.cat([self.features, self.sums.flatten(1, 3)], 1)

    def within(self, basis: Tensor) -> Evidence:
        """The same answers in the coordinates of a subspace with an orthonormal ``basis`` (B, M, R)."""
        sums = self.sums @ basis[:, None, None]
        return Evidence(self.features @ basis, self.signs, sums)

    @staticmethod
    def without_plans(features: Tensor, signs: Tensor) -> Evidence:
        """Answers (B, n) to questions (B, n, M) where nobody looked ahead."""
        batch, answers, dimension = features.shape
        return Evidence(features, signs, features.new_zeros(batch, answers, 2, 0, dimension))

    def and_also(self, features: Tensor, signs: Tensor, sums: Tensor) -> Evidence:
        """This evidence and one more answer: features (B, M), signs (B,), sums (B, 2, J, M)."""
        return Evidence(
            torch.cat([self.features, features.unsqueeze(1)], 1),
            torch.cat([self.signs, signs.unsqueeze(1)], 1),
            torch.cat([self.sums, sums.unsqueeze(1)], 1),
        )

    def only(self, i: int) -> Evidence:
        """Element i of the batch, as a batch of one."""
        return Evidence(self.features[i : i + 1], self.signs[i : i + 1], self.sums[i : i + 1])

    @staticmethod
    def together(parts: Sequence[Evidence]) -> Evidence:
        """One batch of several, all with equally many answers."""
        features, signs, sums = zip(*((part.features, part.signs, part.sums) for part in parts), strict=True)
        return Evidence(torch.cat(features), torch.cat(signs), torch.cat(sums))

    def repeat(self, times: int) -> Evidence:
        """Each element of the batch ``times`` times, side by side."""
        if times == 1:
            return self
        return Evidence(
            repeated(self.features, times), repeated(self.signs, times), repeated(self.sums, times)
        )


def repeated(tensor: Tensor, times: int) -> Tensor:
    """Each element of the batch ``times`` times (repeat_interleave, in a third of its time)."""
    return tensor.unsqueeze(1).expand(-1, times, *tensor.shape[1:]).flatten(0, 1)
