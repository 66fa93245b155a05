"""Ten arms on a line, the first question being about arm 6 (Figure 2, supplement C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from core.evidence import Evidence
from core.posterior import fit_naive
from core.randomness import stream
from core.thompson import best_arm_probabilities, thompson_points
from studyapp.experiments.designs import Job, Record, parts

__all__ = ["TeachingExample"]


@dataclass(frozen=True, eq=False)
class TeachingExample:
    """Replications differ in the random points of the Thompson probabilities alone."""

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
            for part in parts(numbers):
                yield partial(_replications, self, series, list(part))


@torch.inference_mode()
def _replications(design: TeachingExample, series: str, numbers: list[int]) -> list[Record]:
    place = np.linspace(0.0, 1.0, design.arms)
    bumps = [np.exp(-0.5 * ((place - peak) / design.length_scale) ** 2) for peak in design.peaks]
    arms = np.column_stack([np.ones(design.arms), *bumps])
    odds = arms @ np.array(design.theta)
    X = torch.from_numpy(arms).expand(2, -1, -1)  # after a no and after a yes
    asked = X[:, design.asked - 1 : design.asked]
    told = Evidence(asked, torch.tensor([[-1.0], [1.0]], dtype=torch.float64), X.new_zeros(2, 1, 2, 0, 3))
    learner = fit_naive(told, design.tau, X.new_zeros(2, 1, 3))
    records = []
    for number in numbers:
        seed = stream(design.seed, "replication", number, "points").integer(2**52)
        points = thompson_points(design.arms, 3, design.samples, seed)
        no, yes = best_arm_probabilities(learner.mean, learner.factor, X, points).numpy()
        records.append(
            {
                "series": series,
                "replication": number,
                "probability": (1.0 / (1.0 + np.exp(-odds))).tolist(),
                "after_no": no.tolist(),
                "after_yes": yes.tolist(),
                "advantage": [float((yes - no) @ odds)],  # Q(1) - Q(0)
            }
        )
    return records
