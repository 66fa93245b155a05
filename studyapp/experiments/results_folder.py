"""The results of many experiments in one folder, each file parsed once."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from core.errors import FileError
from core.files import explained
from studyapp.experiments.records import size
from studyapp.experiments.results import Results
from studyapp.experiments.results_file import read_design, read_results

__all__ = ["MOST_TOGETHER", "ResultsFolder"]

MOST_TOGETHER = 40_000_000  # numbers in all files, which take half a gigabyte


class ResultsFolder:
    """The results files in a folder, by the key of their run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parsed: dict[str, Results | None] = {}

    def path(self, key: str) -> Path:
        return self.folder / f"{key}.jsonl"

    def get(self, key: str) -> Results | None:
        """The results of a run; None if there are none."""
        if key not in self._parsed:
            path = self.path(key)
            with explained(path):
                present = path.exists()
            self.put(key, read_results(path) if present else None)
        return self._parsed[key]

    def put(self, key: str, results: Results | None) -> None:
        """Take over results that were just parsed and completed."""
        self._parsed[key] = results
        if sum(_size(parsed) for parsed in self._parsed.values() if parsed) > MOST_TOGETHER:
            raise FileError(
                self.folder,
                f"the results in this folder hold more than {MOST_TOGETHER:,} numbers together; "
                "move some of them to another folder",
            )

    def check(self, seed: int | None, later: Collection[str] = ()) -> None:
        """Refuse, before any long work, results of different seeds, or broken ones.

        Without a seed, the first file sets it.  Runs whose keys come ``later`` are about to be opened and
        parsed anyway, so only their seed is checked here.
        """
        with explained(self.folder):
            paths = sorted(self.folder.glob("*.jsonl"))
        for path in paths:
            key = path.stem
            results = None if key in later else self.get(key)
            design = read_design(path) if results is None else results.design
            if design is None:
                continue
            seed = design.get("seed") if seed is None else seed
            if design.get("seed") != seed:
                raise FileError(
                    path,
                    f"these results have seed {design.get('seed')} and can't be compared with results of "
                    f"seed {seed}; choose another folder with --out",
                )


def _size(results: Results) -> int:
    """How many numbers results take the memory of."""
    return sum(len(records) * size(results.design, series) for series, records in results.records.items())
