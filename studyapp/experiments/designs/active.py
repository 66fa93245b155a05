"""An active learner that asks for the labels of a pool (Figure 1; supplements B and F.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from core.active import Taught, full_pool_accuracy, teach
from core.pools import Pool, pool_example, pool_of
from studyapp.experiments.datasets import Wine
from studyapp.experiments.designs.design import DESIGNS, Design, Work, parts
from studyapp.experiments.designs.measures import ACCURACY, Record

__all__ = ["ActiveExample", "ActiveWine"]


@DESIGNS.add
@dataclass(frozen=True, eq=False)
class ActiveExample(Design):
    """A pool of six clusters, without a teacher and with one who plans all labels."""

    steps: int = 10
    seed: int = 0

    name = "active example"
    series = ("alone", "teacher")
    measures = (ACCURACY,)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [pool_example(self.seed, number) for number in part]
                teaching = "full" if series == "teacher" else "alone"
                work = partial(_example_records, series, teaching, pools, list(part), self.steps, self.seed)
                yield work


@DESIGNS.add
@dataclass(frozen=True, eq=False)
class ActiveWine(Design):
    """Good wines from a pool: with random queries, with uncertain ones, and with a teacher."""

    pool: int = 2000
    steps: int = 100
    seed: int = 0

    name = "active wine"
    series = ("random", "alone", "teacher", "full pool", "none good")
    measures = (ACCURACY,)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        features, labels = Wine.table(), Wine.labels()
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [
                    pool_of(features, labels, self.pool, seed=self.seed, replication=number)
                    for number in part
                ]
                if series in REFERENCES:
                    work = partial(_reference_records, series, pools, list(part), self.steps)
                else:
                    teaching = "one-step" if series == "teacher" else series
                    work = partial(_wine_records, series, teaching, pools, list(part), self.steps, self.seed)
                yield work


def _wine_records(
    series: str, teaching: str, pools: list[Pool], numbers: list[int], steps: int, seed: int
) -> list[Record]:
    runs = teach(pools, teaching, steps, seed, numbers)
    return [_record(series, number, run) for number, run in zip(numbers, runs, strict=True)]


def _example_records(
    series: str, teaching: str, pools: list[Pool], numbers: list[int], steps: int, seed: int
) -> list[Record]:
    """Records that also hold what it takes to draw a pool and its model."""
    runs = teach(pools, teaching, steps, seed, numbers)
    return [
        _record(series, number, run) | {"weights": run.weights[-1]} | _drawn(pool)
        for number, run, pool in zip(numbers, runs, pools, strict=True)
    ]


def _drawn(pool: Pool) -> Record:
    """The pool itself, as records have it."""
    return {
        "pool": pool.features[:, 1:],
        "labels": pool.labels,
        "start": pool.start_features[:, 1:],
        "start_labels": pool.start_labels,
    }


def _record(series: str, number: int, run: Taught) -> Record:
    return {
        "series": series,
        "replication": number,
        "accuracy": run.accuracy,
        "queries": run.queries,
        "answers": run.answers,
        "truth": run.truth,
        "converged": run.converged,
    }


def _reference_records(series: str, pools: list[Pool], numbers: list[int], steps: int) -> list[Record]:
    return [
        {"series": series, "replication": number, "accuracy": np.full(steps + 1, accuracy)}
        for number, accuracy in zip(numbers, REFERENCES[series](pools), strict=True)
    ]


def _none_good(pools: Sequence[Pool]) -> list[float]:
    return [float(1.0 - pool.scored[1].mean()) for pool in pools]


# Models whose accuracy doesn't change with the answers: one knows every label of the pool, one knows none.
REFERENCES: dict[str, Callable[[Sequence[Pool]], Iterable[float]]] = {
    "full pool": full_pool_accuracy,
    "none good": _none_good,
}
