"""Questionnaires: items asked together, with NASA-TLX and SUS ready to use.

NASA-TLX (Hart and Staveland, 1988) is the raw form: six scales of 21 steps, with the wording of the
paper-and-pencil version.  SUS (Brooke, 1996) has ten statements with five steps from disagreement to
agreement.  Answers are recorded as given; the analysis scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.kinds import Kinds
from studyapp.study.items import Item, Scale

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One number from the answers to all items of a questionnaire."""

    title: str
    least: float
    most: float
    compute: Callable[[Sequence[Array]], Array]  # the answers to each item, in order


@dataclass(frozen=True)
class Questionnaire:
    """Items asked together, and their score, if there is one."""

    name: str
    items: tuple[Item, ...]
    score: Score | None = None


READY_MADE: Kinds[Questionnaire] = Kinds("questionnaire")


def _tlx(id: str, ask: str, low: str = "Very low", high: str = "Very high") -> Scale:
    return Scale(id=id, kind="scale", ask=ask, least=0, most=20, low=low, high=high)


def _tlx_score(items: Sequence[Array]) -> Array:
    """The raw form: the mean of six scales from 0 to 20, scaled to 0 to 100."""
    return np.asarray(5.0 * np.mean(items, axis=0))


READY_MADE.add(
    Questionnaire(
        "nasa-tlx",
        (
            _tlx("mental-demand", "How mentally demanding was the task?"),
            _tlx("physical-demand", "How physically demanding was the task?"),
            _tlx("temporal-demand", "How hurried or rushed was the pace of the task?"),
            _tlx(
                "performance",
                "How successful were you in accomplishing what you were asked to do?",
                "Perfect",
                "Failure",
            ),
            _tlx("effort", "How hard did you have to work to accomplish your level of performance?"),
            _tlx("frustration", "How insecure, discouraged, irritated, stressed, and annoyed were you?"),
        ),
        Score("Raw TLX, from 0 to 100 (most demanding)", 0.0, 100.0, _tlx_score),
    )
)


def _sus(number: int, ask: str) -> Scale:
    return Scale(
        id=f"sus-{number}",
        kind="scale",
        ask=ask,
        least=1,
        most=5,
        low="Strongly disagree",
        high="Strongly agree",
    )


def _sus_score(items: Sequence[Array]) -> Array:
    """Odd statements are positive, even ones negative; from 0 to 100."""
    points = [answers - 1 if i % 2 == 0 else 5 - answers for i, answers in enumerate(items)]
    return np.asarray(2.5 * np.sum(points, axis=0))


READY_MADE.add(
    Questionnaire(
        "sus",
        (
            _sus(1, "I think that I would like to use this system frequently."),
            _sus(2, "I found the system unnecessarily complex."),
            _sus(3, "I thought the system was easy to use."),
            _sus(
                4,
                "I think that I would need the support of a technical person to be able to use this system.",
            ),
            _sus(5, "I found the various functions in this system were well integrated."),
            _sus(6, "I thought there was too much inconsistency in this system."),
            _sus(7, "I would imagine that most people would learn to use this system very quickly."),
            _sus(8, "I found the system very cumbersome to use."),
            _sus(9, "I felt very confident using the system."),
            _sus(10, "I needed to learn a lot of things before I could get going with this system."),
        ),
        Score("SUS score, from 0 to 100 (best)", 0.0, 100.0, _sus_score),
    )
)
