"""Study folders with participants in every state, and the office at the keyboard, for tests."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from study_files import small, write
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen

from studyapp.base.clock import SimulatedClock
from studyapp.office import study_log
from studyapp.office.events import Excluded, Noted
from studyapp.screens.office.app import OfficeApp
from studyapp.screens.office.task import TaskResult
from studyapp.session import log
from studyapp.session.events import Event, Started, Withdrawn
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log_format import encode
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load

# Names that nothing else on a screen could have in it.
MODELS: dict[str, Any] = {"zebrine": {"teacher": "naive"}, "quokkan": {"teacher": "mixture"}}
REVEALING = re.compile("zebrine|quokkan|naive|mixture|planning")
MORNING = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
PATIENCE = 300.0  # seconds to wait for something to happen, before the test fails
POLL = 0.005  # seconds between two looks
HOPS = 8  # an event passes from a widget up to the app, one queue at a time; there are fewer


def study_folder(path: Path, **changes: Any) -> StudyFolder:
    """A study folder with the small study."""
    write(path, small(models=MODELS, **changes))
    return StudyFolder(path)


@cache
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
        Noted("P02", "[bold]asked[/] for a break"),
        Noted("P02", "came back on Tuesday"),
        Excluded("P01", "fell asleep", unblinded=False),
    )


class Desk:
    """An experimenter at the keyboard of the office.

    Nothing here depends on how fast the machine is: whatever is to happen is waited for.
    """

    def __init__(self, app: OfficeApp, pilot: Pilot[int]) -> None:
        self.app = app
        self._pilot = pilot

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not happened():
                await asyncio.sleep(POLL)
                self.app.screen._on_timer_update()  # draw now what would be drawn soon

    async def handled(self) -> None:
        """Wait until the app and its widgets have handled all events, and the screen is drawn."""
        for _ in range(HOPS):
            await self._pilot._wait_for_screen()
        if self.app._running:
            self.app.screen._on_timer_update()

    async def press(self, *keys: str) -> None:
        """Press keys, each when the one before it has been handled."""
        for key in keys:
            name = key if key.isalnum() or len(key) > 1 else _character_to_key(key)
            assert self.app._driver is not None
            event = Key(name, key if len(key) == 1 else None)
            event.set_sender(self.app)
            self.app._driver.send_message(event)
            await self.handled()

    async def shows(self, *texts: str) -> None:
        """Wait until all of this is on the screen."""
        await self.until(lambda: all(text in self.text for text in texts))

    async def opens(self, kind: type[Screen[Any]]) -> None:
        """Wait until such a screen is open and drawn."""
        await self.until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted)
        await self.handled()

    async def closes(self) -> None:
        """Wait until the office itself is in sight."""
        await self.until(lambda: self.app.screen is self.app.screen_stack[0])
        await self.handled()

    async def done(self) -> TaskResult:
        """Wait until a command has ended whose output stays until it was read."""
        await self.until(lambda: getattr(self.app.screen, "result", None))
        await self.handled()
        result: TaskResult = self.app.screen.result  # type: ignore[attr-defined]
        return result

    async def looked(self) -> None:
        """Wait for a look that begins now."""
        for _ in range(2):  # what comes first may be of a look that had begun before
            await self.until(lambda: not self.app._looking)
            seen = self.app.seen
            self.app.look()
            await self.until(lambda seen=seen: self.app.seen is not seen)
        await self.handled()

    async def resize(self, width: int, height: int) -> None:
        await self._pilot.resize_terminal(width, height)
        await self.until(lambda: self.app.screen.size == (width, height))
        await self.handled()

    @property
    def text(self) -> str:
        """All text on the screen, line by line."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    @property
    def chosen(self) -> str | None:
        """The participant under the cursor."""
        row = self.app.participants.chosen
        return row.participant if row else None

    @property
    def shown(self) -> list[str]:
        """The participants in the table."""
        return [*self.app.participants._shown]


@asynccontextmanager
async def office(folder: StudyFolder, *, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Desk]:
    """A running office that has looked at its study once."""
    app = OfficeApp(folder)
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: app.seen is not None)
        await desk.shows("s Start")  # the footer comes last
        await desk.handled()
        yield desk
