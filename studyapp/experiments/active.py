"""Experiments with an active learner that asks about a pool (Figure 1; supplements B and F.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from core.active import Taught, full_pool_accuracy, teach
from core.pools import Pool, pool_example, pool_of
from studyapp.experiments.datasets import wine
from studyapp.experiments.designs import Job, Record, parts

__all__ = ["ActiveExample", "ActiveWine"]


@dataclass(frozen=True, eq=False)
class ActiveExample:
    """The pool of six clusters, with and without a teacher who plans all labels."""

    steps: int = 10
    seed: int = 0

    series = ("alone", "teacher")

    def told(self) -> dict[str, Any]:
        return {"kind": "active example", **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [pool_example(self.seed, number) for number in part]
                kind = "full" if series == "teacher" else "alone"
                yield partial(_examples, series, kind, pools, list(part), self.steps, self.seed)


@dataclass(frozen=True, eq=False)
class ActiveWine:
    """Good wines from a pool, by random queries, uncertain ones, and with a teacher."""

    pool: int = 2000
    steps: int = 100
    seed: int = 0

    series = ("random", "alone", "teacher", "full pool", "none good")

    def told(self) -> dict[str, Any]:
        return {"kind": "active wine", **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        features, labels = wine()
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [
                    pool_of(features, labels, self.pool, seed=self.seed, replication=number)
                    for number in part
                ]
                if series in LINES:
                    yield partial(_lines, series, pools, list(part), self.steps)
                else:
                    kind = "one-step" if series == "teacher" else series
                    yield partial(_replications, series, kind, pools, list(part), self.steps, self.seed)


def _replications(
    series: str, kind: str, pools: list[Pool], numbers: list[int], steps: int, seed: int
) -> list[Record]:
    taught = teach(pools, kind, steps, seed, numbers)
    return [_record(series, number, each) for number, each in zip(numbers, taught, strict=True)]


def _examples(
    series: str, kind: str, pools: list[Pool], numbers: list[int], steps: int, seed: int
) -> list[Record]:
    """With what it takes to draw a pool and its model."""
    taught = teach(pools, kind, steps, seed, numbers)
    return [
        _record(series, number, each)
        | {
            "weights": each.weights[-1].tolist(),
            "pool": pool.features[:, 1:].tolist(),
            "labels": pool.labels.tolist(),
            "start": pool.start_features[:, 1:].tolist(),
            "start_labels": pool.start_labels.tolist(),
        }
        for number, each, pool in zip(numbers, taught, pools, strict=True)
    ]


def _record(series: str, number: int, taught: Taught) -> Record:
    return {
        "series": series,
        "replication": number,
        "accuracy": taught.accuracy.tolist(),
        "queries": taught.queries.tolist(),
        "answers": taught.answers.tolist(),
        "truth": taught.truth.tolist(),
        "converged": taught.converged,
    }


def _lines(series: str, pools: list[Pool], numbers: list[int], steps: int) -> list[Record]:
    return [
        {"series": series, "replication": number, "accuracy": [float(accuracy)] * (steps + 1)}
        for number, accuracy in zip(numbers, LINES[series](pools), strict=True)
    ]


def _none_good(pools: Sequence[Pool]) -> list[float]:
    return [float(1.0 - pool.scored[1].mean()) for pool in pools]


# Across the figure: the model that knows all labels of the pool, and none at all.
LINES: dict[str, Callable[[Sequence[Pool]], Iterable[float]]] = {
    "full pool": full_pool_accuracy,
    "none good": _none_good,
}
