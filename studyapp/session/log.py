"""The session log on disk: one append-only file per participant.

When ``append`` returns, the event is on disk (fsync).  A process that dies while writing leaves a torn
tail: an event that was never reported as saved.  The tail is moved to a file of its own, never interpreted.

A log has one writer, which holds a lock on the file itself.  The system releases the lock when the
writer ends, even after kill -9.

Other programs don't respect locks: an editor, a backup or a synchronised folder may change the file while
the session runs.  So the writer remembers every byte of the log and compares the file with them before it
appends.  If they differ, it keeps what it finds under another name, puts the whole log in its place, and
adds an event that says so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.errors import FileError
from core.files import explained, ordinary
from studyapp.base.clock import Clock, SystemClock, iso
from studyapp.base.disk import FLAGS, START, read_all, sync_folder, try_lock, write_all, write_file
from studyapp.session.events import Event, Found, Resumed, Rewritten, Started, Withdrawn
from studyapp.session.log_format import (
    LARGEST_EVENT,
    LARGEST_HEAD,
    LARGEST_LOG,
    LogContents,
    check_size,
    encode,
    encode_event,
    head_of,
    parse,
)

_ASIDE = ("torn", "damaged")  # files beside a log that hold parts of it


def read(path: str | os.PathLike[str]) -> LogContents:
    """Read a log, even while another process is writing it."""
    with ordinary(path) as file:
        size = os.fstat(file.fileno()).st_size
        check_size(path, size)
        raw = file.read(size)
    return parse(raw, path)


def read_head(path: Path) -> LogContents | None:
    """The first event of a log with its link, whatever comes after it; None if it can't be read."""
    with ordinary(path) as file:
        contents = _only_head(file.read(LARGEST_HEAD), path)
    return contents if contents.events else None


