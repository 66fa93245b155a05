"""Where a participant is in a session, as the participant would say it: round 3 of 40, the instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    Instruct,
    Rest,
    Session,
)

__all__ = ["Place", "place_of"]

Kind = Literal[
    "consent", "instructions", "practice", "round", "questionnaire", "break", "last questionnaire", "end"
]


@dataclass(frozen=True)
class Place:
    """A place in a session.  It says nothing about models, targets or answers."""

    kind: Kind
    rounds: int  # of the session: those that count, or the practice rounds if this is one of them
    round: int = 0  # which of them it is, or comes after; 0 if it has nothing to do with a round

    def __str__(self) -> str:
        """In plain words, for the experimenter."""
        number = f"round {self.round} of {self.rounds}"
        return {
            "consent": "the consent",
            "instructions": "the instructions",
            "practice": f"practice {number}",
            "round": number,
            "questionnaire": f"the questionnaire after {number}",
            "break": f"the break after {number}",
            "last questionnaire": "the questionnaire at the end",
            "end": "the end",
        }[self.kind]


def place_of(session: Session) -> Place:
    """Where a session continues."""
    practice, rounds = session.rounds_of_practice(), session.rounds()
    match session.step:
        case AskConsent():
            return Place("consent", rounds)
        case Instruct():
            return Place("instructions", rounds)
        case BeginRound(round_) | AskWord(round_):
            if round_.practice:
                return Place("practice", practice, round_.round)
            return Place("round", rounds, round_.round - practice)
        case AskItem(after=None) | ConfirmItems(after=None):
            return Place("last questionnaire", rounds)
        case AskItem(after=int(after)) | ConfirmItems(after=int(after)):
            return Place("questionnaire", rounds, after - practice)
        case Rest(after):
            return Place("break", rounds, after - practice)
    return Place("end", rounds)
