"""Finished replications on disk: a line of JSON each, behind a first line that tells the design.

Lines are appended and forced to disk as jobs are done, so an interrupted run goes on where it was.  A last
line without its end was being written when something went wrong; it is cut off and worked out again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import explained
from studyapp.experiments.designs import Design, Record
from studyapp.lock import try_lock
from studyapp.outputs import make_folder
from studyapp.sitting import software

__all__ = ["Results", "ResultsFile", "opened", "read"]

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Results:
    """What a results file holds."""

    design: dict[str, Any]  # as told by it
    software: dict[str, str]
    records: dict[str, dict[int, Record]]  # by series and replication

    def numbers(self, series: str) -> list[int]:
        """The replications there are of a series."""
        return sorted(self.records.get(series, {}))

    def values(self, series: str, measure: str, numbers: Sequence[int] | None = None) -> NDArray[np.float64]:
        """What was measured, (replications, steps)."""
        chosen = self.numbers(series) if numbers is None else numbers
        found = self.records[series]
        return np.array([found[number][measure] for number in chosen], dtype=np.float64)

    def part(self, series: Iterable[str], replications: float = math.inf) -> Results:
        """These series alone, and of each the first ``replications``."""
        records = {
            name: {
                number: each for number, each in self.records.get(name, {}).items() if number < replications
            }
            for name in series
        }
        return Results(self.design, self.software, records)


def read(path: Path) -> Results:
    """All that is in a results file; a torn last line is passed over."""
    with explained(path):
        raw = path.read_bytes()
    return _parsed(path, raw)[0]


class ResultsFile:
    """A results file that is being added to."""

    def __init__(self, path: Path, file: BinaryIO, results: Results) -> None:
        self._path = path
        self._file = file
        self.results = results

    def missing(self, series: Iterable[str], replications: int) -> dict[str, list[int]]:
        """Which of the first ``replications`` of each series are still to be worked out."""
        lacking = {
            name: [
                number for number in range(replications) if number not in self.results.records.get(name, {})
            ]
            for name in series
        }
        return {name: numbers for name, numbers in lacking.items() if numbers}

    def add(self, records: Iterable[Record]) -> None:
        """Keep finished replications, on disk before this returns."""
        with explained(self._path):
            kept = list(records)
            self._file.write(b"".join(_line(record) for record in kept))
            self._file.flush()
            os.fsync(self._file.fileno())
        for record in kept:
            self.results.records.setdefault(record["series"], {})[record["replication"]] = record


@contextmanager
def opened(path: Path, design: Design) -> Iterator[ResultsFile]:
    """The results file of a design, made if it is not there yet; refused if it is another design's."""
    make_folder(path.parent)
    with explained(path):
        file = path.open("a+b")
    with file:
        if not try_lock(file.fileno()):
            raise FileError(
                path, "another studyapp is adding to these results; wait for it, or choose another --out"
            )
        with explained(path):
            file.seek(0)
            raw = file.read()
        told = json.loads(json.dumps(design.told()))  # as it is read again
        if not raw.rpartition(b"\n")[0]:  # nothing there, or torn before its first line was whole
            results = Results(told, software(), {})
            with explained(path):
                file.truncate(0)
                file.write(_line({"schema": SCHEMA, "design": told, "software": results.software}))
                file.flush()
                os.fsync(file.fileno())
        else:
            results, whole = _parsed(path, raw)
            if results.design != told:
                raise FileError(
                    path,
                    f"these results have other settings: {_difference(results.design, told)}; "
                    "choose another --out, or delete the file to begin anew",
                )
            with explained(path):
                file.truncate(whole)
        yield ResultsFile(path, file, results)


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _parsed(path: Path, raw: bytes) -> tuple[Results, int]:
    """The results, and how many bytes of the file are whole."""
    whole = raw.rfind(b"\n") + 1
    lines = raw[:whole].split(b"\n")[:-1]
    parsed = [_json(path, number, line) for number, line in enumerate(lines, start=1)]
    head = parsed[0] if parsed else {}
    if head.get("schema") != SCHEMA or not isinstance(head.get("design"), dict):
        raise FileError(
            path,
            "this is no results file of studyapp's experiments (or of another version of it)",
            where="line 1",
        )
    records: dict[str, dict[int, Record]] = {}
    for number, record in enumerate(parsed[1:], start=2):
        series, replication = record.get("series"), record.get("replication")
        if not isinstance(series, str) or not isinstance(replication, int):
            raise FileError(
                path,
                "a series and a replication must be told; delete this line, and it is worked out again",
                where=f"line {number}",
            )
        records.setdefault(series, {})[replication] = record
    return Results(head["design"], head.get("software", {}), records), whole


def _json(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise FileError(
            path, "this is not a line of JSON; delete it, and it is worked out again", where=f"line {number}"
        )
    return content


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    changed = [
        f"{name} was {json.dumps(then.get(name))} and is {json.dumps(now.get(name))}"
        for name in [*then, *(name for name in now if name not in then)]
        if then.get(name) != now.get(name)
    ]
    return "; ".join(changed)
