"""Rounds of people, real or simulated, and what each person knew when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.recall import NEVER, Answers, Recall


@dataclass(frozen=True, eq=False)
class Rounds:
    """R rounds of at most Q questions."""

    words: tuple[str, ...]
    persons: tuple[str, ...]
    person: NDArray[np.intp]  # (R,), indices of persons
    model: NDArray[np.str_]  # (R,)
    target: NDArray[np.intp]  # (R,), indices of words
    asked: NDArray[np.intp]  # (R, Q), indices of words; -1 where nothing was asked
    yes: NDArray[np.bool_]  # (R, Q)
    likeness: NDArray[np.float64]  # (R, Q), of the word and the target

    @cached_property
    def is_asked(self) -> NDArray[np.bool_]:
        return np.asarray(self.asked >= 0)

    @cached_property
    def is_target(self) -> NDArray[np.bool_]:
        """(R, Q): is the question about the target?"""
        return np.asarray(self.asked == self.target[:, None])

    @cached_property
    def last(self) -> NDArray[np.intp]:
        """(R, Q), the last answer to the same word in the round: 1, 0 or core.recall.NEVER."""
        last = np.full(self.asked.shape, NEVER)
        recall = Recall.none(len(self.asked), len(self.words))
        every = np.arange(len(self.asked))
        for question in range(self.asked.shape[1]):
            word = self.asked[:, question]
            last[:, question] = recall.last[every, word]
            recall = recall.after(word, self.yes[:, question].astype(np.intp))
        return last

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """(R, Q): had the target been asked about before?"""
        so_far = np.logical_or.accumulate(self.is_target, axis=1)
        return np.asarray(np.concatenate([np.zeros((len(so_far), 1), dtype=bool), so_far[:, :-1]], axis=1))

    @cached_property
    def answers(self) -> Answers:
        """All answers, round by round."""
        where = self.is_asked
        rounds, question = np.nonzero(where)
        return Answers(
            person=self.person[rounds],
            target=self.target[rounds],
            word=self.asked[where],
            likeness=self.likeness[where],
            number=question + 1,
            found=self.found[where],
            last=self.last[where],
            yes=self.yes[where],
        )

    @staticmethod
    def joined(parts: Sequence[Rounds]) -> Rounds:
        """The rounds of several parts, which have the same words and persons."""
        most = max(part.asked.shape[1] for part in parts)

        def columns(name: str, empty: object) -> NDArray[np.generic]:
            return np.concatenate(
                [
                    np.pad(own, ((0, 0), (0, most - own.shape[1])), constant_values=empty)  # type: ignore[call-overload]
                    for own in (getattr(part, name) for part in parts)
                ]
            )

        return Rounds(
            words=parts[0].words,
            persons=parts[0].persons,
            person=np.concatenate([part.person for part in parts]),
            model=np.concatenate([part.model for part in parts]),
            target=np.concatenate([part.target for part in parts]),
            asked=columns("asked", -1),  # type: ignore[arg-type]
            yes=columns("yes", False),  # type: ignore[arg-type]
            likeness=columns("likeness", np.nan),  # type: ignore[arg-type]
        )
