"""Deleting a participant's answers on request, also after the session has ended.

The event is written first, and then the log is erased, while nobody else can open it.  Whatever stops
studyapp in between, the study's log says that the answers are to be deleted, and ``complete`` erases them.
What stays is a tombstone: the head of the log, and an event that says that the answers were deleted.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import FileError
from studyapp.base.clock import SystemClock, iso
from studyapp.office.conduct import Conduct, read_conduct, record_decision
from studyapp.office.events import Analysed, BackedUp, Deleted, Exported
from studyapp.session import log
from studyapp.session.events import Answered, Event, Started, Withdrawn
from studyapp.session.ids import check_name, log_path
from studyapp.session.log import Log
from studyapp.study.folder import StudyFolder
from studyapp.study.ids import is_id


@dataclass(frozen=True)
class Deletion:
    """What became of a participant's answers."""

    path: Path  # of the log
    before: str | None  # when they had been deleted before; None if they are deleted now
    answers: int | None = None  # None if the log was too damaged to tell
    tombstone: bool = True  # does the log say so?  A log without a readable head was removed


def grave(events: list[Event]) -> Withdrawn | None:
    """The event that says that a log's answers were deleted; None if it still has them."""
    last = events[-1] if events else None
    return last if isinstance(last, Withdrawn) and last.data == "deleted" else None


def delete(folder: StudyFolder, participant: str, reason: str | None = None) -> Deletion:
    """Delete a participant's answers; raises a FileError if the session is open, and deletes nothing then."""
    path = log_path(folder.sessions, participant)
    if not os.path.lexists(path) and (gone := read_conduct(folder.log).deleted.get(participant)):
        return Deletion(path, gone.at)
    opened = _Erasable(path)
    try:
        opened.check_name()
        if (withdrawn := grave(opened.events)) is not None:
            return Deletion(path, withdrawn.at)
        deleted = Deleted(participant, opened.answers, opened.head, reason)
        record_decision(folder, lambda conduct: [] if _is_decided(conduct, deleted) else [deleted])
        opened.erase()
    finally:
        opened.close()
    return Deletion(path, None, deleted.answers, tombstone=opened.head is not None)


def complete(folder: StudyFolder) -> list[str]:
    """Erase the logs whose deletion was decided, and interrupted; returns whose they are."""
    participants = interrupted(folder, read_conduct(folder.log))
    for participant in participants:
        delete(folder, participant)
    return participants


def interrupted(folder: StudyFolder, conduct: Conduct) -> list[str]:
    """The participants whose deletion was decided, but whose answers are still there."""
    return [participant for participant, deleted in conduct.deleted.items() if _remains(folder, deleted)]


def _remains(folder: StudyFolder, deleted: Deleted) -> bool:
    if not is_id(deleted.participant):
        return False
    path = log_path(folder.sessions, deleted.participant)
    if not path.is_file():
        return False
    head = log.read_head(path)
    if (None if head is None else head.chain) != deleted.head:  # another session under the same ID
        return False
    try:
        return grave(log.read(path).events) is None
    except FileError:
        return True


def _is_decided(conduct: Conduct, deleted: Deleted) -> bool:
    before = conduct.deleted.get(deleted.participant)
    return before is not None and before.head == deleted.head


def copies_of(participant: str, conduct: Conduct) -> Iterator[BackedUp | Exported | Analysed]:
    """What was made from a participant's answers, and still has them unless it was removed since."""
    made: list[BackedUp | Exported | Analysed] = [*conduct.backups, *conduct.exports, *conduct.analyses]
    with_answers = (event for event in made if participant in event.participants)
    # What was made twice in one place is there once.
    yield from {(event.event, _place(event), event.host): event for event in with_answers}.values()


def about_copies(participant: str, conduct: Conduct) -> Iterator[str]:
    """Lines that name what still has answers of a participant; none if nothing has."""
    if copies := list(copies_of(participant, conduct)):
        yield f"These still have answers of {participant}, if they exist; remove them, or make them again:"
        yield from (f"  {_named(copy)}" for copy in copies)


def _place(copy: BackedUp | Exported | Analysed) -> str:
    return copy.file if isinstance(copy, BackedUp) else copy.folder


def _named(copy: BackedUp | Exported | Analysed) -> str:
    kind = {"backup": "a backup", "export": "an export", "analyse": "an analysis"}[copy.event]
    where = "" if copy.host == socket.gethostname() else f", on {copy.host}"
    return f"{_place(copy)} ({kind} of {copy.at}{where})"


class _Erasable:
    """A log that nobody else can open, as much of it as can be read."""

    def __init__(self, path: Path) -> None:
        self._log = Log(path, to_erase=True)
        started = self._log.events[0] if self._log.events else None
        assert started is None or isinstance(started, Started)
        self._started = started
        self.head = self._log.chain if started else None
        self.events: list[Event] = []
        self.answers: int | None = None
        try:
            self.events = log.read(path).events
            self.answers = sum(isinstance(event, Answered) for event in self.events)
        except FileError:  # damaged
            pass

    def check_name(self) -> None:
        """Refuse a log that is somebody else's: another participant's answers would be deleted."""
        if self._started is not None:
            check_name(self._log.path, self._started.participant)

    def erase(self) -> None:
        if self._started is None:
            self._log.remove()
            return
        # No sitting is open, so its stopwatch stands still where it began.
        at, clock_ms = iso(SystemClock().now()), self._started.clock_ms
        withdrawn = Withdrawn("deleted", self.answers or 0, at=at, by="experimenter", clock_ms=clock_ms)
        self._log.erase(self._started, withdrawn)

    def close(self) -> None:
        self._log.close()
