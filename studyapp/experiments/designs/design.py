"""Designs: the experiments, whatever machine runs them.

A design names its *series* (pairs of teacher and learner, or ways to query), numbers its replications from 0,
and cuts the replications that are missing into jobs.  A job carries all it needs, so any process or machine
can run it.  It returns records, one per series and replication, which depend only on the design and the
replication's number.

Each kind of design is one class in one file.  It also says what its records hold, what is measured on them,
and how long they take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from core.kinds import Kinds
from studyapp.experiments.designs.fields import Field
from studyapp.experiments.designs.measures import Measure, Record

__all__ = ["DESIGNS", "Design", "Job", "Record", "parts", "run_job"]

Job = Callable[[], list[Record]]  # some replications of one series; can be pickled

REPLICATIONS_PER_JOB = 25  # replications per job: larger jobs are no faster, and losing one costs little


class Design(ABC):
    """Everything about an experiment except the number of replications."""

    name: ClassVar[str]  # its kind, as results files record it
    series: ClassVar[tuple[str, ...]]  # those it has by default
    fields: ClassVar[Mapping[str, Field]]  # of a record, besides "series" and "replication"
    measures: ClassVar[tuple[Measure, ...]]

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Whatever the results depend on, ready for JSON: equal settings give equal results."""

    @abstractmethod
    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        """The work for these replications of these series."""

    @abstractmethod
    def seconds(self, series: str) -> float:
        """Roughly how long one replication of a series takes on one core."""


DESIGNS: Kinds[type[Design]] = Kinds("design")


def parts(numbers: Sequence[int], most: int = REPLICATIONS_PER_JOB) -> Iterator[Sequence[int]]:
    """Replications in parts of at most ``most``, one part per job."""
    together = max(1, min(REPLICATIONS_PER_JOB, most))
    for start in range(0, len(numbers), together):
        yield numbers[start : start + together]


def run_job(job: Job) -> list[Record]:
    """Run a job in a worker process, on one core."""
    import torch

    torch.set_num_threads(1)
    return job()
