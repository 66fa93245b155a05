"""Study folders with participants in every state, for tests of the office."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from study_files import small, write
from textual.pilot import Pilot

from studyapp.base.clock import SimulatedClock
from studyapp.office import study_log
from studyapp.office.events import Excluded, Noted
from studyapp.screens.office.app import OfficeApp
from studyapp.session import log
from studyapp.session.events import Event, Started, Withdrawn
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log_format import encode
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load

__all__ = [
    "MODELS",
    "REVEALING",
    "a_full_office",
    "attended",
    "events_of",
    "office",
    "put",
    "study_folder",
    "text_of",
]

# Names that nothing else on a screen could have in it.
MODELS: dict[str, Any] = {"zebrine": {"teacher": "naive"}, "quokkan": {"teacher": "mixture"}}
REVEALING = re.compile("zebrine|quokkan|naive|mixture|planning")
MORNING = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


def study_folder(path: Path, **changes: Any) -> StudyFolder:
    """A study folder with the small study."""
    write(path, small(models=MODELS, **changes))
    return StudyFolder(path)


@lru_cache(maxsize=1)
def _whole() -> tuple[Event, ...]:
    """A session of the small study, as the real writer writes it."""
    with tempfile.TemporaryDirectory() as name:
        return tuple(log.read(attended(study_folder(Path(name)), "P01")).events)


def attended(folder: StudyFolder, participant: str) -> Path:
    """The log of a whole session that took place, and so can be verified."""
    clock = SimulatedClock(MORNING)
    sitting = Sitting.open(load(folder.file), Participant(participant), folder.sessions, clock=clock)
    attend(sitting, SimulatedParticipant(sitting, "random"), clock)
    sitting.close()
    return sitting.path


def events_of(participant: str, count: int | None = None, **head: Any) -> list[Event]:
    """The first events of a session (all of them, without a count), with changes to its head."""
    started, *later = _whole()
    assert isinstance(started, Started)
    gone = {"process": 4_000_000}  # no process has such a number
    return [replace(started, participant=participant, **(gone | head)), *later][:count]


def put(folder: StudyFolder, participant: str, events: Sequence[Event] | None = None) -> Path:
    """A log in the study's sessions."""
    path = folder.sessions / f"{participant}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode(events_of(participant) if events is None else events))
    return path


def a_full_office(folder: StudyFolder) -> None:
    """Participants in every state, with notes and an exclusion."""
    put(folder, "P01")
    put(folder, "P02", events_of("P02", 8))
    here = {"host": os.uname().nodename, "process": os.getpid()}
    put(folder, "P03", events_of("P03", 5, **here))
    for participant, data in (("P04", "kept"), ("P05", "deleted")):
        end: Any = Withdrawn(data, 3, at="2026-11-18T10:00:00.000Z", clock_ms=900_000.0)  # type: ignore[arg-type]
        put(folder, participant, [*events_of(participant, 7 if data == "kept" else 1), end])
    put(folder, "P06", [])
    put(folder, "P07").write_bytes(b"not a log")
    study_log.append(
        folder.log,
        Noted("P02", "asked for a break"),
        Noted("P02", "came back on Tuesday"),
        Excluded("P01", "fell asleep", unblinded=False),
    )


@asynccontextmanager
async def office(
    folder: StudyFolder, *, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[OfficeApp, Pilot[int]]]:
    """A running office that has looked at its study once."""
    app = OfficeApp(folder)
    async with app.run_test(size=size) as pilot:
        while app.seen is None or "s Start" not in text_of(app):  # the footer comes last
            await pilot.pause(0.01)
        await settled(app, pilot)
        yield app, pilot


async def settled(app: OfficeApp, pilot: Pilot[int]) -> None:
    """Wait until the screen changes no more: a table finds its widths only when nothing else is to do."""
    text, same = text_of(app), 0
    while same < 4:
        await pilot.pause(0.1)
        same = same + 1 if text_of(app) == text else 0
        text = text_of(app)


def text_of(app: OfficeApp) -> str:
    """All text on the screen, line by line."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
