"""What the experimenter reads when a session has ended: one line, without a word about models or rewards."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Protocol

from studyapp.session.events import Finished, Left, Withdrawn
from studyapp.session.place import place_of
from studyapp.session.session import Session

__all__ = ["closing_line"]


class Opened(Protocol):
    """A sitting, or a saved session."""

    @property
    def session(self) -> Session: ...

    @property
    def receipt(self) -> str | None: ...


def closing_line(opened: Opened, options: Sequence[str] | None = ()) -> str:
    """Who it was, whether they finished, the bonus and the receipt; or how they left, and how to continue.

    ``options`` are those of ``studyapp run`` that the session needs to be found again; None, in the office,
    where a key resumes it.
    """
    session = opened.session
    participant, over = session.started.participant, session.over
    if isinstance(over, Finished):
        bonus = "" if over.bonus is None else f" Bonus due: {'yes' if over.bonus else 'no'}."
        # An imported session has no receipt: it never finished here.
        receipt = f" Receipt: {opened.receipt} (please write it down)" if opened.receipt else ""
        return f"{participant} finished.{bonus}{receipt}"
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
