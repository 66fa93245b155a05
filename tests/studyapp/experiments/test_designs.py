"""Every design is one class: what it records and measures fits together, also for a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from small_experiments import read, small_runs

from studyapp.experiments import numbers
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.designs import DESIGNS, Design, Record, Work
from studyapp.experiments.designs.measures import Measure
from studyapp.experiments.running import Wanted, complete, site


@pytest.mark.parametrize("name", FIGURES.names)
def test_every_series_has_a_measure_with_the_same_steps_in_all_replications(name: str) -> None:
    for results in small_runs(name).values():
        for series in results.records:
            assert results.measures(series)
            for measure in results.measures(series):
                assert results.values(series, measure).ndim == 2


SQUARE = Measure("square", lambda record: [value**2 for value in record["value"]], step="round")


@dataclass(frozen=True, eq=False)
class Doubling(Design):
    """A design that the rest of the house has never heard of."""

    steps: int = 3
    seed: int = 0

    name = "doubling"
    series = ("plain",)
    measures = (SQUARE,)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, "steps": self.steps, "seed": self.seed}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        for series, replications in missing.items():
            yield partial(_doubled, series, list(replications), self.steps)


def _doubled(series: str, replications: list[int], steps: int) -> list[Record]:
    return [
        {"series": series, "replication": number, "value": [float(number * 2**i) for i in range(steps)]}
        for number in replications
    ]


def test_a_new_design_is_simulated_saved_read_and_tabulated(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with DESIGNS.also(Doubling):
        complete([Wanted(path, Doubling(), ("plain",), 3)], partial(site, None, 1), "replications")
        results = read(path)
        assert numbers.curves(results)["plain"]["square"]["mean"] == pytest.approx([5 / 3, 20 / 3, 80 / 3])
        rows = numbers.as_rows({"run": results})
        assert rows[1][:4] == ["run", "plain", "square", 1]
