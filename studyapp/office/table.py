"""The table of participants, as the office and ``studyapp status`` show it, and all about one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.wording import counted
from studyapp.base.clock import SystemClock
from studyapp.office.conduct import Conduct
from studyapp.office.events import Deleted, Excluded, Included, Noted
from studyapp.office.status import Row

VERIFIED = {"yes": "verified", "no": "the log does not verify", "": "not verified"}
# A place in few characters: "the questionnaire after round 3 of 40" is "questionnaire 3/40".
SHORTER = {
    " at the end": "",
    " after round": "",
    "the ": "",
    "practice round": "practice",
    " of ": "/",
    ", question ": " q",
}


@dataclass(frozen=True)
class Column:
    """One column: its heading, what that means, and what it says about a participant."""

    heading: str
    meaning: str
    says: Callable[[Row], str]
    is_number: bool = False
    is_moment: bool = False
    is_remark: bool = False  # of any length
    may_go: bool = True  # where it would be empty

    def cell(self, row: Row, now: datetime | None = None) -> str:
        """What it says about a participant."""
        text = self.says(row)
        return moment(text, now or SystemClock().now()) if text and self.is_moment else text


def moment(text: str, now: datetime) -> str:
    """A time for people: the time of day, today; with the day, before today."""
    then, now = datetime.fromisoformat(text).astimezone(), now.astimezone()
    if then.date() == now.date():
        return f"{then:%H:%M:%S}"
    year = "" if then.year == now.year else f" {then.year}"
    return f"{then.day} {then:%b}{year} {then:%H:%M}"


def _state(row: Row) -> str:
    state = "excluded" if row.excluded and row.state != "deleted" else row.label
    return state if row.kind in ("", "person") else f"{state} ({row.kind})"


def _where(row: Row) -> str:
    place = row.place
    for long, short in SHORTER.items():
        place = place.replace(long, short)
    return place


def _remark(row: Row) -> str:
    parts = [f"excluded: {row.excluded}"] if row.excluded else []
    return "; ".join([*([row.problem] if row.problem else []), *parts, *([row.note] if row.note else [])])


def _counted(number: int) -> str:
    return str(number) if number else ""


COLUMNS = (
    Column("ID", "the participant", lambda row: row.participant, may_go=False),
    Column("state", "how far the session got", _state, may_go=False),
    Column("where", "where the session continues", _where),
    Column(
        "last",
        "when something was last saved",
        lambda row: row.last or "",
        is_moment=True,
        may_go=False,
    ),
    Column(
        "min",
        "minutes, in all sittings",
        lambda row: "" if row.minutes is None else f"{row.minutes:.0f}",
        is_number=True,
    ),
    Column("res", "how often it was resumed", lambda row: _counted(row.resumes), is_number=True),
    Column("late", "questions not ready in time", lambda row: _counted(row.late), is_number=True),
    Column(
        "stray",
        "keys without a meaning, or pressed too soon",
        lambda row: _counted(row.stray_keys),
        is_number=True,
    ),
    Column("ver", "does the log verify, as it is now?", lambda row: row.verified),
    Column("note", "the last note, an exclusion, or what is wrong with the log", _remark, is_remark=True),
)


def columns_for(rows: Sequence[Row], now: datetime | None = None) -> list[Column]:
    """The columns that say something about any of these participants."""
    return [column for column in COLUMNS if not column.may_go or any(column.cell(row, now) for row in rows)]


def details(row: Row, conduct: Conduct, now: datetime) -> list[str]:
    """Lines about a participant: the state, times, counts, then what was noted and decided, oldest first."""
    return [
        " · ".join(_head(row)),
        *([" · ".join(times)] if (times := list(_times(row, now))) else []),
        " · ".join(_counts(row)),
        *([f"problem: {row.problem}"] if row.problem else []),
        *_decided(row.participant, conduct, now),
    ]


def _head(row: Row) -> Iterator[str]:
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
