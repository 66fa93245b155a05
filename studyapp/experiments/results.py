"""Results: the finished replications of one experiment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyapp.experiments.designs import DESIGNS, Record
from studyapp.experiments.designs.measures import Measure

__all__ = ["Results"]


@dataclass(frozen=True, eq=False)
class Results:
    """The records of an experiment, with its design and the software that made them."""

    design: dict[str, Any]  # its kind and settings
    software: dict[str, str]
    records: dict[str, dict[int, Record]]  # by series and replication

    def add(self, record: Record) -> bool:
        """Add a record; False if there already is one of its series and replication."""
        of_series = self.records.setdefault(record["series"], {})
        return of_series.setdefault(record["replication"], record) is record

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
