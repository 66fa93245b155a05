"""A rehearsal: simulated participants go through a study, on all cores, without screens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.base.parallel import in_order
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import OverError, Sitting
from studyapp.study.study import LoadedStudy

__all__ = ["send"]


def send(loaded: LoadedStudy, teacher: str, many: int, sessions: Path) -> Iterator[bool]:
    """Send so many participants through; False for each with whom that was done before."""
    one = partial(_send, loaded, teacher, sessions)
    yield from in_order(one, range(1, many + 1), f"{teacher} participants")


def _send(loaded: LoadedStudy, teacher: str, sessions: Path, number: int) -> bool:
    clock = SimulatedClock(SystemClock().now())
    try:
        sitting = Sitting(loaded, f"{teacher}-{number:03d}", sessions, clock=clock, teacher=teacher)
    except OverError:
        return False
    try:
        attend(sitting, SimulatedParticipant(sitting, teacher), clock)
    finally:
        sitting.close()
    return True
