"""What changed since a session began, and matters to it: the study, or the learners that asked its questions.

A session goes on with the study in its own log.  So a corrected typo, another colour or a new limit on coming
back changes nothing for a participant who has begun.  But a session with other words, models or questions is
not a session of this study any more, and must not be taken for one.  And only the learners that asked the
questions can ask them again.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.version import LEARNERS
from studyapp.base.differences import ABSENT, Difference, differences
from studyapp.base.environment import software
from studyapp.session.events import Started

BEFORE = "when the session began"
LONGEST_VALUE = 60  # characters of a value that a message quotes

# What determines which questions are asked, and how: sessions that differ here can't be compared.
MATTERS = (
    *("words", "kernel_width", "seed", "models", "people"),
    *("targets", "order", "order_of_models", "practice"),
    *("questions", "answers", "pace", "questionnaires", "after_round", "at_end"),
)
WORDING = re.compile(r"questionnaires\..*\.(ask|low|high)")  # of an item that stays the same

# Whoever resumes a session must not learn about its models, and people fill pages.
UNSAID = ("models", "people")


def study_changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """One line for each setting that matters and differs between two study records."""
    changes = [change for change in differences(before, now) if _matters(change.path)]
    lines = [_line(change) for change in changes if _top(change.path) not in UNSAID]
    unsaid = sorted({_top(change.path) for change in changes} & set(UNSAID))
    return [*lines, *(f"{name}: not the same as {BEFORE}" for name in unsaid)]


def _top(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _matters(path: str) -> bool:
    return _top(path) in MATTERS and not WORDING.fullmatch(path)


def _line(difference: Difference) -> str:
    path = difference.path
    if difference.now is ABSENT:
        return f"{path}: was set {BEFORE}, and is missing now"
    if difference.before is ABSENT:
        return f"{path}: was not set {BEFORE}"
    before, now = quoted(difference.before, difference.now)
    return f"{path}: {before} {BEFORE}, {now} now"


def quoted(before: Any, now: Any) -> tuple[str, str]:
    """Two values that differ; of long ones, the parts where they do."""
    before, now = repr(before), repr(now)
    shorter = min(len(before), len(now))
    first = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    return _excerpt(before, first), _excerpt(now, first)


def _excerpt(text: str, place: int) -> str:
    """A short text as it is; of a long one, the part around a place."""
    if len(text) <= LONGEST_VALUE:
        return text
    begin = max(0, place - LONGEST_VALUE // 4)
    end = begin + LONGEST_VALUE
    return f"{'...' if begin else ''}{text[begin:end]}{'...' if end < len(text) else ''}"


class OtherVersionError(FileError):
    """A log was written by another version of the learners."""


def check_version(path: Path, started: Started) -> None:
    """Raise an OtherVersionError if these learners might ask other questions than those of the log."""
    theirs = started.software.get("learners", "1")
    if theirs != LEARNERS:
        wrote = f"studyapp {started.software.get('studyapp', '?')} with version {theirs} of its learners"
        here = f"studyapp {software()['studyapp']} with version {LEARNERS}, which may ask other questions"
        raise OtherVersionError(
            path, f"this log was written by {wrote}; this is {here}; use the studyapp that wrote it"
        )
