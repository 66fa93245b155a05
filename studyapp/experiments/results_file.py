"""Results on disk: a first line with the design, then one line of JSON per finished replication.

Lines are appended and forced to disk as jobs finish, so an interrupted run continues where it stopped.  A
last line without a line end was being written when the run stopped; it is cut off and simulated again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, ordinary
from studyapp.base.differences import ABSENT, differences
from studyapp.base.environment import software
from studyapp.base.lock import try_lock
from studyapp.base.outputs import make_folder
from studyapp.experiments.designs import Design, Record
from studyapp.experiments.records import fault_of_design, fault_of_record
from studyapp.experiments.results import Results

__all__ = ["ResultsFile", "open_results", "read_design", "read_results"]

SCHEMA = 1
START = b'{"schema":'  # how every results file begins


def read_results(path: Path) -> Results | None:
    """All results in a file, without a torn last line; None if the run stopped before writing any."""
    with ordinary(path) as file:
        raw = file.read()
    return None if _unwritten(raw) else _parsed(path, raw)[0]


def read_design(path: Path) -> dict[str, Any] | None:
    """The design of a results file, from its first line alone; None if the run stopped before writing it."""
    with ordinary(path) as file:
        line = file.readline()
    return None if _unwritten(line) else _head(path, _json(line))[0]


class ResultsFile:
    """A results file that is open for more results."""

    def __init__(self, path: Path, file: FileIO, results: Results) -> None:
        self._path = path
        self._file = file
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
        added = list(records)
        _append(self._path, self._file, b"".join(_line(record) for record in added))
        for record in added:
            self.results.records.setdefault(record["series"], {})[record["replication"]] = record


@contextmanager
def open_results(path: Path, design: Design) -> Iterator[ResultsFile]:
    """The results file of a design, created if needed; refused if it belongs to another design."""
    make_folder(path.parent)
    with explained(path):
        file = path.open("a+b", buffering=0)  # so that closing it has nothing left to write
    with file:
        with explained(path):
            free = try_lock(file.fileno())
        if not free:
            raise FileError(
                path,
                "another studyapp is writing to these results; wait until it finishes, "
                "or choose another folder with --out",
            )
        with explained(path):
            file.seek(0)
            raw = file.readall()
        settings = json.loads(json.dumps(design.settings()))  # as they will be read back
        made_with = software()
        if _unwritten(raw):
            results = Results(settings, made_with, {})
            with explained(path):
                file.truncate(0)
            _append(path, file, _line({"schema": SCHEMA, "design": settings, "software": made_with}))
        else:
            results, size = _parsed(path, raw)
            _check_same(path, results, settings, made_with)
            with explained(path):
                file.truncate(size)
        yield ResultsFile(path, file, results)


def _check_same(path: Path, results: Results, settings: dict[str, Any], made_with: dict[str, str]) -> None:
    """Refuse to mix results of different settings or versions."""
    changes = [
        f"{change.path} was {_shown(change.before)} and is now {_shown(change.now)}"
        for change in differences(results.design, settings)
    ]
    if changes:
        raise FileError(
            path,
            f"these results have other settings: {'; '.join(changes)}. "
            "Choose another folder with --out, or delete the file to start again",
        )
    then, now = results.software.get("studyapp"), made_with["studyapp"]
    if then != now:
        raise FileError(
            path,
            f"these results were made by studyapp {then}, but this is studyapp {now}; "
            "choose another folder with --out",
        )


def _shown(value: Any) -> str:
    return "absent" if value is ABSENT else json.dumps(value)


def _append(path: Path, file: FileIO, content: bytes) -> None:
    """Write all the bytes and force them to disk."""
    with explained(path):
        while content:
            content = content[file.write(content) :]
        os.fsync(file.fileno())


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _unwritten(raw: bytes) -> bool:
    """Is the file empty, or torn before the end of its first line?"""
    return b"\n" not in raw and (START.startswith(raw) or raw.startswith(START))


def _parsed(path: Path, raw: bytes) -> tuple[Results, int]:
    """The results, and how many bytes of the file are complete lines."""
    size = raw.rfind(b"\n") + 1
    lines = raw[:size].split(b"\n")[:-1]
    design, made_with = _head(path, _json(lines[0]) if lines else None)
    records: dict[str, dict[int, Record]] = {}
    for number, line in enumerate(lines[1:], start=2):
        record = _json(line)
        problem = "this line isn't JSON" if record is None else fault_of_record(design, record)
        if record is None or problem:
            raise FileError(
                path,
                f"{problem}; delete this line and run the command again to replace it",
                where=f"line {number}",
            )
        records.setdefault(record["series"], {})[record["replication"]] = record
    return Results(design, made_with, records), size


def _head(path: Path, head: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, str]]:
    problem = _fault_of_head(head)
    if head is None or problem:
        raise FileError(
            path, f"{problem}; choose another folder with --out, or delete the file", where="line 1"
        )
    return head["design"], head["software"]


def _fault_of_head(head: dict[str, Any] | None) -> str | None:
    if head is None or head.get("schema") != SCHEMA:
        return "this isn't a results file of studyapp, or it comes from another version"
    made_with = head.get("software")
    if not isinstance(made_with, dict) or not all(isinstance(value, str) for value in made_with.values()):
        return "the versions of the software that made these results are missing"
    return fault_of_design(head.get("design"))


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
