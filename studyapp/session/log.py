"""The session log on disk: one append-only file per participant.

When ``append`` returns, the event is on disk (fsync).  A process that dies while writing leaves a torn
tail: an event that was never reported as saved.  The tail is moved to a file of its own, never interpreted.

A log has one writer, which holds a lock on the file itself.  The system releases the lock when the
writer ends, even after kill -9.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path

from core.errors import FileError
from core.files import explained
from studyapp.base.lock import try_lock
from studyapp.session.events import Event, Resumed, Started, Withdrawn
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

__all__ = ["Log", "read"]

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read(path: str | os.PathLike[str]) -> LogContents:
    """Read a log, even while another process is writing it."""
    with explained(path):
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise FileError(path, "this is a pipe or a device, but a log must be a file")
        check_size(path, status.st_size)
        with Path(path).open("rb") as file:
            raw = file.read(status.st_size)
    return parse(raw, path)


class Log:
    """A log that this process alone has open for writing."""

    def __init__(self, path: Path) -> None:
        """Open a log, or begin a new one; raises a FileError if that is not possible."""
        self.path = path
        with explained(path):
            self._file = _open_locked(path)
            try:
                check_size(path, os.fstat(self._file).st_size)
                raw = _read_all(self._file)
                contents = parse(raw, path)
            except (OSError, FileError):
                os.close(self._file)
                raise
        self.events = contents.events
        self.torn = contents.torn
        self._chain = contents.chain
        self._size = len(raw) - len(contents.torn)

    def set_torn_aside(self, name: str) -> Path:
        """Copy the torn tail to a file beside the log, then cut it off the log."""
        aside = self.path.with_name(name)
        with explained(aside):
            _write_file(aside, os.O_EXCL, self.torn)
            _sync_folder(aside.parent)
        with explained(self.path):
            os.ftruncate(self._file, self._size)
            os.fsync(self._file)
        self.torn = b""
        return aside

    def append(self, event: Event) -> None:
        """Write an event.  When this returns, it is on disk; when it raises, nothing was added."""
        data, chain = encode_event(event, self._chain)
        largest = LARGEST_EVENT if self.events else LARGEST_HEAD
        if len(data) > largest or self._size + len(data) > LARGEST_LOG:
            problem = (
                f"adding the {len(data):,} bytes of {event.event!r} would make the log too large to read"
            )
            raise FileError(self.path, problem)
        with explained(self.path):
            try:
                self._ensure_in_place()
                # Anything behind the last event is left from an earlier attempt that failed.
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
                _write_all(self._file, data)
                os.fsync(self._file)
                if not self.events:
                    _sync_folder(self.path.parent)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, self._size)
                raise
        self._size += len(data)
        self._chain = chain
        self.events.append(event)

    def _ensure_in_place(self) -> None:
        """Check that the log is still at its path; write it there again if it was moved or removed.

        The open file would still take every event, but nobody would find it again.
        """
        status = os.fstat(self._file)
        if status.st_size < self._size:
            raise FileError(self.path, "another program cut this file short during the session")
        try:
            if os.path.samestat(status, self.path.stat()):
                return
        except FileNotFoundError:
            pass
        whole = _read_all(self._file)[: self._size]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(self.path, _FLAGS | os.O_EXCL, 0o600)
        except FileExistsError:
            problem = "another file took the place of this one during the session; move it away"
            raise FileError(self.path, problem) from None
        try:
            if not try_lock(file):
                raise FileError(self.path, "another studyapp has opened this new file; close that one")
            _write_all(file, whole)
            os.fsync(file)
            _sync_folder(self.path.parent)
        except (OSError, FileError):
            os.close(file)
            self.path.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file = file

    def erase(self, started: Started, withdrawn: Withdrawn) -> None:
        """Replace this log with one that holds only its head and the withdrawal, whole or not at all.

        Torn tails that were set aside are removed too: they may contain an answer.  A full disk has no
        room for a second file; then the answers are cut off this one, and the withdrawal is appended.
        """
        data = encode([started, withdrawn])
        part = self.path.with_name(f".{self.path.name}.part")
        with explained(self.path):
            try:
                _write_file(part, os.O_TRUNC, data)
                self._remove_asides()
                if sys.platform == "win32":
                    os.close(self._file)  # Windows does not replace an open file
                part.replace(self.path)
                _sync_folder(self.path.parent)
            except OSError as error:
                part.unlink(missing_ok=True)
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                self._erase_in_place(started, withdrawn)
        self.events[:] = [started, withdrawn]

    def _erase_in_place(self, started: Started, withdrawn: Withdrawn) -> None:
        self._ensure_in_place()
        self._remove_asides()
        head = head_of(_read_all(self._file))
        self._size, self._chain = len(head), parse(head, self.path).chain
        os.ftruncate(self._file, self._size)
        self.events[:] = [started]
        self.append(withdrawn)

    def _remove_asides(self) -> None:
        for aside in self.path.parent.glob(f"{self.path.name}.torn-*"):
            aside.unlink()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        with contextlib.suppress(OSError):
            os.close(self._file)


def _open_locked(path: Path) -> int:
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode) and not path.is_dir():
        raise FileError(path, "this is a link or a device, but a log must be a file; move it away")
    while True:
        file = os.open(path, _FLAGS, 0o600)
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
            writer = f" by process {last.process} on {last.host}, since {last.at}"
    return f"this session is already open{writer}; continue there, or end it there first"


def _read_all(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _write_file(path: Path, flag: int, data: bytes) -> None:
    """Write a whole file that only its owner can read, and force it to disk."""
    file = os.open(path, _FLAGS | flag, 0o600)
    try:
        _write_all(file, data)
        os.fsync(file)
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    """Force a new name in a folder to disk; Windows offers no way to, and needs none."""
    if sys.platform != "win32":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
