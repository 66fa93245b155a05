"""Experiments with bandit learners: the pairs of Table 1, and how rewarding their arms are (section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.settings import FITS, Settings
from core.simulation import PAIRS, World, prepared, simulate, world
from core.thompson import COUNTED
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.designs import Job, Record, parts

__all__ = ["Bandits", "Profile"]

# Of a job's replications together, so that one of large ones takes no more memory.
ROOM = 10_000  # arms
POINTS = 50_000_000  # numbers of their Thompson points

QUICKEST = "N-N"  # nobody looks ahead


@dataclass(frozen=True, eq=False)
class Bandits:
    """Simulated teachers and bandit learners on one dataset."""

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
        checks.whole("--arms", self.arms, 2, checks.MOST_ARMS)
        checks.whole("--questions", self.questions, 1, 1000)
        checks.number("--c", self.c, least=-1e3, most=1e3)
        checks.number("--d", self.d, least=-1e3, most=1e3)
        checks.number("--teacher-beta", self.teacher_beta, least=0.0, most=1e6)
        if self.imagined_fit is not None:
            checks.one_of("--imagined-fit", self.imagined_fit, FITS)
        checks.whole("--seed", self.seed, -(2**63), 2**63 - 1)

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
        # What takes longest goes first, and what takes next to nothing last, so that all workers end at once.
        yield from self._jobs({pair: missing[pair] for pair in reversed(list(missing)) if pair != QUICKEST})
        yield from self._jobs({pair: missing[pair] for pair in missing if pair == QUICKEST})

    def _jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        every = sorted({number for numbers in missing.values() for number in numbers})
        points = COUNTED * self.learner.samples * (self.dataset.table.shape[1] + 1)
        for part in parts(every, min(ROOM // self.arms, POINTS // points)):
            worlds = {number: self.world(number) for number in part}  # drawn once for all pairs
            for pair, numbers in missing.items():
                wanted = [worlds[number] for number in numbers if number in worlds]
                if wanted:
                    yield partial(
                        _replications, pair, wanted, self.learner, self.teacher_beta, self.imagined_fit
                    )


def _replications(
    pair: str, worlds: list[World], learner: Settings, teacher_beta: float, imagined_fit: str | None
) -> list[Record]:
    records = []
    for each in simulate(worlds, pair, learner, teacher_beta, imagined_fit):
        record: Record = {
            "series": pair,
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
            for part in parts(numbers):
                yield partial(_profiles, series, [self.bandits.world(number) for number in part])


def _profiles(series: str, worlds: list[World]) -> list[Record]:
    return [
        {"series": series, "replication": each.number, "probability": np.sort(each.rewards).tolist()}
        for each in worlds
    ]
