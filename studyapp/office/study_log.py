"""The study's own log, ``study.log.yaml``: what the experimenter did, event by event.

It is a chained file like a session log (``studyapp.base.entries``), but many processes append to it, each
for a moment: the office, and every command that decides something.  So each append takes the lock, reads the
whole file, writes its events after it, forces them to disk and lets go.  Reading takes no lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained, ordinary
from core.wording import printable
from studyapp.base import entries
from studyapp.base.disk import FLAGS, START, read_all, sync_folder, try_lock, write_all, write_file
from studyapp.office.events import StudyEvent, as_mapping, check_event, from_json

BEGIN = b'--- {"event": "'  # of every event, also of a torn one as far as it goes
LARGEST = 64_000_000  # bytes
LARGEST_EVENT = 1_000_000
PATIENCE = 10.0  # seconds to wait for another process, which writes one event
POLL = 0.02
CURE = (  # README.md explains it step by step
    "move this file aside, and put in its place the one from the newest backup in which it is unchanged"
)


def read(path: Path) -> list[StudyEvent]:
    """All events so far; none if there is no such file.  Raises a FileError that names the faulty line."""
    if not os.path.lexists(path):
        return []
    with ordinary(path) as file:
        return parse(file.read(LARGEST + 1), path)[0]


def append(path: Path, *events: StudyEvent) -> None:
    """Write events.  When this returns, they are on disk; when it raises, none of them was added."""
    extend(path, lambda _: events)


def extend(path: Path, decide: Callable[[list[StudyEvent]], Sequence[StudyEvent]]) -> list[StudyEvent]:
    """Write the events that follow from those so far, and return them; nobody else writes in between."""
    with explained(path):
        file = _open_locked(path)
        try:
            before, chain, torn, size = _read_locked(file, path)
            events = list(decide(before))
            for event in events:
                check_event(event)
            if not events:
                return events
            if torn:  # a process died while writing: keep what it left, and never guess what it meant
                write_file(path.with_name(f"{path.name}.torn-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"), torn)
            _write(file, size, _encoded(events, chain))
            if not before:
                sync_folder(path.parent)
        finally:
            os.close(file)
    return events


def _read_locked(file: int, path: Path) -> tuple[list[StudyEvent], str, bytes, int]:
    """The events, the last link, a torn tail, and the bytes before it."""
    _check_size(os.fstat(file).st_size, path)
    raw = read_all(file)
    events, chain, torn = parse(raw, path)
    return events, chain, torn, len(raw) - len(torn)


def _encoded(events: Sequence[StudyEvent], chain: str) -> bytes:
    parts = []
    for event in events:
        document, chain = entries.encode(as_mapping(event), chain)
        parts.append(document)
    return b"".join(parts)


def _write(file: int, size: int, data: bytes) -> None:
    try:
        os.ftruncate(file, size)
        os.lseek(file, size, os.SEEK_SET)
        write_all(file, data)
        os.fsync(file)
    except OSError:
        with suppress(OSError):
            os.ftruncate(file, size)
        raise


def _open_locked(path: Path) -> int:
    until = time.monotonic() + PATIENCE
    while True:
        if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
            raise FileError(path, "this is a link, a folder or a device, but the study's log must be a file")
        file = os.open(path, FLAGS | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            if try_lock(file) and os.path.samestat(os.fstat(file), path.stat()):
                return file
        except FileNotFoundError:  # another program took it away between the two calls
            pass
        os.close(file)
        if time.monotonic() > until:
            raise FileError(
                path, "another studyapp has been writing this for too long; close it and try again"
            )
        time.sleep(POLL)


def _check_size(size: int, path: Path) -> None:
    if size > LARGEST:
        raise FileError(path, f"the file is larger than {LARGEST:,} bytes; the log of a study never is")


def parse(raw: bytes, path: Path, cure: str = CURE) -> tuple[list[StudyEvent], str, bytes]:
    """The events in the bytes of a log, the last link, and a torn tail.

    ``path`` and ``cure`` are for error messages: which file it is, and what to do if it was changed.
    """
    _check_size(len(raw), path)
    events: list[StudyEvent] = []
    chain, line, begin = START, 1, 0
    while (end := entries.end_of(raw, begin)) is not None:
        where = f"line {line}"
        found = entries.checked(raw[begin:end], chain) if end - begin <= LARGEST_EVENT else None
        if found is None:
            problem = "this event, or something before it, was changed after it was written"
            raise FileError(path, f"{problem}; {cure}", where=where)
        body, chain = found
        try:
            events.append(from_json(body))
        except SettingError as error:
            problem = f"this version of studyapp knows no such event: {printable(str(error))}"
            raise FileError(path, problem, where=where) from None
        line += raw.count(b"\n", begin, end)
        begin = end
    torn = raw[begin:]
    if torn.strip(b"\0") and not torn.startswith(BEGIN[: len(torn)]):
        problem = "this is not the log of a study, or it was edited"
        raise FileError(path, f"{problem}; {cure}", where=f"line {line}")
    return events, chain, torn
