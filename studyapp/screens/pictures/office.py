"""A study folder for the pictures of the office: real logs of made-up participants, at fixed times."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from studyapp.base.clock import SimulatedClock
from studyapp.office import study_log
from studyapp.office.events import BackedUp, Excluded, Noted, Verified
from studyapp.office.watch import Seen, Watch
from studyapp.screens.office.app import OfficeApp
from studyapp.session import log
from studyapp.session.events import Answered
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load
from studyapp.study.plan import Round

__all__ = ["CHOSEN", "fill", "opened"]

MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 18, 11, 24, tzinfo=UTC)
FREE = 48.2e9  # bytes
CHOSEN = "P06"
FINISHED = ("P01", "P02", "P03", "P05")
BEGAN = {  # days and hours after Monday at nine
    "P01": (0, 0.1),
    "P02": (0, 2.2),
    "P03": (0, 5.4),
    "P04": (1, 0.3),
    "P05": (1, 2.1),
    "P06": (1, 5.5),
    "P07": (2, 2.2),
}
ANSWERED = {"P04": 31, "P06": 52, "P07": 74}  # how far those got who did not finish


class _LeavesError(Exception):
    """A participant leaves."""


class _Visitor(SimulatedParticipant):
    """Leaves after so many answers."""

    def __init__(self, sitting: Sitting, answers: int | None) -> None:
        super().__init__(sitting, "person")
        self._left = answers

    def answer(self, round_: Round, question: int, word: str, history: list[Answered]) -> bool:
        if self._left == 0:
            raise _LeavesError
        self._left = None if self._left is None else self._left - 1
        return super().answer(round_, question, word, history)


def fill(folder: StudyFolder) -> None:
    """Seven participants: four have finished, one withdrew, one will come back, one is answering now."""
    for participant, (days, hours) in BEGAN.items():
        clock = SimulatedClock(MONDAY + timedelta(days=days, hours=hours))
        sitting = Sitting.open(load(folder.file), Participant(participant), folder.sessions, clock=clock)
        with contextlib.suppress(_LeavesError):
            attend(sitting, _Visitor(sitting, ANSWERED.get(participant)), clock)
        if participant == "P04":
            sitting.withdraw(delete=False)
        sitting.close()
    about: dict[str, Any] = {"host": "lab", "user": "anna"}
    chains = {
        participant: log.read(folder.sessions / f"{participant}.yaml").chain for participant in FINISHED
    }
    study_log.append(
        folder.log,
        Noted("P03", "phone rang in round 2", at="2026-11-16T14:25:00.000Z", **about),
        Excluded("P03", "took a phone call", unblinded=False, at="2026-11-16T14:30:00.000Z", **about),
        *(
            Verified(participant, chain, "verified", at="2026-11-17T17:00:00.000Z", **about)
            for participant, chain in chains.items()
        ),
        BackedUp("backup.zip", "0" * 64, list(FINISHED), at="2026-11-17T17:01:00.000Z", **about),
        Noted("P06", "has read about the study before", at="2026-11-17T14:29:00.000Z", **about),
        Noted("P06", "fire alarm; comes back on Thursday", at="2026-11-17T14:32:00.000Z", **about),
    )


class _Fixed(Watch):
    """Looks at a study on a disk whose free space never changes, while P07 is answering."""

    def look(self, progress: Callable[[int, int], None] | None = None) -> Seen:
        seen = super().look(progress)
        rows = [replace(row, open=row.participant == "P07") for row in seen.rows]
        return replace(seen, overview=replace(seen.overview, free=int(FREE)), rows=rows)


def opened(folder: StudyFolder) -> OfficeApp:
    """The office of this study, at a fixed moment."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    return OfficeApp(folder, watch=_Fixed(folder), clock=SimulatedClock(NOW))
