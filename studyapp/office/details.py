"""Everything that is known about one participant, as the office shows it: a few lines, without outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from core.wording import counted
from studyapp.office.columns import moment
from studyapp.office.conduct import Conduct
from studyapp.office.events import Deleted, Excluded, Included, Noted
from studyapp.office.status import Row

__all__ = ["details"]

VERIFIED = {"yes": "verified", "no": "the log does not verify", "": "not verified"}


def details(row: Row, conduct: Conduct, now: datetime) -> list[str]:
    """Lines about a participant: the state, times, counts, then what was noted and decided, oldest first."""
    return [
        " · ".join(_state(row)),
        *([" · ".join(times)] if (times := list(_times(row, now))) else []),
        " · ".join(_counts(row)),
        *([f"problem: {row.problem}"] if row.problem else []),
        *_decided(row.participant, conduct, now),
    ]


def _state(row: Row) -> Iterator[str]:
    yield row.participant
    yield row.label if row.kind in ("", "person") else f"{row.label} ({row.kind})"
    if row.place:
        yield row.place
    if row.receipt:
        yield f"receipt {row.receipt}"
    if row.bonus is not None:
        yield f"bonus due: {'yes' if row.bonus else 'no'}"


def _times(row: Row, now: datetime) -> Iterator[str]:
    if row.began:
        yield f"began {moment(row.began, now)}"
    if row.last:
        yield f"last saved {moment(row.last, now)}"
    if row.minutes is not None:
        yield f"{counted(round(row.minutes), 'minute')} in {counted(row.resumes + 1, 'sitting')}"


def _counts(row: Row) -> Iterator[str]:
    yield counted(row.answers, "answer")
    yield counted(row.late, "late question")
    yield counted(row.stray_keys, "stray key")
    if row.rewritten:
        yield f"another program changed the log {counted(row.rewritten, 'time')}"
    if row.state == "finished":
        yield VERIFIED[row.verified]


def _decided(participant: str, conduct: Conduct, now: datetime) -> Iterator[str]:
    deleted = conduct.deleted.get(participant)
    events: list[Noted | Excluded | Included | Deleted] = [
        *conduct.notes.get(participant, []),
        *(decision for decision in conduct.decisions if decision.participant == participant),
        *([deleted] if deleted else []),
    ]
    for event in sorted(events, key=lambda event: event.at):
        yield f"{moment(event.at, now)}, {event.user}: {_what(event)}"


def _what(event: Noted | Excluded | Included | Deleted) -> str:
    match event:
        case Noted():
            return event.text
        case Excluded():
            return f"excluded: {event.reason}"
        case Included():
            return f"included again: {event.reason}"
        case Deleted():
            return f"deleted on request{f': {event.reason}' if event.reason else ''}"
