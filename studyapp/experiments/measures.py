"""What is measured of a replication, by name: what claims, tables and figures have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studyapp.experiments.designs import Record
from studyapp.experiments.results import Results

__all__ = ["MEASURES", "Measure", "measured"]

HIGH = 0.5  # the reward probability from which an arm counts as rewarding
NEAR_PEAK = slice(6, 9)  # arms 7 to 9 of the teaching example, around its higher peak

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """Numbers of a replication, one a step; a single one where there are no steps."""

    kinds: tuple[str, ...]  # of the designs that have it
    take: Callable[[Record], Sequence[float] | Array]
    first: int = 1  # the number of the first step
    digits: int = 3  # that are worth showing

    def values(self, results: Results, series: str, numbers: Sequence[int]) -> Array:
        """Of these replications, (replications, steps)."""
        found = results.records[series]
        return np.array([self.take(found[number]) for number in numbers], dtype=np.float64)


def _steering(record: Record) -> list[float]:
    yes, no = record["after_yes"][NEAR_PEAK], record["after_no"][NEAR_PEAK]
    return [sum(yes) - sum(no)]


def _different(asked: Sequence[int]) -> list[float]:
    """How many different arms were asked about so far."""
    return [float(len(set(asked[: i + 1]))) for i in range(len(asked))]


MEASURES = {
    "cumulative reward": Measure(("bandits",), lambda record: np.cumsum(record["reward"]), digits=2),
    "concordance": Measure(("bandits",), lambda record: record["concordance"]),
    "different arms": Measure(("bandits",), lambda record: _different(record.get("asked", ())), digits=1),
    "contrast": Measure(("bandits",), lambda record: record.get("contrast", ())),
    "probability": Measure(("profile", "teaching example"), lambda record: record["probability"]),
    "rewarding arms": Measure(
        ("profile",), lambda record: [sum(each >= HIGH for each in record["probability"])], digits=1
    ),
    "after no": Measure(("teaching example",), lambda record: record["after_no"]),
    "after yes": Measure(("teaching example",), lambda record: record["after_yes"]),
    "advantage of yes": Measure(("teaching example",), lambda record: record["advantage"], digits=2),
    "steering": Measure(("teaching example",), _steering),
    "accuracy": Measure(("active example", "active wine"), lambda record: record["accuracy"], first=0),
}


def measured(results: Results, series: str) -> list[str]:
    """The measures that a series of this design has."""
    some = next(iter(results.records[series].values()))
    return [
        name
        for name, measure in MEASURES.items()
        if results.design["kind"] in measure.kinds and len(measure.take(some))
    ]
