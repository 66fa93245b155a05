"""Results: the finished replications of an experiment, in memory and in a folder.

The records of a job are one file.  It is written whole or not at all, so an interrupted run goes on with the
jobs whose files are missing.  Its name has a hash of the design, the series and the first replication.  Its
first line is the SHA-256 of all bytes after it, so a file that was changed or damaged is found.  The second
line has the design with all its settings, and the versions of the software; every other line is one
replication.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import explained, ordinary
from core.wording import counted, printable
from studyapp.base.differences import ABSENT, differences
from studyapp.base.environment import software
from studyapp.base.outputs import inner_folder, write_bytes
from studyapp.experiments.designs import DESIGNS
from studyapp.experiments.designs.design import Design, Measure, Record

DEPENDS_ON = ("studyapp", "learners", "python", "numpy", "scipy")  # results of different ones are never mixed
LARGEST_FILE = 1 << 26  # bytes; 25 replications of 1,000 questions take a fiftieth
DIGITS = 16  # of the hash of a design
MOST_SHOWN = 5  # differences between two designs


@dataclass(frozen=True, eq=False)
class Results:
    """The records of an experiment, with its design and the software that made them."""

    design: dict[str, Any]  # its kind and settings
    software: dict[str, str]
    records: dict[str, dict[int, Record]]  # by series and replication

    def add(self, records: Iterable[Record]) -> None:
        for record in records:
            self.records.setdefault(record["series"], {})[record["replication"]] = record

    def missing(self, series: Iterable[str], replications: int) -> dict[str, list[int]]:
        """The replications, up to this number, that each series lacks; series without any are left out."""
        lacking = {
            name: [number for number in range(replications) if number not in self.records.get(name, {})]
            for name in series
        }
        return {name: numbers for name, numbers in lacking.items() if numbers}

    def numbers(self, series: str) -> list[int]:
        """The replications that a series has."""
        return sorted(self.records.get(series, {}))

    def values(
        self, series: str, measure: Measure, numbers: Sequence[int] | None = None
    ) -> NDArray[np.float64]:
        """A measure of all replications, or of these, (replications, steps)."""
        chosen = self.numbers(series) if numbers is None else numbers
        records = self.records[series]
        return np.array([measure.take(records[number]) for number in chosen], dtype=np.float64)

    def measures(self, series: str) -> list[Measure]:
        """The measures that a series has."""
        record = next(iter(self.records[series].values()))
        return [measure for measure in DESIGNS[self.design["kind"]].measures if len(measure.take(record))]

    def first(self, series: Iterable[str], replications: float = math.inf) -> Results:
        """Only these series, and only their first ``replications``."""
        records = {
            name: {
                number: record
                for number, record in self.records.get(name, {}).items()
                if number < replications
            }
            for name in series
        }
        return Results(self.design, self.software, records)

    def shared(self, series: Sequence[str]) -> Results:
        """Only these series, and only the replications that all of them have."""
        numbers = set.intersection(*(set(self.records.get(name, {})) for name in series))
        records = {
            name: {number: self.records[name][number] for number in sorted(numbers)} for name in series
        }
        return Results(self.design, self.software, records if numbers else {})


def settings_of(design: Design) -> dict[str, Any]:
    """The settings of a design as they are read back from a file."""
    settings: dict[str, Any] = json.loads(json.dumps(design.settings()))
    return settings


# Writing


def save(folder: Path, results: Results, records: Sequence[Record]) -> None:
    """Write the records of one job, all of one series, into the folder of their design."""
    head = {"design": results.design, "software": results.software}
    lines = [json.dumps(line, allow_nan=False, default=_plain) for line in (head, *records)]
    body = "".join(f"{line}\n" for line in lines).encode()
    inner_folder(folder.parent, folder.name)
    content = f"{hashlib.sha256(body).hexdigest()}\n".encode() + body
    write_bytes(folder / _name(results.design, records[0]), content)


def _plain(value: Any) -> Any:
    """What NumPy has, as JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is nothing that a record may hold")


def _name(design: Mapping[str, Any], first: Record) -> str:
    """The name of the file that begins with this record."""
    settings = json.dumps(design, sort_keys=True).encode()
    digest = hashlib.sha256(settings).hexdigest()[:DIGITS]
    series = re.sub("[^A-Za-z0-9-]", "_", first["series"])
    return f"{digest}.{series}.{first['replication']}.json"


# Reading


def load(folder: Path) -> Results | None:
    """All results in a folder; None if there are none."""
    results = None
    for path in _files(folder):
        head, records = _read(path)
        results = results or Results(head["design"], head["software"], {})
        _add(results, path, head, records)
    return results


def opened(folder: Path, design: Design) -> Results:
    """All results in a folder, to which more are to be added, so they must be of this design and software."""
    results = Results(settings_of(design), software(), {})
    for path in _files(folder):
        _add(results, path, *_read(path))
    return results


def _add(results: Results, path: Path, head: Mapping[str, Any], records: Sequence[Record]) -> None:
    check_settings(path, head["design"], results.design)
    if others := other_versions(results.software, head["software"]):
        raise FileError(
            path,
            f"these results were made by other versions: {others}; results of different versions are never "
            "mixed, so choose another folder with --out",
        )
    results.add(records)


def design_in(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """One of the files in a folder, with its design; None if there are no results."""
    for path in _files(folder):
        return path, _read(path)[0]["design"]
    return None


def _files(folder: Path) -> list[Path]:
    with explained(folder):
        return sorted(folder.glob("*.json"))


def _read(path: Path) -> tuple[dict[str, Any], list[Record]]:
    """The head of a file and its records."""
    with ordinary(path) as file, explained(path):
        raw = file.read(LARGEST_FILE + 1)
    digest, _, body = raw.partition(b"\n")
    if len(raw) > LARGEST_FILE or digest.decode("latin-1") != hashlib.sha256(body).hexdigest():
        problem = "this file of results was changed or damaged after it was written"
        raise FileError(path, f"{problem}; delete it, and run the command again to replace it")
    try:
        head, *records = map(json.loads, body.splitlines())
        name = _name(head["design"], records[0])
    except (ValueError, TypeError, LookupError):
        raise FileError(path, "this isn't a file of results of studyapp; move it elsewhere") from None
    if path.name != name:
        raise FileError(path, f"this is a copy of {name}, or was renamed; delete it, or give it that name")
    return head, [
        {name: np.array(value) if isinstance(value, list) else value for name, value in record.items()}
        for record in records
    ]


def check_settings(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
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
        "Choose another folder with --out, or delete these files to start again",
    )


def other_versions(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Where theirs differ from ours, in words: "numpy 1.26 instead of 2.1"; empty if they don't."""
    return ", ".join(
        f"{name} {printable(str(theirs.get(name, '(unknown)')))} instead of {ours[name]}"
        for name in DEPENDS_ON
        if theirs.get(name) != ours[name]
    )


def _shown(value: Any) -> str:
    return "absent" if value is ABSENT else printable(json.dumps(value))
