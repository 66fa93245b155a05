"""The two examples, and the active learner of wines.

An active learner asks for the labels of a pool (Figures 1 and S1; supplements B and F.1).  A bandit learner
has ten arms on a line, and its first question is about arm 6 (Figure 2, supplement C).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from core.active import Taught, full_pool_accuracy, teach
from core.likelihoods import Evidence
from core.pools import Pool, pool_example, pool_of
from core.posterior import fit_naive
from core.randomness import stream
from core.thompson import PriorDraws, count_winners
from studyapp.experiments.datasets import Wine
from studyapp.experiments.designs.design import (
    ACCURACY,
    PROBABILITY,
    Design,
    Measure,
    Record,
    Work,
    parts,
)


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


# A bandit learner

NEAR_PEAK = slice(6, 9)  # arms 7 to 9, around the higher peak


def _steering(record: Record) -> list[float]:
    yes, no = record["after_yes"][NEAR_PEAK], record["after_no"][NEAR_PEAK]
    return [sum(yes) - sum(no)]


AFTER_NO = Measure("after no", lambda record: record["after_no"], step="arm")
AFTER_YES = Measure("after yes", lambda record: record["after_yes"], step="arm")
ADVANTAGE = Measure("advantage of yes", lambda record: record["advantage"], digits=2)
STEERING = Measure("steering", _steering)


@dataclass(frozen=True, eq=False)
class TeachingExample(Design):
    """Its replications differ only in the random points of the Thompson probabilities."""

    length_scale: float = 0.13
    theta: tuple[float, float, float] = (-4.0, 4.5, 6.5)
    peaks: tuple[float, float] = (0.2, 0.8)
    arms: int = 10
    asked: int = 6  # counted from 1
    tau: float = 2.0
    samples: int = 1000
    seed: int = 0

    name = "teaching example"
    series = ("teacher",)
    measures = (PROBABILITY, AFTER_NO, AFTER_YES, ADVANTAGE, STEERING)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        for series, numbers in missing.items():
            for part in parts(numbers):
                yield partial(_answered, self, series, list(part))


def _answered(design: TeachingExample, series: str, numbers: list[int]) -> list[Record]:
    place = np.linspace(0.0, 1.0, design.arms)
    bumps = [np.exp(-0.5 * ((place - peak) / design.length_scale) ** 2) for peak in design.peaks]
    arms = np.column_stack([np.ones(design.arms), *bumps])
    odds = arms @ np.array(design.theta)
    X = np.stack([arms, arms])  # after a no and after a yes
    asked = X[:, design.asked - 1 : design.asked]
    answers = np.array([[-1.0], [1.0]])
    learner = fit_naive(Evidence.without_plans(asked, answers), design.tau, np.zeros((2, 1, 3)))
    records = []
    for number in numbers:
        seed = stream(design.seed, "replication", number, "points").integer(2**52)
        no, yes = count_winners(learner, X, PriorDraws.of(arms, design.samples, seed))
        records.append(
            {
                "series": series,
                "replication": number,
                "probability": (1.0 / (1.0 + np.exp(-odds))),
                "after_no": no,
                "after_yes": yes,
                "advantage": [float((yes - no) @ odds)],  # Q(1) - Q(0)
            }
        )
    return records
