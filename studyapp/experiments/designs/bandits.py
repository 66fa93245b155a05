"""Bandit learners and their simulated teachers: the pairs of Table 1 (section 4.1), and others.

Where a person answers, or is expected to, the likeness of an arm and the target is the arm's reward
sigma(c + d cos), and nothing is known about single pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.pairs import TABLE_1, pair_named, pair_names
from core.people import People
from core.settings import FITS, Settings
from core.simulation import Replication, simulate
from core.thompson import numbers_held
from core.worlds import World, prepared, world
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.designs.design import (
    PROBABILITY,
    Design,
    Measure,
    Record,
    Work,
    parts,
)

# Limits on all replications of a job together, so that large ones need no more memory than small ones.
MOST_ARMS = 10_000
MOST_HELD = 50_000_000  # numbers that they look ahead with


def _looks_ahead(series: str) -> bool:
    return series not in pair_names() or pair_named(series).looks_ahead


def _different_arms(record: Record) -> list[float]:
    """How many different arms were asked about, up to each question."""
    asked = record.get("asked", ())
    return [float(len(set(asked[: i + 1]))) for i in range(len(asked))]


CUMULATIVE_REWARD = Measure(
    "cumulative reward", lambda record: np.cumsum(record["reward"]), step="question", digits=2
)
CONCORDANCE = Measure("concordance", lambda record: record["concordance"], step="question")
DIFFERENT_ARMS = Measure("different arms", _different_arms, step="question", digits=1)
CONTRAST = Measure("contrast", lambda record: record.get("contrast", ()), step="question")


@dataclass(frozen=True, eq=False)
class Bandits(Design):
    """Simulated teachers and bandit learners on one dataset."""

    dataset: Dataset
    arms: int = 100
    questions: int = 30
    c: float = -4.0
    d: float = 8.0
    teacher_beta: float = 20.0
    learner: Settings = field(default_factory=lambda: Settings(selection="thompson"))
    imagined_fit: str | None = None  # for the learner that teachers imagine; None: the same as the learner's
    seed: int = 0

    name = "bandits"
    series = TABLE_1  # the paper's; pairs of kinds that were added are possible too
    measures = (CUMULATIVE_REWARD, CONCORDANCE, DIFFERENT_ARMS, CONTRAST)

    def __post_init__(self) -> None:
        rows = len(self.dataset.table)
        if isinstance(self.arms, int) and self.arms > rows:
            raise SettingError(
                f"--arms is {self.arms}, but the {self.dataset.name} data have only {rows} rows to draw "
                f"arms from; ask for {rows} or fewer"
            )
        checks.whole("--arms", self.arms, 2, MOST_ARMS)
        checks.whole("--questions", self.questions, 1, 1000)
        checks.number("--c", self.c, least=-1e3, most=1e3)
        checks.number("--d", self.d, least=-1e3, most=1e3)
        checks.number("--teacher-beta", self.teacher_beta, least=0.0, most=1e6)
        if self.imagined_fit is not None:
            checks.one_of("--imagined-fit", self.imagined_fit, FITS)
        checks.whole("--seed", self.seed, -(2**63), 2**63 - 1)

    def settings(self) -> dict[str, Any]:
        learner = {
            name: value
            for name, value in asdict(self.learner).items()
            if name not in ("teacher", "belief", "seed")  # the pair and the replication say these
        }
        beta = learner.pop("beta")
        rows, columns = self.dataset.table.shape
        return {
            "kind": self.name,
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
            "people": People.default().sha256,
            "seed": self.seed,
        }

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        return prepared(self.dataset.table)

    def world(self, number: int) -> World:
        """The arms, the target and the luck of one replication."""
        return world(
            self._table,
            number,
            arms=self.arms,
            questions=self.questions,
            c=self.c,
            d=self.d,
            seed=self.seed,
        )

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        # The slowest first and the quickest last, so that all workers finish at about the same time.
        yield from self._jobs({pair: missing[pair] for pair in reversed(list(missing)) if _looks_ahead(pair)})
        yield from self._jobs({pair: missing[pair] for pair in missing if not _looks_ahead(pair)})

    def _jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        numbers = sorted({number for of_pair in missing.values() for number in of_pair})
        held = numbers_held(self.arms, self.dataset.table.shape[1] + 1, self.learner.samples)
        for part in parts(numbers, min(MOST_ARMS // self.arms, MOST_HELD // held)):
            worlds = {number: self.world(number) for number in part}  # drawn once for all pairs
            for pair, of_pair in missing.items():
                wanted = [worlds[number] for number in of_pair if number in worlds]
                if wanted:
                    yield partial(_records, pair, wanted, self.learner, self.teacher_beta, self.imagined_fit)


def _records(
    pair: str, worlds: list[World], learner: Settings, teacher_beta: float, imagined_fit: str | None
) -> list[Record]:
    return [
        _record(pair, replication)
        for replication in simulate(worlds, pair, learner, teacher_beta, imagined_fit)
    ]


def _record(pair: str, replication: Replication) -> Record:
    record: Record = {
        "series": pair,
        "replication": replication.number,
        "reward": replication.reward,
        "concordance": replication.concordance,
        "asked": replication.asked,
        "answers": replication.answers,
        "converged": replication.converged,
    }
    optional = {"alpha": replication.alpha, "contrast": replication.contrast}
    return record | {name: values for name, values in optional.items() if values is not None}


# How rewarding the arms are (Figure S2)

HIGH = 0.5  # the lowest reward probability of a rewarding arm

REWARDING_ARMS = Measure(
    "rewarding arms", lambda record: [sum(value >= HIGH for value in record["probability"])], digits=1
)


@dataclass(frozen=True, eq=False)
class Profile(Design):
    """The reward probabilities of the arms of a bandit experiment, from the lowest to the highest."""

    bandits: Bandits

    name = "profile"
    series = ("profile",)
    measures = (PROBABILITY, REWARDING_ARMS)

    def settings(self) -> dict[str, Any]:
        settings = self.bandits.settings()
        return {"kind": self.name} | {name: settings[name] for name in ("dataset", "arms", "c", "d", "seed")}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        for series, numbers in missing.items():
            for part in parts(numbers):
                worlds = [self.bandits.world(number) for number in part]
                yield partial(_sorted, series, worlds)


def _sorted(series: str, worlds: list[World]) -> list[Record]:
    return [
        {"series": series, "replication": world.number, "probability": np.sort(world.rewards)}
        for world in worlds
    ]
