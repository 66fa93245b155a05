"""An active learner that asks for the labels of a pool (Figure 1; supplements B and F.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from core.active import Taught, full_pool_accuracy, teach
from core.pools import Pool, pool_example, pool_of
from studyapp.experiments.datasets import Wine
from studyapp.experiments.designs.design import DESIGNS, Design, Job, Record, parts
from studyapp.experiments.designs.fields import LARGE, Flag, Numbers, Points
from studyapp.experiments.designs.measures import ACCURACY

__all__ = ["ActiveExample", "ActiveWine"]

EXAMPLE_POOL = 60  # points of the example, six clusters together
FAR = 10.0  # no point of the example is as far away


def _asks(series: str) -> bool:
    return series not in REFERENCES


@DESIGNS.add
@dataclass(frozen=True, eq=False)
class ActiveExample(Design):
    """A pool of six clusters, without a teacher and with one who plans all labels."""

    steps: int = 10
    seed: int = 0

    name = "active example"
    series = ("alone", "teacher")
    fields = {  # noqa: RUF012
        "accuracy": Numbers(length="steps", more=1),
        "queries": Numbers(length="steps", whole=True, most=EXAMPLE_POOL - 1),
        "answers": Numbers(length="steps", whole=True),
        "truth": Numbers(length="steps", whole=True),
        "converged": Flag(),
        "weights": Numbers(length=3, least=-LARGE, most=LARGE),
        "pool": Points(count=EXAMPLE_POOL, most=FAR),
        "labels": Numbers(length=EXAMPLE_POOL, whole=True),
        "start": Points(count=2, most=FAR),
        "start_labels": Numbers(length=2, whole=True),
    }
    measures = (ACCURACY,)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [pool_example(self.seed, number) for number in part]
                teaching = "full" if series == "teacher" else "alone"
                work = partial(_example_records, series, teaching, pools, list(part), self.steps, self.seed)
                yield Job(series, part, work, partial(_fault_of_example, dict(zip(part, pools, strict=True))))


@DESIGNS.add
@dataclass(frozen=True, eq=False)
class ActiveWine(Design):
    """Good wines from a pool: with random queries, with uncertain ones, and with a teacher."""

    pool: int = 2000
    steps: int = 100
    seed: int = 0

    name = "active wine"
    series = ("random", "alone", "teacher", "full pool", "none good")
    fields = {  # noqa: RUF012
        "accuracy": Numbers(length="steps", more=1),
        "queries": Numbers(length="steps", whole=True, below="pool", has=_asks),
        "answers": Numbers(length="steps", whole=True, has=_asks),
        "truth": Numbers(length="steps", whole=True, has=_asks),
        "converged": Flag(has=_asks),
    }
    measures = (ACCURACY,)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        features, labels = Wine.table(), Wine.labels()
        for series, numbers in missing.items():
            for part in parts(numbers):
                pools = [
                    pool_of(features, labels, self.pool, seed=self.seed, replication=number)
                    for number in part
                ]
                if series in REFERENCES:
                    work = partial(_reference_records, series, pools, list(part), self.steps)
                    yield Job(series, part, work)
                else:
                    teaching = "one-step" if series == "teacher" else series
                    work = partial(_wine_records, series, teaching, pools, list(part), self.steps, self.seed)
                    yield Job(series, part, work, partial(_fault, dict(zip(part, pools, strict=True))))


def _fault(pools: Mapping[int, Pool], record: Record) -> str | None:
    """What is wrong with a record, given its pool."""
    pool = pools[record["replication"]]
    if record["truth"] != pool.labels[record["queries"]].tolist():
        return "truth must have the labels of what was asked about"
    return None


def _fault_of_example(pools: Mapping[int, Pool], record: Record) -> str | None:
    for name, value in _drawn(pools[record["replication"]]).items():
        if record[name] != value:
            return f"{name} must be that of the pool that was drawn"
    return _fault(pools, record)


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
        _record(series, number, run) | {"weights": run.weights[-1].tolist()} | _drawn(pool)
        for number, run, pool in zip(numbers, runs, pools, strict=True)
    ]


def _drawn(pool: Pool) -> Record:
    """The pool itself, as records have it."""
    return {
        "pool": pool.features[:, 1:].tolist(),
        "labels": pool.labels.tolist(),
        "start": pool.start_features[:, 1:].tolist(),
        "start_labels": pool.start_labels.tolist(),
    }


def _record(series: str, number: int, run: Taught) -> Record:
    return {
        "series": series,
        "replication": number,
        "accuracy": run.accuracy.tolist(),
        "queries": run.queries.tolist(),
        "answers": run.answers.tolist(),
        "truth": run.truth.tolist(),
        "converged": run.converged,
    }


def _reference_records(series: str, pools: list[Pool], numbers: list[int], steps: int) -> list[Record]:
    return [
        {"series": series, "replication": number, "accuracy": [float(accuracy)] * (steps + 1)}
        for number, accuracy in zip(numbers, REFERENCES[series](pools), strict=True)
    ]


def _none_good(pools: Sequence[Pool]) -> list[float]:
    return [float(1.0 - pool.scored[1].mean()) for pool in pools]


# Models whose accuracy doesn't change with the answers: one knows every label of the pool, one knows none.
REFERENCES: dict[str, Callable[[Sequence[Pool]], Iterable[float]]] = {
    "full pool": full_pool_accuracy,
    "none good": _none_good,
}
