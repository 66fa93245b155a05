"""Designs: what an experiment is, whatever it is run on.

A design names its *series* (pairs of teacher and learner, or ways to query), has replications numbered from
0, and cuts whatever of them is wanted into jobs.  A job can be sent to any process or machine: it has all it
needs.  Its records, one a series and replication, depend on the design and the number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

__all__ = ["Design", "Job", "Record", "do", "parts"]

Record = dict[
    str, Any
]  # "series", "replication", and what was measured: plain numbers and lists, fit for JSON
Job = Callable[[], list[Record]]  # some replications of one series; can be pickled

TOGETHER = 25  # replications of a job: as fast as more, and a lost job is no great loss


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


def parts(numbers: Sequence[int], most: int = TOGETHER) -> Iterator[Sequence[int]]:
    """Replications in parts for a job each, of ``most`` at the most."""
    together = max(1, min(TOGETHER, most))
    for start in range(0, len(numbers), together):
        yield numbers[start : start + together]


def do(job: Job) -> list[Record]:
    """A job in a process of its own, which keeps to one core."""
    import torch

    torch.set_num_threads(1)
    return job()
