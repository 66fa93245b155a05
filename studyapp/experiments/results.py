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
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import explained
from studyapp.base.environment import software
from studyapp.base.lock import try_lock
from studyapp.base.outputs import make_folder
from studyapp.experiments.designs import Design, Record
from studyapp.experiments.records import fault, fault_of_design

__all__ = ["Results", "ResultsFile", "opened", "read"]

SCHEMA = 1
TELLING = 10  # bytes by which the beginning of such a file is known


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

    def shared(self, series: Sequence[str]) -> Results:
        """These series alone, and of each the replications that all of them have."""
        numbers = set.intersection(*(set(self.records.get(name, {})) for name in series))
        records = {
            name: {number: self.records[name][number] for number in sorted(numbers)} for name in series
        }
        return Results(self.design, self.software, records if numbers else {})


def read(path: Path) -> Results:
    """All that is in a results file; a torn last line is passed over."""
    with explained(path):
        raw = path.read_bytes()
    return _parsed(path, raw)[0]


class ResultsFile:
    """A results file that is being added to."""

    def __init__(self, path: Path, file: FileIO, results: Results) -> None:
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
        kept = list(records)
        _append(self._path, self._file, b"".join(_line(record) for record in kept))
        for record in kept:
            self.results.records.setdefault(record["series"], {})[record["replication"]] = record


@contextmanager
def opened(path: Path, design: Design) -> Iterator[ResultsFile]:
    """The results file of a design, made if it is not there yet; refused if it is another design's."""
    make_folder(path.parent)
    with explained(path):
        file = path.open("a+b", buffering=0)  # nothing is left to write when it is closed
    with file:
        with explained(path):
            free = try_lock(file.fileno())
        if not free:
            raise FileError(
                path, "another studyapp is adding to these results; wait for it, or choose another --out"
            )
        with explained(path):
            file.seek(0)
            raw = file.readall()
        told = json.loads(json.dumps(design.told()))  # as it is read again
        made_with = software()
        head = _line({"schema": SCHEMA, "design": told, "software": made_with})
        if head.startswith(raw) or (b"\n" not in raw and raw.startswith(head[:TELLING])):
            # Nothing there, or torn before its first line was whole.
            results = Results(told, made_with, {})
            with explained(path):
                file.truncate(0)
            _append(path, file, head)
        else:
            results, whole = _parsed(path, raw)
            _check_same(path, results, told, made_with)
            with explained(path):
                file.truncate(whole)
        yield ResultsFile(path, file, results)


def _check_same(path: Path, results: Results, told: dict[str, Any], made_with: dict[str, str]) -> None:
    """Refuse to add results of other settings, or of another version, to those that are there."""
    then, now = results.software.get("studyapp"), made_with["studyapp"]
    if results.design != told:
        raise FileError(
            path,
            f"these results have other settings: {_difference(results.design, told)}; "
            "choose another --out, or delete the file to begin anew",
        )
    if then != now:
        raise FileError(
            path, f"these results are of studyapp {then}, and this is {now}; choose another --out"
        )


def _append(path: Path, file: FileIO, content: bytes) -> None:
    """Write all of it, on disk before this returns."""
    with explained(path):
        while content:
            content = content[file.write(content) :]
        os.fsync(file.fileno())


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _parsed(path: Path, raw: bytes) -> tuple[Results, int]:
    """The results, and how many bytes of the file are whole."""
    whole = raw.rfind(b"\n") + 1
    lines = raw[:whole].split(b"\n")[:-1]
    design, made_with = _head(path, _json(lines[0]) if lines else None)
    records: dict[str, dict[int, Record]] = {}
    for number, line in enumerate(lines[1:], start=2):
        record = _json(line)
        wrong = "this is no line of JSON" if record is None else fault(design, record)
        if record is None or wrong:
            cure = "delete this line, and it is worked out again"
            raise FileError(path, f"{wrong}; {cure}", where=f"line {number}")
        records.setdefault(record["series"], {})[record["replication"]] = record
    return Results(design, made_with, records), whole


def _head(path: Path, head: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, str]]:
    if head is None or head.get("schema") != SCHEMA:
        wrong: str | None = "this is no results file of studyapp's experiments, or of another version"
    else:
        wrong = fault_of_design(head.get("design"))
        made_with = head.get("software")
        if wrong is None and not (
            isinstance(made_with, dict) and all(isinstance(each, str) for each in made_with.values())
        ):
            wrong = "it does not tell with what software it was made"
    if head is None or wrong:
        raise FileError(path, f"{wrong}; choose another --out, or delete the file", where="line 1")
    return head["design"], head["software"]


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _difference(then: dict[str, Any], now: dict[str, Any], within: str = "") -> str:
    changed = []
    for name in [*then, *(name for name in now if name not in then)]:
        before, after = then.get(name), now.get(name)
        if isinstance(before, dict) and isinstance(after, dict) and before != after:
            changed.append(_difference(before, after, f"{name}."))
        elif before != after:
            changed.append(f"{within}{name} was {json.dumps(before)} and is {json.dumps(after)}")
    return "; ".join(changed)
