"""A rehearsal: simulated participants take part in a study, on all cores, without screens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from core.people import People
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.base.parallel import in_order
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import OverError, Participant, Sitting
from studyapp.study.loaded import LoadedStudy

__all__ = ["rehearse"]


def rehearse(
    loaded: LoadedStudy, teacher: str, count: int, sessions: Path, people: People | None = None
) -> Iterator[bool]:
    """Run this many simulated sessions; yields False for each that had finished before.

    ``people`` says how simulated people answer, if not as the study says; the study's models do not know.
    """
    if people is not None:
        people = loaded.people_here(people)
    one = partial(_rehearse_one, loaded, teacher, people, sessions)
    yield from in_order(one, range(1, count + 1), f"{teacher} participants")


def _rehearse_one(
    loaded: LoadedStudy, teacher: str, people: People | None, sessions: Path, number: int
) -> bool:
    clock = SimulatedClock(SystemClock().now())
    participant = Participant(f"{teacher}-{number:03d}", teacher=teacher, people=people)
    try:
        sitting = Sitting.open(loaded, participant, sessions, clock=clock)
    except OverError:
        return False
    try:
        attend(sitting, SimulatedParticipant(sitting, teacher, people), clock)
    finally:
        sitting.close()
    return True
