"""How rewarding the arms of a bandit experiment are (Figure S2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core.worlds import World
from studyapp.experiments.designs.bandits import Bandits
from studyapp.experiments.designs.design import DESIGNS, Design, Work, parts
from studyapp.experiments.designs.measures import PROBABILITY, Measure, Record

__all__ = ["REWARDING_ARMS", "Profile"]

HIGH = 0.5  # the lowest reward probability of a rewarding arm

REWARDING_ARMS = Measure(
    "rewarding arms", lambda record: [sum(value >= HIGH for value in record["probability"])], digits=1
)


@DESIGNS.add
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
                yield partial(_records, series, worlds)


def _records(series: str, worlds: list[World]) -> list[Record]:
    return [
        {"series": series, "replication": world.number, "probability": np.sort(world.rewards)}
        for world in worlds
    ]
