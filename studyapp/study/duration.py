"""How long a session is: its rounds, questions and breaks, and the time that they take.

The time scales that of the published study: 75 minutes on average for 600 questions, with a pause of half a
second before each (supplement G), and so 7 seconds of reading, thinking and typing per question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studyapp.study.study import Study

__all__ = ["Extent", "extent"]

SECONDS_PER_QUESTION = 75 * 60 / 600 - 0.5
SECONDS_PER_ITEM = 8.0  # of a questionnaire; an estimate
EXACT = 10  # minutes; anything longer is rounded up to a multiple of five


@dataclass(frozen=True)
class Extent:
    """What a session consists of, and its expected duration."""

    rounds: int  # that count
    practice_rounds: int
    questions: int  # of all rounds
    items: int  # of questionnaires
    breaks: int
    seconds: float

    @property
    def minutes(self) -> int:
        """The expected duration as people say it: about 8 minutes, about 75 minutes."""
        minutes = self.seconds / 60 - 1e-6  # 75.000001 is 75
        return max(1, math.ceil(minutes)) if minutes < EXACT else 5 * math.ceil(minutes / 5)


def extent(study: Study, targets: int) -> Extent:
    """What a session with this many targets consists of."""
    models = len(study.models)
    rounds, practice_rounds = models * targets, models * len(study.practice)
    questions = (rounds + practice_rounds) * study.questions
    items = rounds * len(study.items(study.after_round)) + len(study.items(study.at_end))
    breaks = (rounds - 1) // study.breaks.every if study.breaks else 0
    seconds = questions * (SECONDS_PER_QUESTION + study.pace.pause) + items * SECONDS_PER_ITEM
    if study.breaks:
        seconds += breaks * study.breaks.seconds
    return Extent(rounds, practice_rounds, questions, items, breaks, seconds)