class Log:
    """A log that this process alone has open for writing."""

    def __init__(self, path: Path, clock: Clock | None = None, *, to_erase: bool = False) -> None:
        """Open a log, or begin a new one; raises a FileError if that is not possible.

        To erase a log, only its head is read: whatever is damaged after it goes anyway.  Without a head that
        can be read, there are no events.
        """
        self.path = path
        self._clock = clock or SystemClock()
        with explained(path):
            self._file = _open_locked(path)
            try:
                check_size(path, os.fstat(self._file).st_size)
                raw = read_all(self._file)
                contents = _only_head(raw, path) if to_erase else parse(raw, path)
            except (OSError, FileError):
                os.close(self._file)
                raise
        self.events = contents.events
        self.torn = contents.torn
        self.rewritten: list[Rewritten] = []  # since it was opened
        self.chain = contents.chain  # the last link: a fingerprint of the whole log
        self._raw = bytearray(raw[: len(raw) - len(contents.torn)])  # what the file must hold
        self._attempt = b""  # an event that could not be written; a part of it may be in the file

    def set_torn_aside(self) -> Path:
        """Copy the torn tail to a file beside the log, then cut it off the log."""
        aside = self._aside("torn")
        with explained(aside):
            write_file(aside, self.torn)
            sync_folder(aside.parent)
        with explained(self.path):
            os.ftruncate(self._file, len(self._raw))
            os.fsync(self._file)
        self.torn = b""
        return aside

    def append(self, event: Event) -> None:
        """Write an event.  When this returns, it is on disk; when it raises, it was not added."""
        with explained(self.path):
            self._ensure_in_place()
            data, chain = encode_event(event, self.chain)
            largest = LARGEST_EVENT if self.events else LARGEST_HEAD
            if len(data) > largest or len(self._raw) + len(data) > LARGEST_LOG:
                problem = (
                    f"adding the {len(data):,} bytes of {event.event!r} would make the log too large to read"
                )
                raise FileError(self.path, problem)
            self._attempt = data
            try:
                os.ftruncate(self._file, len(self._raw))  # an attempt that failed may have left something
                os.lseek(self._file, len(self._raw), os.SEEK_SET)
                write_all(self._file, data)
                os.fsync(self._file)
                if not self.events:
                    sync_folder(self.path.parent)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, len(self._raw))
                raise
        self._added(event, data, chain)

    def _added(self, event: Event, data: bytes, chain: str) -> None:
        self._attempt = b""
        self._raw += data
        self.chain = chain
        self.events.append(event)

    def _ensure_in_place(self) -> None:
        """Write the whole log to a new file at its path if another program changed it.

        The path always has a file: the one that was found, or the new one, complete and locked.
        """
        found = self._found()
        if found is None:
            return
        if found == "replaced":
            self._refuse_rival()
        kept = None if found == "missing" else self._aside("damaged")
        note, data, chain = None, b"", self.chain
        if self.events:
            # It comes before the event that is being saved, so its stopwatch must not be later.
            at, clock_ms = iso(self._clock.now()), self.events[-1].clock_ms
            note = Rewritten(found, kept.name if kept else None, at=at, clock_ms=clock_ms)
            data, chain = encode_event(note, chain)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._write_part(bytes(self._raw) + data)
            if kept:
                _keep(self.path, kept)
            self._file = self._move_part()
        except OSError:
            self._part.unlink(missing_ok=True)
            raise
        self._attempt = b""
        if note:
            self._added(note, data, chain)
            self.rewritten.append(note)
        sync_folder(self.path.parent)

    def _found(self) -> Found | None:
        """What another program did to the log since this process last wrote it; None if nothing."""
        try:
            there = self.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        status, size = os.fstat(self._file), len(self._raw)
        if not os.path.samestat(status, there):
            return "replaced"
        if status.st_size < size:
            return "cut short"
        if status.st_size > size + len(self._attempt):
            return "added to"
        raw = read_all(self._file)  # every byte, before every event: a log of 300 kB takes 0.1 ms
        if raw[:size] != self._raw:
            return "changed"
        return None if self._attempt.startswith(raw[size:]) else "added to"

    def _refuse_rival(self) -> None:
        """Don't take a log away from another studyapp, which has opened it in the place of this one."""
        if not stat.S_ISREG(self.path.lstat().st_mode):
            return
        try:
            file = os.open(self.path, os.O_RDWR)
        except OSError:  # whatever it is, it is not a log that is being written
            return
        try:
            if not try_lock(file):
                raise FileError(self.path, _already_open(self.path))
        finally:
            os.close(file)

    @property
    def _part(self) -> Path:
        """The place for a new file that is to replace the log."""
        return self.path.with_name(f".{self.path.name}.{os.getpid()}.part")

    def _write_part(self, data: bytes) -> None:
        self._part.unlink(missing_ok=True)  # a killed process with the same number may have left one
        write_file(self._part, data)

    def _move_part(self) -> int:
        """Move the new file to the path of the log, locked; returns it open for writing."""
        if sys.platform == "win32":  # which moves no file that is open
            os.close(self._file)
            self._part.replace(self.path)
            return _open_locked(self.path)
        file = os.open(self._part, FLAGS)
        try_lock(file)  # nobody else knows this file yet
        try:
            self._part.replace(self.path)
        except OSError:
            os.close(file)
            raise
        os.close(self._file)
        return file

    def erase(self, started: Started, withdrawn: Withdrawn) -> None:
        """Replace this log with one that holds only its head and the withdrawal, whole or not at all.

        Files set aside are removed too: they may contain answers.  A full disk has no room for a second
        file; then the answers are cut off this one, and the withdrawal is appended.
        """
        with explained(self.path):
            try:
                self._write_part(encode([started, withdrawn]))
                self._remove_asides()
                self._file = self._move_part()
                sync_folder(self.path.parent)
            except OSError as error:
                self._part.unlink(missing_ok=True)
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                self._erase_in_place(started, withdrawn)
        self.events[:] = [started, withdrawn]

    def remove(self) -> None:
        """Remove the log and the files set aside: for answers to be deleted from a log without a head."""
        with explained(self.path):
            self._remove_asides()
            self.path.unlink()
            sync_folder(self.path.parent)

    def _erase_in_place(self, started: Started, withdrawn: Withdrawn) -> None:
        if self._found() in ("missing", "replaced"):
            self._ensure_in_place()
        self._remove_asides()
        head = head_of(bytes(self._raw))
        self._raw, self.chain = bytearray(head), parse(head, self.path).chain
        os.lseek(self._file, 0, os.SEEK_SET)
        write_all(self._file, head)  # the same bytes, unless another program changed them
        os.ftruncate(self._file, len(head))
        self.events[:] = [started]
        self.append(withdrawn)

    def _aside(self, kind: str) -> Path:
        # The name uses real time: simulated time may stand still, and the name must be new.
        return self.path.with_name(f"{self.path.name}.{kind}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")

    def _remove_asides(self) -> None:
        patterns = [f"{self.path.name}.{kind}-*" for kind in _ASIDE]
        for pattern in (*patterns, f".{self.path.name}.*.part"):
            for aside in self.path.parent.glob(pattern):
                if aside != self._part and not aside.is_dir():
                    aside.unlink()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        with contextlib.suppress(OSError):
            os.close(self._file)


def _only_head(raw: bytes, path: Path) -> LogContents:
    try:
        contents = parse(head_of(raw), path)
    except FileError:
        return LogContents([], [], START, b"")
    return replace(contents, torn=b"")


def _open_locked(path: Path) -> int:
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode) and not path.is_dir():
        raise FileError(path, "this is a link or a device, but a log must be a file; move it away")
    while True:
        file = os.open(path, FLAGS, 0o600)
        try:
            if not try_lock(file):
                raise FileError(path, _already_open(path))
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # another file took its place between the two calls: open that one


def _already_open(path: Path) -> str:
    """The message about a log that another process is writing."""
    writer = ""
    with contextlib.suppress(FileError):
        opened = [event for event in read(path).events if isinstance(event, Started | Resumed)]
        if opened:
            last = opened[-1]
            writer = f" (process {last.process} on {last.host}, since {last.at})"
    return f"this session is already open{writer}; continue there, or end it there first"


def _keep(path: Path, kept: Path) -> None:
    """Give what is at a path a second name, so that it is not lost when another file takes its place."""
    try:
        os.link(path, kept, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a folder, or a disk without such links
        if os.path.lexists(kept):
            raise
        path.rename(kept)
