"""Designs: the experiments, whatever machine runs them.

A design names its *series* (pairs of teacher and learner, or ways to query), numbers its replications from 0,
and cuts the replications that are missing into jobs.  A job is a plain call that carries all it needs, so any
process or machine can do it.  It returns records, one per replication, which depend only on the design and
the replication's number.

Each kind of design is one class.  It also says what is measured on its records: numbers by step, which
claims, tables and figures share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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

# Jobs

Work = Callable[[], list[Record]]  # a job: some replications of one series; can be pickled

REPLICATIONS_PER_JOB = 25  # replications per job: larger jobs are no faster, and losing one costs little


class Design(ABC):
    """Everything about an experiment except the number of replications."""

    name: ClassVar[str]  # its kind, as results files record it
    series: ClassVar[tuple[str, ...]]  # those it has by default
    measures: ClassVar[tuple[Measure, ...]]

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Whatever the results depend on, ready for JSON: equal settings give equal results."""

    @abstractmethod
    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        """The work for these replications of these series; each job is about one series."""


def parts(numbers: Sequence[int], most: int = REPLICATIONS_PER_JOB) -> Iterator[Sequence[int]]:
    """Replications in parts of at most ``most``, one part per job."""
    together = max(1, min(REPLICATIONS_PER_JOB, most))
    for start in range(0, len(numbers), together):
        yield numbers[start : start + together]
