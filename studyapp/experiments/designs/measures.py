"""Measures: numbers computed from a replication, shared by claims, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACCURACY", "PROBABILITY", "Measure", "Record"]

# One replication: "series", "replication" and what its design records, as plain numbers and arrays.
Record = dict[str, Any]


@dataclass(frozen=True)
class Measure:
    """One number per step of a replication, or a single number where there are no steps."""

    name: str
    take: Callable[[Record], Sequence[float] | NDArray[np.float64]]  # empty where a series lacks it
    step: str = ""  # what a step is: a question, an answer, an arm
    first: int = 1  # the number of the first step
    digits: int = 3  # decimal places worth showing

    @property
    def key(self) -> str:
        """Its name in JSON and CSV."""
        return self.name.replace(" ", "_")


ACCURACY = Measure("accuracy", lambda record: record["accuracy"], step="answer", first=0)
PROBABILITY = Measure("probability", lambda record: record["probability"], step="arm")
