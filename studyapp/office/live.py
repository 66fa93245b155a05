"""A session log that may still be growing, read bit by bit and without its lock.

Each look reads only what is new.  A log that was replaced or has become shorter (its answers were deleted) is
read again from the start.  Answers are counted and then forgotten, so hundreds of logs take little memory.
"""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import ordinary
from studyapp.base.clock import iso
from studyapp.base.environment import is_alive
from studyapp.session.events import (
    Answered,
    Event,
    Finished,
    Interrupted,
    Left,
    Resumed,
    Rewritten,
    Started,
    Withdrawn,
)
from studyapp.session.ids import check_name
from studyapp.session.log_format import LogContents, check_size, parse, parse_later
from studyapp.session.place import Place, closing_line, place_of
from studyapp.session.receipts import receipt_of
from studyapp.session.resuming import end_of
from studyapp.session.saved import one_log
from studyapp.session.session import AskWord, Session

# What is wrong might name a model, which nobody in the office should read by accident.
INVALID = "this is not a session as this version of studyapp knows them; studyapp verify says why"


class LiveLog:
    """What one log says about the conduct of its session; nothing about its outcome but the bonus."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None  # file, size and time of the last look
        self._forget()

    def _forget(self) -> None:
        self.problem = ""  # why the log can't be read
        self.session: Session | None = None
        self.chain = ""
        self.last: Event | None = None
        self._sitting: Started | Resumed | None = None  # the event that began the last sitting
        self.answers = self.late = self.stray_keys = self.resumes = self.rewritten = 0
        self._pilot = False  # was the experimenter's view ever on?
        self._offset, self._line = 0, 1  # after the last whole event
        self._ms = [0.0]  # the stopwatch of each sitting

    def update(self) -> bool:
        """Look at the log again; was there anything new?"""
        before, self._seen = self._seen, self._look()
        if self._seen is not None and self._seen == before:
            return False
        grown = before is not None and self._seen is not None and before[0] == self._seen[0]
        if not (grown and not self.problem and self._try_to_read()):
            self._forget()  # another log in its place, or the same one written anew
            self._try_to_read()
        return True

    def _look(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _try_to_read(self) -> bool:
        try:
            with one_log(self.path):
                self._read()
        except FileError as error:
            self.problem = f"{error.where}: {error.problem}" if error.where else error.problem
            return False
        return True

    def _read(self) -> None:
        """Read what comes after the last whole event."""
        with ordinary(self.path) as file:
            size = os.fstat(file.fileno()).st_size
            check_size(self.path, size)
            if size < self._offset:
                raise FileError(self.path, "the log has become shorter")
            file.seek(self._offset)
            raw = file.read(size - self._offset)
        if self._offset:
            contents = parse_later(raw, self.path, self._line, self.chain)
        else:
            contents = parse(raw, self.path)
        self._take(contents)
        whole = len(raw) - len(contents.torn)
        self._offset += whole
        self._line += raw.count(b"\n", 0, whole)

    def _take(self, contents: LogContents) -> None:
        line = 1
        try:
            for event, line in zip(contents.events, contents.lines, strict=True):  # noqa: B007 (for the error)
                if isinstance(event, Started):
                    self._begin(event)
                else:
                    assert self.session is not None
                    self.session.apply(event)
                self._count(event)
        except SettingError:
            raise FileError(self.path, INVALID, where=f"line {line}") from None
        self.chain = contents.chain
        if self.session is not None:
            self.session.forget_answers()

    def _begin(self, started: Started) -> None:
        check_name(self.path, started.participant)
        self.session = Session(started)

    def _count(self, event: Event) -> None:
        if isinstance(event, Started | Resumed):
            self._sitting = event
            self._pilot |= event.pilot
        if isinstance(event, Resumed):
            self.resumes += 1
            self._ms.append(0.0)
        elif isinstance(event, Answered):
            self.answers += 1
            self.late += bool(event.late)
            self.stray_keys += event.stray_keys or 0
        elif isinstance(event, Rewritten):
            self.rewritten += 1
        self._ms[-1] = max(self._ms[-1], event.clock_ms or 0.0)
        if not isinstance(event, Answered) or event.shown_at is not None:
            self.last = event

    # --- what it says

    @property
    def participant(self) -> str:
        """A log is named after its participant."""
        return self.path.stem

    @property
    def kind(self) -> str:
        """Who answers: a person, a pilot, an import or a simulation."""
        if self.session is None:
            return ""
        started = self.session.started
        if started.imported:
            return "imported"
        if started.simulated:
            return "simulated"
        return "pilot" if self._pilot or self.session.study.stage == "pilot" else "person"

    @property
    def state(self) -> str:
        """How far the session got."""
        if self.problem or self.session is None:
            return "broken" if self.problem else "empty"
        over = self.session.over
        if isinstance(over, Withdrawn):
            return "deleted" if over.data == "deleted" else "withdrawn"
        if self.session.declined:
            return "declined"
        return "finished" if over else "unfinished"

    @property
    def is_open(self) -> bool:
        """Is somebody answering now, on this machine?  As far as can be told without the lock."""
        if self.state != "unfinished" or isinstance(self.last, Left | Interrupted):
            return False
        sitting = self._sitting
        return sitting is not None and is_alive(sitting.host, sitting.process)

    @property
    def place(self) -> Place | None:
        """Where the session continues; None if it does not."""
        return place_of(self.session) if self.session is not None and self.session.over is None else None

    @property
    def question(self) -> int | None:
        """The number of the question that is next, in a round."""
        if self.place is None or self.session is None or not isinstance(self.session.step, AskWord):
            return None
        return self.session.step.question

    @property
    def began(self) -> str | None:
        return self.session.started.at if self.session else None

    @property
    def host(self) -> str | None:
        """The computer on which the session began."""
        return self.session.started.host if self.session else None

    @property
    def last_at(self) -> str | None:
        """When the last event ended."""
        return iso(end_of(self.last)) if self.last else None

    @property
    def minutes(self) -> float | None:
        """How long the session has been open, in all its sittings."""
        if self.session is None or self.session.started.imported:
            return None
        return round(sum(self._ms) / 60_000, 1)

    @property
    def bonus(self) -> bool | None:
        """Is a bonus due?  None if the session is not finished, or the study has none."""
        over = self.session.over if self.session else None
        return over.bonus if isinstance(over, Finished) else None

    @property
    def receipt(self) -> str | None:
        """The receipt of a finished session; an imported one has none, since it finished elsewhere."""
        if self.session is None or self.session.started.imported:
            return None
        return receipt_of(self.chain) if isinstance(self.session.over, Finished) else None


def outcome(path: Path) -> str:
    """How the session of this log ended, in one line for the experimenter who comes back to the office."""
    log = LiveLog(path)
    log.update()
    if log.session is not None:
        return closing_line(log.session, log.receipt, options=None)
    return f"{path.stem}: {log.problem}" if log.problem and path.exists() else f"{path.stem} has not begun."
