"""The session log: an append-only stream of YAML documents, one file a participant.

Every event is on disk (fsync) when ``append`` returns, and ends with a line ``...``.  A process that
dies while writing leaves a tail without that line: its event was never acknowledged to anyone.  The
tail is set aside in a file of its own and never guessed at (a truncated YAML document may well parse).

The head is written for people.  Every later event is one line that is JSON as well as YAML, which is
read ten times faster and has neither tags nor aliases.

Events are chained: the last field of each, ``chain``, is a hash of all bytes before it in its document
and of the chain of the document before.  So whatever is changed, taken out or put in shows at its line.
There is no secret in it: it shows what happens to files, by accident or by hand, and not what someone
does who works out a whole new chain.

There is one writer, who holds a lock on the file itself; the system takes it back when the writer
ends, by kill -9 too.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained
from studyapp.base import documents
from studyapp.base.lock import try_lock
from studyapp.session.events import (
    SCHEMA,
    Event,
    Resumed,
    Started,
    Withdrawn,
    as_mapping,
    from_json,
    from_mapping,
)

__all__ = ["ChangedError", "Log", "Saved", "read", "written"]

BEGINS = b"---\nevent: session\n"  # every log
ENDS = b"...\n"  # every event
HEAD_CHAINED = re.compile(rb'\nchain: "([0-9a-f]{16})"\n\.\.\.\n\Z')  # the end of the head
CHAINED = re.compile(rb', "chain": "([0-9a-f]{16})"\}\n\.\.\.\n\Z')  # and of every later event
LARGEST_LOG = 64_000_000  # bytes: 100,000 answers and more
LARGEST_HEAD = 8_000_000  # a thousand words and a plan for twenty models
LARGEST_EVENT = 100_000  # the longest free text there may be, every character of it escaped
FOREIGN = "this is not a session log of studyapp; is the ID or the folder right?"


class ChangedError(FileError):
    """A log is not as it was written."""


@dataclass(frozen=True)
class Saved:
    """What a log holds."""

    events: list[Event]
    lines: list[int]  # on which each event begins
    chain: str  # of the last event: it stands for all of the log
    torn: bytes  # what a writer that died left behind, without its end


def read(path: str | os.PathLike[str]) -> Saved:
    """Read a log, whoever may be writing it."""
    with explained(path):
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise FileError(path, "this is a pipe or a device, and a log is a file")
        _check_size(path, status.st_size)
        with Path(path).open("rb") as file:
            raw = file.read(status.st_size)
    return _parse(raw, path)


def written(events: Iterable[Event]) -> bytes:
    """A whole log."""
    documents_, chain = [], ""
    for event in events:
        document, chain = _written(event, chain)
        documents_.append(document)
    return b"".join(documents_)


class Log:
    """A log that is open for writing, by this process alone."""

    def __init__(self, path: Path) -> None:
        """Open a log or begin a new one; a FileError tells why it cannot be had."""
        self.path = path
        with explained(path):
            self._file = _open_locked(path)
            try:
                _check_size(path, os.fstat(self._file).st_size)
                raw = _read_all(self._file)
                saved = _parse(raw, path)
            except (OSError, FileError):
                os.close(self._file)
                raise
        self.events = saved.events
        self.torn = saved.torn
        self._chain = saved.chain
        self._size = len(raw) - len(saved.torn)

    def set_torn_aside(self, name: str) -> Path:
        """Move the torn tail into a file beside the log, and then out of the log."""
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
        """Write an event; when this returns, it is on disk.  When it raises, nothing was added."""
        data, chain = _written(event, self._chain)
        largest = LARGEST_EVENT if self.events else LARGEST_HEAD
        if len(data) > largest or self._size + len(data) > LARGEST_LOG:
            problem = f"with the {len(data):,} bytes of {event.event!r} it would be too large to read again"
            raise FileError(self.path, problem)
        with explained(self.path):
            try:
                self._be_in_place()
                # Anything behind the last event is what an earlier, failed try left there.
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
                _write_all(self._file, data)
                os.fsync(self._file)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, self._size)
                raise
        if not self.events:
            with explained(self.path.parent):
                _sync_folder(self.path.parent)
        self._size += len(data)
        self._chain = chain
        self.events.append(event)

    def _be_in_place(self) -> None:
        """See that the log is still where it was, and write it there anew where it was moved or removed.

        The open file has all of it even then, but nobody would find it again.
        """
        status = os.fstat(self._file)
        if status.st_size < self._size:
            raise FileError(self.path, "another program cut this file short while the session ran")
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
            problem = "another file was put in the place of this one while the session ran; move it away"
            raise FileError(self.path, problem) from None
        try:
            try_lock(file)
            _write_all(file, whole)
            os.fsync(file)
            _sync_folder(self.path.parent)
        except OSError:
            os.close(file)
            self.path.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file = file

    def erase(self, started: Started, withdrawn: Withdrawn) -> None:
        """Put a log that tells only of the withdrawal in the place of this one, whole or not at all.

        What was set aside of it goes too: there may be an answer in it.  On a full disk there is no room
        for a second file; there the answers are cut off this one, and the withdrawal takes their place.
        """
        data = written([started, withdrawn])
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
                self._be_in_place()
                self._remove_asides()
                head = _head(_read_all(self._file))
                self._size, self._chain = len(head), _parse(head, self.path).chain
                os.ftruncate(self._file, self._size)
                self.events[:] = [started]
                self.append(withdrawn)
        self.events[:] = [started, withdrawn]

    def _remove_asides(self) -> None:
        for aside in self.path.parent.glob(f"{self.path.name}.torn-*"):
            aside.unlink()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)


def _written(event: Event, before: str) -> tuple[bytes, str]:
    """The document of an event, and its link of the chain, which ``before`` is the link before."""
    mapping = as_mapping(event)
    if isinstance(event, Started):  # long, and read by people
        mapping["plan"] = [documents.OneLine(played) for played in mapping["plan"]]
        body = f"---\n{documents.block(mapping)}".encode()
        chain = _link(before, body)
        return body + f'\nchain: "{chain}"\n'.encode() + ENDS, chain
    body = f"--- {documents.json_line(mapping)}"[:-1].encode()
    chain = _link(before, body)
    return body + f', "chain": "{chain}"}}\n'.encode() + ENDS, chain


def _link(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()[:16]


def _check_size(path: str | os.PathLike[str], size: int) -> None:
    if size > LARGEST_LOG:
        raise FileError(path, f"it is larger than {LARGEST_LOG:,} bytes; no session log is")


def _parse(raw: bytes, path: str | os.PathLike[str]) -> Saved:
    events: list[Event] = []
    lines: list[int] = []
    line, begin, chain = 1, 0, ""
    while (end := _end(raw, begin)) is not None:
        if not events and not raw.startswith(BEGINS):
            raise _foreign(raw, path)
        event, chain = _event(raw[begin:end], path, line, chain, first=not events)
        events.append(event)
        lines.append(line)
        line += raw.count(b"\n", begin, end)
        begin = end
    torn = raw[begin:]
    # A first event that was torn begins as all first events do, as far as it goes.
    if not events and torn.strip(b"\0") and not torn.startswith(BEGINS[: len(torn)]):
        raise _foreign(raw, path)
    return Saved(events, lines, chain, torn)


def _foreign(raw: bytes, path: str | os.PathLike[str]) -> FileError:
    if raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n", 2).startswith(BEGINS):
        problem = "an editor or a transfer has changed the line ends, or what stands before them"
        return ChangedError(path, f"{problem}; use an unchanged copy", where="line 1")
    return FileError(path, FOREIGN)


def _end(raw: bytes, begin: int) -> int | None:
    """Where the document that begins here ends, behind its line ``...``."""
    found = raw.find(b"\n" + ENDS, begin)
    return None if found < 0 else found + 1 + len(ENDS)


def _head(raw: bytes) -> bytes:
    """The first document, as it was written."""
    return raw[: _end(raw, 0)]


def _event(
    raw: bytes, path: str | os.PathLike[str], line: int, before: str, *, first: bool
) -> tuple[Event, str]:
    """One event, and its link of the chain."""
    where = f"line {line}"
    if len(raw) > (LARGEST_HEAD if first else LARGEST_EVENT):
        raise FileError(path, f"this event has {len(raw):,} bytes; no event of a session does", where=where)
    if first:
        _check_schema(raw, path)
    chained = (HEAD_CHAINED if first else CHAINED).search(raw, max(0, len(raw) - 64))
    body = raw[: chained.start()] if chained else raw
    if chained is None or chained[1].decode() != (chain := _link(before, body)):
        problem = "this event, or what stands before it, is not as it was written; use an unchanged copy"
        raise ChangedError(path, problem, where=where)
    try:
        if first:
            event = from_mapping(documents.load(body, path, line))
        else:
            event = from_json(body.removeprefix(b"--- ") + b"}")
    except SettingError as error:
        problem = f"this is not an event of a session: {documents.printable(str(error))}"
        raise FileError(path, problem, where=where) from None
    if isinstance(event, Started) != first:
        raise FileError(path, "a session begins here in the middle of another", where=where)
    return event, chain


def _check_schema(head: bytes, path: str | os.PathLike[str]) -> None:
    """Other schemas may have other chains and heads: look for it without reading anything else."""
    found = re.match(rb"---\nevent: session\nschema: ([^\n]{0,20})\n", head)
    schema = documents.printable(found[1].decode(errors="replace")) if found else "(none)"
    if schema != str(SCHEMA):
        problem = f"it has the schema {schema}, and this studyapp knows {SCHEMA}; use the one that wrote it"
        raise FileError(path, problem, where="line 3")


_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _open_locked(path: Path) -> int:
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode) and not path.is_dir():
        raise FileError(path, "this is a link or a device, and a log is a file; move it away")
    while True:
        file = os.open(path, _FLAGS, 0o600)
        try:
            if not try_lock(file):
                raise FileError(path, _held(path))
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # the file was put in the place of another between the two calls: take the new one


def _held(path: Path) -> str:
    """Who writes this log."""
    told = ""
    with contextlib.suppress(FileError):
        opened = [event for event in read(path).events if isinstance(event, Started | Resumed)]
        if opened:
            last = opened[-1]
            told = f" by process {last.process} on {last.host}, since {last.at}"
    return f"this session is open already{told}; go on there, or end it there first"


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
    """Write a whole file, for its owner alone, and force it to disk."""
    file = os.open(path, _FLAGS | flag, 0o600)
    try:
        _write_all(file, data)
        os.fsync(file)
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder last; Windows has no way to, and no need."""
    if sys.platform != "win32":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
