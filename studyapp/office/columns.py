"""The table of participants, as the office and ``studyapp status`` show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from studyapp.base.clock import SystemClock
from studyapp.office.status import Row

__all__ = ["COLUMNS", "Column", "columns_for", "moment"]


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


# A place in few characters: "the questionnaire after round 3 of 40" is "questionnaire 3/40".
SHORTER = {
    " at the end": "",
    " after round": "",
    "the ": "",
    "practice round": "practice",
    " of ": "/",
    ", question ": " q",
}


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
