"""A design that only tests know, whose work is quick or deadly; workers load nothing else of the tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from studyapp.experiments.designs.design import Design, Measure, Record, Work

DEADLY = 2  # the replication that kills


@dataclass(frozen=True, eq=False)
class Doubling(Design):
    """Its values double from step to step; each job is one replication."""

    deadly: str = ""  # a file that is made before a job kills its worker, which happens once; none: never

    name = "doubling"
    series = ("plain",)
    measures = (Measure("square", lambda record: [value**2 for value in record["value"]], step="round"),)

    def settings(self) -> dict[str, Any]:
        return {"kind": self.name, "deadly": self.deadly, "seed": 0}

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        for number in missing["plain"]:
            yield partial(_doubled, number, self.deadly if number == DEADLY else "")


def _doubled(number: int, deadly: str) -> list[Record]:
    if deadly and not Path(deadly).exists():
        Path(deadly).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    value = [float(number * 2**i) for i in range(3)]
    return [{"series": "plain", "replication": number, "value": value, "process": os.getpid()}]
