"""Results on disk: a first line with the design, then one line of JSON per finished replication.

Lines are appended and forced to disk as jobs finish, so an interrupted run continues where it stopped.  A
last line without a line end was being written when the run stopped; it is cut off and simulated again.

Lines are chained (``studyapp.base.disk``).  The last field of each, ``chain``, is the link of all bytes
before it in its line.  So a line that was changed, removed, inserted or moved is found.

A file is read line by line, and only so much of it as memory easily holds.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import FileError
from core.files import NOT_A_FILE, explained, ordinary
from core.wording import counted, printable
from studyapp.base import disk
from studyapp.base.differences import ABSENT, differences
from studyapp.base.disk import try_lock
from studyapp.base.environment import software
from studyapp.base.outputs import make_folder
from studyapp.experiments.designs import Design, Record
from studyapp.experiments.records import compact, fault_of_design, fault_of_record, size
from studyapp.experiments.results import Results
from studyapp.experiments.versions import fault_of_software, other_versions

__all__ = [
    "MOST_NUMBERS",
    "ResultsFile",
    "check_settings",
    "open_results",
    "read_design",
    "read_results",
    "settings_of",
]

SCHEMA = 2
BEGIN = b'{"schema":'  # of every results file
LINK = re.compile(rb',"chain":"([0-9a-f]{%d})"\}\n\Z' % disk.DIGITS)  # the end of every line
LONGEST_LINE = 1_000_000  # bytes; 1,000 questions take a fifth
MOST_NUMBERS = 20_000_000  # in one file, which are read in seconds: 10,000 replications of six pairs
MOST_SHOWN = 5  # differences between two designs


def read_results(path: Path) -> Results | None:
    """All results in a file, without a torn last line; None if the run stopped before writing any."""
    with ordinary(path) as file, explained(path):
        found = _read(path, file)
    return found.results if found else None


def read_design(path: Path) -> dict[str, Any] | None:
    """The design of a results file, from its first line alone; None if the run stopped before writing it."""
    with ordinary(path) as file, explained(path):
        for line in _Lines(path, file):
            return _head(line).design
    return None


class ResultsFile:
    """A results file that is open for more results."""

    def __init__(self, path: Path, file: FileIO, results: Results, last: str) -> None:
        self._path = path
        self._file = file
        self._last = last  # the link of the last line
        self.results = results

    def missing(self, series: Iterable[str], replications: int) -> dict[str, list[int]]:
        """Which of the first ``replications`` are missing, by series."""
        missing = {}
        for name in series:
            records = self.results.records.get(name, {})
            if numbers := [number for number in range(replications) if number not in records]:
                missing[name] = numbers
        return missing

    def add(self, records: Iterable[Record]) -> None:
        """Save finished replications; they are on disk when this returns."""
        added, content, last = list(records), b"", self._last
        for record in added:
            line, last = _encoded(record, last)
            content += line
        _append(self._path, self._file, content)
        self._last = last
        for record in added:
            self.results.add(compact(self.results.design, record))


@contextmanager
def open_results(path: Path, design: Design) -> Iterator[ResultsFile]:
    """The results file of a design, created if needed; refused if it belongs to another design."""
    make_folder(path.parent)
    with _opened(path) as file:
        with explained(path):
            free = try_lock(file.fileno())
        if not free:
            raise FileError(
                path,
                "another studyapp is writing to these results; wait until it finishes, "
                "or choose another folder with --out",
            )
        with explained(path), os.fdopen(os.dup(file.fileno()), "rb") as reader:
            reader.seek(0)
            found = _read(path, reader)
        settings, made_with = settings_of(design), software()
        if found is None:
            found = _Found(Results(settings, made_with, {}), 0, disk.START)
        else:
            check_settings(path, found.results.design, settings)
            _check_versions(path, found.results.software, made_with)
        with explained(path):
            file.truncate(found.size)
        results = ResultsFile(path, file, found.results, found.last)
        if not found.size:
            line, results._last = _encoded(
                {"schema": SCHEMA, "design": settings, "software": made_with}, disk.START
            )
            _append(path, file, line)
        yield results


def settings_of(design: Design) -> dict[str, Any]:
    """The settings of a design as they are read back from a file."""
    settings: dict[str, Any] = json.loads(json.dumps(design.settings()))
    return settings


def check_settings(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse results of other settings."""
    changes = [
        f"{printable(change.path)} was {_shown(change.before)} and is now {_shown(change.now)}"
        for change in differences(found, wanted)
    ]
    if not changes:
        return
    more = len(changes) - MOST_SHOWN
    listed = "; ".join(changes[:MOST_SHOWN]) + (f"; and {counted(more, 'other')}" if more > 0 else "")
    raise FileError(
        path,
        f"these results have other settings: {listed}. "
        "Choose another folder with --out, or delete the file to start again",
    )


