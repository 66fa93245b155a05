"""What was asked, how it was answered, and what the person remembered: naive teachers remember nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch

NEVER = -1  # the last answer to an arm that was never asked about


@dataclass(frozen=True, eq=False)
class Recall(Batch):
    """The last answer to every arm, in a batch of rounds with equally many answers."""

    last: NDArray[np.int8]  # (B, K): 1 yes, 0 no, NEVER
    answers: int  # so far, in each round

    @staticmethod
    def none(batch: int, arms: int) -> Recall:
        """The beginning of a batch of rounds."""
        return Recall(np.full((batch, arms), NEVER, dtype=np.int8), 0)

    @staticmethod
    def of(history: Sequence[tuple[int, int]], arms: int) -> Recall:
        """One round after ``history``, pairs (arm, answer)."""
        recall = Recall.none(1, arms)
        for arm, answer in history:
            recall = recall.after(np.array([arm]), np.array([answer]))
        return recall

    def after(self, arm: NDArray[np.intp], answers: NDArray[np.intp]) -> Recall:
        """With these answers (B,) to questions about ``arm`` (B,) added."""
        last = self.last.copy()
        last[np.arange(len(arm)), arm] = answers
        return Recall(last, self.answers + 1)


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of persons, each with what the person knew when asked; all (N,)."""

    person: NDArray[np.intp]  # 0, 1, ...
    target: NDArray[np.intp]  # indices of words
    word: NDArray[np.intp]
    likeness: NDArray[np.float64]
    number: NDArray[np.intp]  # of the question, counted from 1 in each round
    found: NDArray[np.bool_]  # had the target been asked about before?
    last: NDArray[np.intp]  # the last answer to the same word in the round: 1, 0 or NEVER
    yes: NDArray[np.bool_]

    def of(self, which: NDArray[np.bool_]) -> Answers:
        """Some of the answers."""
        return Answers(**{name: column[which] for name, column in vars(self).items()})

    @property
    def is_target(self) -> NDArray[np.bool_]:
        return np.asarray(self.word == self.target)

    def __len__(self) -> int:
        return len(self.yes)
