"""A rehearsal: simulated participants take part in a study, on all cores, without screens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.base.parallel import in_order
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import OverError, Participant, Sitting
from studyapp.study.study import LoadedStudy

__all__ = ["rehearse"]


def rehearse(loaded: LoadedStudy, teacher: str, count: int, sessions: Path) -> Iterator[bool]:
    """Run this many simulated sessions; yields False for each that had finished before."""
    one = partial(_rehearse_one, loaded, teacher, sessions)
    yield from in_order(one, range(1, count + 1), f"{teacher} participants")


def _rehearse_one(loaded: LoadedStudy, teacher: str, sessions: Path, number: int) -> bool:
    clock = SimulatedClock(SystemClock().now())
    participant = Participant(f"{teacher}-{number:03d}", teacher=teacher)
    try:
        sitting = Sitting.open(loaded, participant, sessions, clock=clock)
    except OverError:
        return False
    try:
        attend(sitting, SimulatedParticipant(sitting, teacher), clock)
    finally:
        sitting.close()
    return True