def _check_versions(path: Path, then: dict[str, str], now: dict[str, str]) -> None:
    if others := other_versions(now, then):
        raise FileError(
            path,
            f"these results were made by other versions: {others}; results of different versions are never "
            "mixed, so choose another folder with --out",
        )


def _shown(value: Any) -> str:
    return "absent" if value is ABSENT else printable(json.dumps(value))


# Writing


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    """An ordinary file to read and append to, created if needed; a link, a pipe or a device is refused."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with explained(path):
        if path.is_symlink():
            raise FileError(path, "this is a link; a results file must be an ordinary file")
        descriptor = os.open(path, flags, 0o600)
    with FileIO(descriptor, "a+b") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileError(path, NOT_A_FILE)
        yield file


def _append(path: Path, file: FileIO, content: bytes) -> None:
    """Write all the bytes and force them to disk."""
    with explained(path):
        while content:
            content = content[file.write(content) :]
        os.fsync(file.fileno())


def _encoded(content: dict[str, Any], previous: str) -> tuple[bytes, str]:
    """A line, and its link."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    body = text.encode()[:-1]
    link = disk.link(previous, body)
    return body + f',"chain":"{link}"}}\n'.encode(), link


# Reading


@dataclass(frozen=True)
class _Found:
    """What a file holds."""

    results: Results
    size: int  # bytes of complete lines
    last: str  # the link of the last line


@dataclass(frozen=True)
class _Line:
    """One line, in its place in the chain."""

    path: Path
    number: int  # from 1
    content: Any  # as JSON has it; None if it isn't JSON

    def error(self, problem: str) -> FileError:
        if self.number == 1:
            cure = "choose another folder with --out, or delete the file"
        else:
            cure = "delete this line and all after it, and run the command again to replace them"
        return FileError(self.path, f"{problem}; {cure}", where=f"line {self.number}")


class _Lines:
    """The complete lines of a file, each checked against the chain; a torn last line is left out."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self.size = 0  # of the lines so far, in bytes
        self.last = disk.START  # the link of the last one

    def __iter__(self) -> Iterator[_Line]:
        number = 0
        while raw := self._file.readline(LONGEST_LINE):
            number += 1
            if number == 1 and not raw.startswith(BEGIN[: len(raw)]):
                raise _Line(self._path, 1, None).error("this isn't a results file of studyapp")
            if not raw.endswith(b"\n"):
                if len(raw) < LONGEST_LINE:
                    return
                raise _Line(self._path, number, None).error("this line is too long for a result of studyapp")
            yield self._checked(number, raw)

    def _checked(self, number: int, raw: bytes) -> _Line:
        line = _Line(self._path, number, _json(raw))
        found = LINK.search(raw, max(0, len(raw) - 2 * disk.DIGITS))
        if number == 1:
            _check_schema(line)
        link = disk.link(self.last, raw[: found.start()]) if found else ""
        if found is None or found[1].decode() != link:
            raise line.error("this line, or one before it, was changed after it was written")
        if line.content is None:
            raise line.error("this line isn't JSON")
        self.last = link
        self.size += len(raw)
        return line


def _read(path: Path, file: BinaryIO) -> _Found | None:
    """All that a file holds; None if it is empty, or torn before the end of its first line."""
    lines = _Lines(path, file)
    results, numbers = None, 0
    for line in lines:
        if results is None:
            results = _head(line)
            continue
        record = line.content
        record.pop("chain")
        if problem := fault_of_record(results.design, record):
            raise line.error(problem)
        numbers += size(results.design, record["series"])
        if numbers > MOST_NUMBERS:
            raise FileError(
                path,
                f"this file holds more than {MOST_NUMBERS:,} numbers, which studyapp never writes; "
                "choose another folder with --out",
            )
        if not results.add(compact(results.design, record)):
            raise line.error(f"replication {record['replication']} of {record['series']} is there twice")
    return _Found(results, lines.size, lines.last) if results else None


def _check_schema(line: _Line) -> None:
    schema = line.content.get("schema") if line.content else None
    if schema != SCHEMA or type(schema) is not int:
        raise line.error("this isn't a results file of studyapp, or it comes from another version")


def _head(line: _Line) -> Results:
    """The results of a file that has only its first line."""
    design, made_with = line.content.get("design"), line.content.get("software")
    if problem := fault_of_software(made_with) or fault_of_design(design):
        raise line.error(problem)
    return Results(design, made_with, {})


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
