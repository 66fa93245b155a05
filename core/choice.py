"""The next question: the arm with the highest score under a selection rule.

Scores that differ only by rounding are a tie.  Ties are broken by seeded noise, so the same question is
asked on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.beliefs import Belief
from core.randomness import stream
from core.selection import SELECTIONS, Asking

__all__ = ["TIE", "Choice", "choose"]

TIE = 1e-9  # scores closer than this are equal, relative to their size and spread


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen arm and how clearly it won."""

    arm: int
    gap: float  # by how much its score beats every other score; 0 for a tie
    scores: NDArray[np.float64]  # (K,)


def choose(rule: str, belief: Belief, question: int, seeds: Sequence[int]) -> tuple[Choice, ...]:
    """Choose question number ``question`` for each element of a batch with B seeds."""
    if question < 2:
        raise ValueError("the first question of a round is drawn, not chosen")
    scores = SELECTIONS[rule].scores(Asking(belief, question, seeds))
    top = np.partition(scores, -2, axis=-1)[:, -2:]
    ties = TIE * (belief.scale + np.abs(scores).max(-1))
    choices = []
    for row, (second, best), tie, seed in zip(scores, top.tolist(), ties.tolist(), seeds, strict=True):
        if best - second > tie:
            choices.append(Choice(int(row.argmax()), best - second, row))
        else:
            tied = np.flatnonzero(row >= best - tie)
            noise = stream(seed, "tie", question).uniform(len(row))
            choices.append(Choice(int(tied[np.argmax(noise[tied])]), 0.0, row))
    return tuple(choices)
