"""Designs: what an experiment is, whatever it is run on.

A design names its *series* (pairs of teacher and learner, or ways to query), has replications numbered from
0, and cuts whatever of them is wanted into jobs.  A job can be sent to any process or machine: it has all it
needs.  Its records, one a series and replication, depend on the design and the number alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.active import Taught, full_pool_accuracy, teach
from core.errors import SettingError
from core.pools import Pool, pool_example, pool_of
from core.settings import FITS, Settings
from core.simulation import PAIRS, World, prepared, world
from studyapp.experiments.datasets import Dataset, wine

__all__ = [
    "ActiveExample",
    "ActiveWine",
    "Bandits",
    "Design",
    "Job",
    "Profile",
    "Record",
    "TeachingExample",
    "do",
]

Record = dict[
    str, Any
]  # "series", "replication", and what was measured: plain numbers and lists, fit for JSON

TOGETHER = 25  # replications of a job: as fast as more, and a lost job is no great loss
ROOM = 10_000  # arms of a job's replications together, so that one of large ones takes no more memory


class Job(Protocol):
    """Some replications of one series."""

    @property
    def series(self) -> str: ...

    @property
    def many(self) -> int: ...

    def run(self) -> list[Record]: ...


def do(job: Job) -> list[Record]:
    """A job in a process of its own, which keeps to one core."""
    import torch

    torch.set_num_threads(1)
    return job.run()


class Design(Protocol):
    """What is fixed of an experiment, but for how many replications it has."""

    @property
    def series(self) -> tuple[str, ...]:
        """All that there can be."""
        ...

    def told(self) -> dict[str, Any]:
        """What the results depend on, fit for JSON: the same told means the same results."""
        ...

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        """The work for these replications of these series."""
        ...


def _parts(numbers: Sequence[int], together: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), together):
        yield numbers[start : start + together]


@dataclass(frozen=True, eq=False)
class Bandits:
    """Teachers and bandit learners: the pairs of Table 1 on one dataset (section 4.1)."""

    dataset: Dataset
    arms: int = 100
    questions: int = 30
    c: float = -4.0
    d: float = 8.0
    teacher_beta: float = 20.0
    learner: Settings = field(default_factory=lambda: Settings(selection="thompson"))
    imagined_fit: str | None = None  # of the learner that teachers imagine; None: as the learner itself
    seed: int = 0

    series = PAIRS

    def __post_init__(self) -> None:
        rows = len(self.dataset.table)
        if isinstance(self.arms, int) and self.arms > rows:
            raise SettingError(
                f"{self.arms} arms cannot be drawn from the {rows} rows of {self.dataset.name}; "
                "ask for fewer (--arms)"
            )
        checks.whole("arms", self.arms, 2, checks.MOST_ARMS)
        checks.whole("questions", self.questions, 1, 1000)
        checks.number("c", self.c, least=-1e3, most=1e3)
        checks.number("d", self.d, least=-1e3, most=1e3)
        checks.number("the teacher's beta", self.teacher_beta, least=0.0, most=1e6)
        if self.imagined_fit is not None:
            checks.one_of("the imagined fit", self.imagined_fit, FITS)
        checks.whole("seed", self.seed, -(2**63), 2**63 - 1)

    def told(self) -> dict[str, Any]:
        learner = {
            name: value for name, value in asdict(self.learner).items() if name not in ("teacher", "seed")
        }
        beta = learner.pop("beta")
        rows, columns = self.dataset.table.shape
        return {
            "kind": "bandits",
            "dataset": {
                "name": self.dataset.name,
                "rows": rows,
                "columns": columns,
                "sha256": self.dataset.sha256,
            },
            "arms": self.arms,
            "questions": self.questions,
            "c": float(self.c),
            "d": float(self.d),
            "teacher_beta": float(self.teacher_beta),
            "learner_beta": beta,
            **learner,
            "imagined_fit": self.imagined_fit or self.learner.fit,
            "seed": self.seed,
        }

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return prepared(self.dataset.table)

    def world(self, number: int) -> World:
        return world(
            self._table,
            number,
            arms=self.arms,
            questions=self.questions,
            c=self.c,
            d=self.d,
            seed=self.seed,
        )

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        together = max(1, min(TOGETHER, ROOM // self.arms))
        for part in _parts(sorted({number for numbers in missing.values() for number in numbers}), together):
            worlds = {number: self.world(number) for number in part}
            for pair in reversed(list(missing)):  # those that take longest first, so that all end at once
                wanted = [worlds[number] for number in missing[pair] if number in worlds]
                if wanted:
                    yield _BanditJob(pair, wanted, self.learner, self.teacher_beta, self.imagined_fit)


@dataclass(frozen=True, eq=False)
class _BanditJob:
    series: str
    worlds: list[World]
    learner: Settings
    teacher_beta: float
    imagined_fit: str | None

    @property
    def many(self) -> int:
        return len(self.worlds)

    def run(self) -> list[Record]:
        from core.simulation import simulate

        records = []
        for each in simulate(self.worlds, self.series, self.learner, self.teacher_beta, self.imagined_fit):
            record: Record = {
                "series": self.series,
                "replication": each.number,
                "reward": each.reward.tolist(),
                "concordance": each.concordance.tolist(),
                "asked": each.asked.tolist(),
                "answers": each.answers.tolist(),
                "converged": each.converged,
            }
            for name, values in (("alpha", each.alpha), ("contrast", each.contrast)):
                if values is not None:
                    record[name] = values.tolist()
            records.append(record)
        return records


@dataclass(frozen=True, eq=False)
class Profile:
    """The reward probabilities of the arms of a bandit experiment, from the lowest to the highest."""

    bandits: Bandits

    series = ("profile",)

    def told(self) -> dict[str, Any]:
        told = self.bandits.told()
        return {"kind": "profile"} | {name: told[name] for name in ("dataset", "arms", "c", "d", "seed")}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        for series, numbers in missing.items():
            yield _ProfileJob(series, [self.bandits.world(number) for number in numbers])


@dataclass(frozen=True, eq=False)
class _ProfileJob:
    series: str
    worlds: list[World]

    @property
    def many(self) -> int:
        return len(self.worlds)

    def run(self) -> list[Record]:
        return [
            {
                "series": self.series,
                "replication": each.number,
                "probability": np.sort(each.rewards).tolist(),
            }
            for each in self.worlds
        ]


@dataclass(frozen=True, eq=False)
class TeachingExample:
    """Ten arms on a line, the first question being about arm 6 (Figure 2, supplement C).

    Replications differ in the random points of the Thompson probabilities alone.
    """

    length_scale: float = 0.13
    theta: tuple[float, float, float] = (-4.0, 4.5, 6.5)
    peaks: tuple[float, float] = (0.2, 0.8)
    arms: int = 10
    asked: int = 6  # counted from 1
    tau: float = 2.0
    samples: int = 1000
    seed: int = 0

    series = ("teacher",)

    def told(self) -> dict[str, Any]:
        return {"kind": "teaching example", **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        for series, numbers in missing.items():
            yield _TeachingJob(series, self, list(numbers))


@dataclass(frozen=True, eq=False)
class _TeachingJob:
    series: str
    design: TeachingExample
    numbers: list[int]

    @property
    def many(self) -> int:
        return len(self.numbers)

    def run(self) -> list[Record]:
        import torch

        from core.posterior import fit_naive
        from core.randomness import stream
        from core.teachers import Evidence
        from core.thompson import best_arm_probabilities, thompson_points

        design = self.design
        place = np.linspace(0.0, 1.0, design.arms)
        bumps = [np.exp(-0.5 * ((place - peak) / design.length_scale) ** 2) for peak in design.peaks]
        arms = np.column_stack([np.ones(design.arms), *bumps])
        odds = arms @ np.array(design.theta)
        X = torch.from_numpy(arms).expand(2, -1, -1)
        asked = X[:, design.asked - 1 : design.asked]
        told = Evidence(asked, torch.tensor([[-1.0], [1.0]], dtype=torch.float64), X.new_zeros(2, 1, 2, 0, 3))
        learner = fit_naive(told, design.tau, X.new_zeros(2, 1, 3))
        records = []
        for number in self.numbers:
            seed = stream(design.seed, "replication", number, "points").integer(2**52)
            points = thompson_points(design.arms, 3, design.samples, seed)
            no, yes = best_arm_probabilities(learner.mean, learner.factor, X, points).numpy()
            records.append(
                {
                    "series": self.series,
                    "replication": number,
                    "probability": (1.0 / (1.0 + np.exp(-odds))).tolist(),
                    "after_no": no.tolist(),
                    "after_yes": yes.tolist(),
                    "advantage": [float((yes - no) @ odds)],  # Q(1) - Q(0)
                }
            )
        return records


WAYS = {"random": "random", "alone": "alone", "teacher": "one-step", "full pool": "full pool"}


@dataclass(frozen=True, eq=False)
class ActiveExample:
    """The pool of six clusters, with and without a teacher who plans all labels (Figure 1, supplement B)."""

    steps: int = 10
    seed: int = 0

    series = ("alone", "teacher")

    def told(self) -> dict[str, Any]:
        return {"kind": "active example", **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        for series, numbers in missing.items():
            for part in _parts(numbers, TOGETHER):
                pools = [pool_example(self.seed, number) for number in part]
                kind = "full" if series == "teacher" else series
                yield _ActiveJob(series, kind, pools, list(part), self.steps, self.seed, drawn=True)


@dataclass(frozen=True, eq=False)
class ActiveWine:
    """Good wines from a pool, by random queries, uncertain ones, and with a teacher (supplement F.1)."""

    pool: int = 2000
    steps: int = 100
    seed: int = 0

    series = tuple(WAYS)

    def told(self) -> dict[str, Any]:
        return {"kind": "active wine", **asdict(self)}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        features, labels = wine()
        for series, numbers in missing.items():
            for part in _parts(numbers, TOGETHER):
                pools = [
                    pool_of(features, labels, self.pool, seed=self.seed, replication=number)
                    for number in part
                ]
                yield _ActiveJob(series, WAYS[series], pools, list(part), self.steps, self.seed, drawn=False)


@dataclass(frozen=True, eq=False)
class _ActiveJob:
    series: str
    kind: str
    pools: list[Pool]
    numbers: list[int]
    steps: int
    seed: int
    drawn: bool  # will pools and models be drawn, not only accuracies?

    @property
    def many(self) -> int:
        return len(self.numbers)

    def run(self) -> list[Record]:
        if self.kind == "full pool":  # a line across the figure
            found = full_pool_accuracy(self.pools)
            return [
                self._record(number, [float(accuracy)] * (self.steps + 1))
                for number, accuracy in zip(self.numbers, found, strict=True)
            ]
        taught = teach(self.pools, self.kind, self.steps, self.seed, self.numbers)
        return [
            self._record(number, each.accuracy.tolist())
            | {"queries": each.queries.tolist(), "answers": each.answers.tolist()}
            | {"truth": each.truth.tolist(), "converged": each.converged}
            | (_drawing(pool, each) if self.drawn else {})
            for number, each, pool in zip(self.numbers, taught, self.pools, strict=True)
        ]

    def _record(self, number: int, accuracy: list[float]) -> Record:
        return {"series": self.series, "replication": number, "accuracy": accuracy}


def _drawing(pool: Pool, taught: Taught) -> Record:
    return {
        "weights": taught.weights[-1].tolist(),
        "pool": pool.features[:, 1:].tolist(),
        "labels": pool.labels.tolist(),
        "start": pool.start_features[:, 1:].tolist(),
        "start_labels": pool.start_labels.tolist(),
    }
