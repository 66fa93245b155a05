"""How far each participant is: one row for each.

Nothing here tells about models, rewards or targets found, but for whether a bonus is due: it has to be paid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained
from studyapp.office.conduct import Conduct
from studyapp.office.live import LiveLog

# In the order in which an experimenter wants to see them.
STATES = ("open", "unfinished", "finished", "declined", "withdrawn", "deleted", "empty", "broken")


@dataclass(frozen=True)
class Row:
    """One participant, as far as the experimenter needs to know."""

    participant: str
    kind: str  # person, pilot, imported or simulated
    state: str  # unfinished, finished, declined, withdrawn, deleted, empty, broken
    open: bool  # is somebody answering now, on this machine?
    place: str  # where in the session, in words
    round: int | None  # which round, or the one before; practice rounds have numbers of their own
    rounds: int | None  # how many there are
    question: int | None
    answers: int
    began: str | None
    host: str | None  # the computer on which it began
    last: str | None  # when something was last saved
    minutes: float | None  # in all sittings
    resumes: int
    late: int  # questions that were not ready in time
    stray_keys: int
    rewritten: int  # how often another program changed the log
    verified: str  # yes, no, or empty: not since the log last changed
    receipt: str | None
    bonus: bool | None  # due or not; None before the end, or without one
    excluded: str | None  # the reason
    note: str | None  # the last one
    problem: str  # why the log can't be read

    @property
    def label(self) -> str:
        """The state in one word, for a table."""
        return "open" if self.open else self.state

    def as_mapping(self) -> dict[str, Any]:
        return asdict(self)


class Status:
    """The participants in a folder of sessions, seen again and again."""

    def __init__(self, sessions: Path) -> None:
        self.sessions = sessions
        self._logs: dict[str, LiveLog] = {}
        self._rows: dict[str, Row] = {}  # as they were last, of logs that have not changed since
        self._conduct: Conduct | None = None  # what these rows say about notes and exclusions

    def update(self, seen: Callable[[int, int], None] | None = None) -> bool:
        """Look at all logs again; was anything new?  ``seen`` is told how many logs have been looked at."""
        paths = self._paths()
        gone = self._logs.keys() - paths.keys()
        for name in gone:
            del self._logs[name]
            self._rows.pop(name, None)
        changed = bool(gone)
        for done, (name, path) in enumerate(paths.items(), start=1):
            log = self._logs.get(name)
            if log is None:
                log = self._logs[name] = LiveLog(path)
            if log.update():
                changed = True
                self._rows.pop(name, None)
            if seen:
                seen(done, len(paths))
        return changed

    def _paths(self) -> dict[str, Path]:
        with explained(self.sessions):
            if not self.sessions.exists():
                return {}
            if not self.sessions.is_dir():
                raise FileError(self.sessions, "this is a file, but session logs are in a folder")
            paths = (path for path in self.sessions.iterdir() if path.suffix == ".yaml")
            return {path.name: path for path in sorted(paths) if not path.name.startswith(".")}

    def rows(self, conduct: Conduct) -> list[Row]:
        """One row per participant, sorted by ID; numbers in IDs count as numbers."""
        if conduct is not self._conduct:
            self._rows.clear()
            self._conduct = conduct
        for name, log in self._logs.items():
            row = self._rows.get(name)
            if row is None:
                self._rows[name] = _row(log, conduct)
            elif row.open != log.is_open:  # a killed session writes nothing
                self._rows[name] = replace(row, open=log.is_open)
        return sorted(self._rows.values(), key=_key)


def _row(log: LiveLog, conduct: Conduct) -> Row:
    participant, place = log.participant, log.place
    notes, excluded = conduct.notes.get(participant, []), conduct.excluded.get(participant)
    where = "" if place is None else str(place)
    return Row(
        participant=participant,
        kind=log.kind,
        state=log.state,
        open=log.is_open,
        place=f"{where}, question {log.question}" if log.question else where,
        round=place.round or None if place else None,
        rounds=place.rounds if place else None,
        question=log.question,
        answers=log.answers,
        began=log.began,
        host=log.host,
        last=log.last_at,
        minutes=log.minutes,
        resumes=log.resumes,
        late=log.late,
        stray_keys=log.stray_keys,
        rewritten=log.rewritten,
        verified=_verified(log, conduct),
        receipt=log.receipt,
        bonus=log.bonus,
        excluded=excluded.reason if excluded else None,
        note=notes[-1].text if notes else None,
        problem=log.problem,
    )


def _verified(log: LiveLog, conduct: Conduct) -> str:
    last = conduct.verified.get(log.participant)
    if last is None or last.chain != log.chain:
        return ""
    return "yes" if last.verdict == "verified" else "no"


def _key(row: Row) -> tuple[object, ...]:
    name = row.participant.lower()
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits) if digits else -1, name


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """How many participants are in each state, those that exist; exclusions are a count of their own."""
    rows = list(rows)
    by_state = {state: sum(row.label == state for row in rows) for state in STATES}
    by_state["excluded"] = sum(row.excluded is not None for row in rows)
    return {state: count for state, count in by_state.items() if count}
