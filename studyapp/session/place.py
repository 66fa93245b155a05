"""Where a participant is in a session, and how it ended: for participant and experimenter.

Nothing here tells anything about models, targets or rewards.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studyapp.session.events import Finished, Left, Withdrawn
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


def closing_line(session: Session, receipt: str | None, options: Sequence[str] | None = ()) -> str:
    """Who it was, whether they finished, the bonus and the receipt; or how they left, and how to continue.

    ``options`` are those of ``studyapp run`` that the session needs to be found again; None, in the office,
    where a key resumes it.
    """
    participant, over = session.started.participant, session.over
    if isinstance(over, Finished):
        bonus = "" if over.bonus is None else f" Bonus due: {'yes' if over.bonus else 'no'}."
        # An imported session has no receipt: it never finished here.
        written = f" Receipt: {receipt} (please write it down)" if receipt else ""
        return f"{participant} finished.{bonus}{written}"
    if isinstance(over, Withdrawn):
        answers = "were deleted" if over.data == "deleted" else "are kept"
        return f"{participant} withdrew; the answers {answers}."
    if session.declined:
        return f"{participant} did not agree to take part."
    left = "left for now" if isinstance(session.last, Left) else "has not finished"
    unfinished = f"{participant} {left} ({place_of(session)})."
    if not session.study.resume.allowed:
        return f"{unfinished} The study does not allow sessions to be resumed (resume.allowed: false)."
    if options is None:
        return unfinished
    command = shlex.join(["studyapp", "run", *options, "--participant", participant])
    return f"{unfinished} To continue: {command}"
