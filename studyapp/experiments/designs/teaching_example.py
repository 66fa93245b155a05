"""Ten arms on a line, with a first question about arm 6 (Figure 2, supplement C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from core.likelihoods import Evidence
from core.posterior import fit_naive
from core.randomness import stream
from core.thompson import PriorDraws, count_winners
from studyapp.experiments.designs.design import DESIGNS, Design, Work, parts
from studyapp.experiments.designs.measures import PROBABILITY, Measure, Record

__all__ = ["ADVANTAGE", "AFTER_NO", "AFTER_YES", "STEERING", "TeachingExample"]

NEAR_PEAK = slice(6, 9)  # arms 7 to 9, around the higher peak


def _steering(record: Record) -> list[float]:
    yes, no = record["after_yes"][NEAR_PEAK], record["after_no"][NEAR_PEAK]
    return [sum(yes) - sum(no)]


AFTER_NO = Measure("after no", lambda record: record["after_no"], step="arm")
AFTER_YES = Measure("after yes", lambda record: record["after_yes"], step="arm")
ADVANTAGE = Measure("advantage of yes", lambda record: record["advantage"], digits=2)
STEERING = Measure("steering", _steering)


@DESIGNS.add
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
                yield partial(_records, self, series, list(part))


def _records(design: TeachingExample, series: str, numbers: list[int]) -> list[Record]:
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
