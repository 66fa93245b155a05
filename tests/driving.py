"""Drives the app in this process by its keyboard, in simulated time.

Time passes when a person presses a key, and when nothing else happens before a moment that something waits
for.  So no test waits for a pause, and what is timed is exact however busy the machine is.
"""

from __future__ import annotations

import asyncio
import heapq
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, patch

from small_study import STUDY
from textual._compositor import Compositor
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import InputEvent, Key, MouseDown, MouseUp, Resize
from textual.geometry import Size
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import ModalScreen

from studyapp.base import documents
from studyapp.base.clock import SimulatedClock
from studyapp.screens.app import StudyApp
from studyapp.screens.items import ItemPage
from studyapp.screens.page import Page
from studyapp.screens.pages import InstructionsAgain
from studyapp.screens.round import RoundPage
from studyapp.session.events import Event
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log import read
from studyapp.session.session import Session, Step
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

MORNING = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
KEYSTROKE = 0.25  # seconds before every key and click
REPEAT = 0.02  # seconds between two repeats of a held key
MORE_REPEATS = 10
INSTANT = 1e-9  # seconds between two readings of the clock
PATIENCE = 120.0  # seconds of real time before a test that hangs is ended
POLL = 0.002  # seconds of real time between two looks at a thread's work

# Changes to the small study that leave nothing but its rounds.
ROUNDS_ONLY: dict[str, Any] = {
    "consent": None,
    "instructions": [],
    "practice": [],
    "after_round": [],
    "questionnaires": {},
    "bonus": None,
    "breaks": None,
}


def study_in(folder: Path, **changes: Any) -> LoadedStudy:
    """The small study with some settings changed, from a file.  None leaves a setting out."""
    path = folder / "study.yaml"
    path.write_text(
        documents.block({name: value for name, value in (STUDY | changes).items() if value is not None})
    )
    return load(path)


class ArrivedError(Exception):
    """A session has reached a step."""


def brought(loaded: LoadedStudy, folder: Path, to: Callable[[Step], bool], participant: str = "P07") -> None:
    """A session that was left at the first such step, without showing any pages."""
    clock = SimulatedClock(MORNING)
    sitting = Sitting.open(loaded, Participant(participant), folder / "sessions", clock=clock)

    def look() -> None:
        if to(sitting.session.step):
            raise ArrivedError

    with suppress(ArrivedError):
        look()
        attend(sitting, SimulatedParticipant(sitting, "random"), clock, look)
    sitting.close()


class Time(SimulatedClock):
    """The clock of a person and the app: the app's pauses pass on it."""

    def __init__(self) -> None:
        super().__init__(MORNING)
        super().wait(1.0)  # a stopwatch that has been running for a while
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = count()

    def seconds(self) -> float:
        super().wait(INSTANT)  # no two things happen at the same time
        return super().seconds()

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.seconds() + seconds, next(self._number), future))
        self.wait(0.0)
        await future

    def wait(self, seconds: float) -> None:
        super().wait(seconds)
        while self._sleepers and (self._sleepers[0][2].done() or self._sleepers[0][0] <= self.seconds()):
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():  # it may have been cancelled
                future.set_result(None)

    def skip(self) -> bool:
        """Let time pass until something that waits for its moment goes on; False if nothing does."""
        self.wait(0.0)
        if self._sleepers:
            self.wait(max(0.0, self._sleepers[0][0] - self.seconds()))
            return True
        return False


class Person:
    """A person at the keyboard."""

    def __init__(self, app: StudyApp, time: Time) -> None:
        self.app = app
        self.time = time
        self.drawn: Callable[[], object] = lambda: None  # called when the screen has been drawn

    # --- waiting

    async def until(self, happened: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.handled()
                while not happened():
                    if self._computes() or not self.time.skip():
                        await asyncio.sleep(POLL)
                    await self.handled()
        except TimeoutError:
            raise AssertionError(f"nothing happened:\n{self.text()}") from None

    async def until_page(self, name: str) -> None:
        await self.until(lambda: self.page() == name and self._waits())

    async def settled(self) -> None:
        """Wait until the page waits for a key, or the app has ended."""
        await self.until(self._waits)

    def _waits(self) -> bool:
        if self.app._exit:
            return True
        screen = self.app.screen
        if not self.app.uncovered.is_set() and not isinstance(screen, InstructionsAgain):
            return isinstance(screen, ModalScreen) and screen.is_mounted
        return isinstance(screen, Page) and screen.waits_for_key()

    def _computes(self) -> bool:
        """Is the next question still being computed?  Time waits for it: otherwise it would come late."""
        questions = self.app.sitting._questions if self.app.sitting else None
        return questions is not None and not questions.now.done()

    async def handled(self) -> None:
        """Wait until the app has nothing left to do now, and the screen is drawn."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        async with asyncio.timeout(PATIENCE):
            while True:
                await asyncio.sleep(0)
                while ready:
                    await asyncio.sleep(0)
                if not self.app._running or self.app._exit or not self._draws():
                    return
                self.app.screen._on_timer_update()  # draw now what would be drawn soon

    def _draws(self) -> bool:
        """Has the screen changed since it was drawn, or does something wait for its drawing?"""
        screen = self.app.screen
        return bool(
            screen._layout_required
            or screen._scroll_required
            or screen._repaint_required
            or screen._recompose_required
            or screen._dirty_widgets
            or screen._callbacks
        )

    # --- pressing keys

    async def press(self, *keys: str) -> None:
        """Press keys, each one when the page waits for it."""
        for key in keys:
            await self.settled()
            await self.hit(key)
        await self.settled()

    async def hit(self, *keys: str) -> None:
        """Press keys one after another, whether or not the page waits for them."""
        for key in keys:
            await self._after(KEYSTROKE)
            await self.hit_at_once(key)

    async def hit_at_once(self, *keys: str) -> None:
        """Press keys before the app can handle the first of them."""
        for key in keys:
            name = key if key.isalnum() or len(key) > 1 else _character_to_key(key)
            self._send(Key(name, "\r" if key == "enter" else key if len(key) == 1 else None))
        await self.handled()

    async def hold(self, key: str, happened: Callable[[], object]) -> None:
        """Hold a key down until something has happened, and for some repeats more."""
        await self.hit(key)
        async with asyncio.timeout(PATIENCE):
            while not happened():
                await self._repeat(key)
        for _ in range(MORE_REPEATS):
            await self._repeat(key)

    async def _repeat(self, key: str) -> None:
        while self._computes():
            await asyncio.sleep(POLL)
        await self._after(REPEAT)
        await self.hit_at_once(key)

    def let_go(self) -> None:
        """No key is held down: as if all had been pressed long ago."""
        self.app.keys._seen.clear()

    async def click(self, text: str, *, times: int = 1) -> None:
        """Click on the beginning of a text on the screen."""
        rows = self.text().split("\n")
        row = next(number for number, line in enumerate(rows) if text in line)
        await self.click_at(rows[row].index(text), row, times=times)

    async def click_at(self, column: int, row: int, *, button: int = 1, times: int = 1) -> None:
        await self._after(KEYSTROKE)
        for _ in range(times):
            for event in (MouseDown, MouseUp):
                self._send(event(None, column, row, 0, 0, button, False, False, False, column, row))
            await self.handled()

    async def _after(self, seconds: float) -> None:
        self.time.wait(seconds)
        await self.handled()

    def _send(self, event: InputEvent) -> None:
        assert self.app._driver is not None
        event.set_sender(self.app)
        self.app._driver.send_message(event)

    async def resize(self, width: int, height: int) -> None:
        size = Size(width, height)
        assert isinstance(self.app._driver, HeadlessDriver)
        self.app._driver._size = size
        self.app.post_message(Resize(size, size))
        await self.handled()
        self.app._check_resize()  # now, not in a moment
        await self.handled()

    async def answer(self) -> None:
        """Complete one step of the session, whatever it asks for."""
        session = self.session
        position, yes = session.position, session.study.answers.yes
        for _ in range(10):  # instructions have several pages
            if session.position > position or session.over:
                return
            keys = {
                "ConsentPage": [yes],
                "RoundPage": [yes],
                "scale item": ["5"],
                "choice item": ["1"],
                "text item": ["a", "tab"],
            }.get(self.page(), [])
            await self.press(*keys)
            await self.scroll_to_end()
            await self.press("enter")
        raise AssertionError(f"the step can't be completed:\n{self.text()}")

    async def scroll_to_end(self) -> None:
        """Let what is below the window be seen, if anything is."""
        page = self.app.screen
        if isinstance(page, Page) and page.scrolls():
            await self.handled()
            if page.unread():
                await self.hit("end")
                await self.until(lambda: not page.unread())

    async def this_is_me(self) -> None:
        """Confirm the ID."""
        await self.until_page("WhoPage")
        await self.hit("enter")
        await self.until(lambda: self.app.sitting is not None)
        await self.settled()
        self.let_go()

    async def go_to_first_question(self) -> None:
        while self.page() != "RoundPage":
            await self.answer()

    # --- looking

    @property
    def session(self) -> Session:
        assert self.app.sitting is not None
        return self.app.sitting.session

    def page(self) -> str:
        """The name of the page; for an item, its kind."""
        page = self.app.screen
        return f"{page.step.item.kind} item" if isinstance(page, ItemPage) else type(page).__name__

    def question(self) -> str:
        """The word that the page asks about."""
        page = self.app.screen
        assert isinstance(page, RoundPage)
        assert page.open_question is not None
        return page.open_question.asked.word

    def text(self) -> str:
        """All text on the screen, line by line."""
        assert not self.app._exit, f"the app has ended: {self.app.return_value}, {self.app.error}"
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    def flat_text(self) -> str:
        """The same on one line, without frames, and without what is beside a dialog."""
        lines = self.text().split("\n")
        for dialog in self.app.screen.query("#dialog"):
            left, right = dialog.region.x, dialog.region.right
            lines[dialog.region.y : dialog.region.bottom] = [
                line[left:right] for line in lines[dialog.region.y : dialog.region.bottom]
            ]
        return " ".join(re.sub("[\u2500-\u257f]", " ", "\n".join(lines)).split())

    def words(self) -> set[str]:
        """The words on the screen."""
        return set(re.findall(r"[^\W\d_]+", self.text()))

    def shows(self, name: str, **values: str | int) -> bool:
        """Is this text of the study on the screen?"""
        loaded = self.app.loaded
        text = loaded.say(getattr(loaded.study.texts, name), **values)
        return " ".join(text.split()) in self.flat_text()

    def events(self) -> list[Event]:
        return read(self.log).events

    @property
    def log(self) -> Path:
        assert self.app.sitting is not None
        return self.app.sitting.path


@asynccontextmanager
async def running(
    loaded: LoadedStudy,
    folder: Path,
    participant: str | None = "P07",
    *,
    size: tuple[int, int] = (80, 24),
    pilot: bool = False,
    confirm: bool = True,
) -> AsyncIterator[Person]:
    """A running app, on the first page after the participant has confirmed the ID.

    With None as the participant it asks for the ID; without ``confirm``, it asks whether this is the one.
    """
    time = Time()
    app = StudyApp(loaded, folder / "sessions", participant, pilot=pilot, clock=time, sleep=time.sleep)
    app.animation_level = "none"
    person = Person(app, time)

    render = Compositor.render_update

    def draw(compositor: Compositor, full: bool = False, **options: Any) -> object:
        """Nobody sees what is drawn, unless a picture is taken: ``Person.text`` draws when a test looks."""
        if full:
            return render(compositor, full=True, **options)
        compositor._dirty_regions.clear()
        person.drawn()
        return None

    stamps = patch("textual.message._time", SimpleNamespace(get_time=time.seconds))  # of every event
    drawing = patch.object(Compositor, "render_update", draw)
    waiting = patch.object(Pilot, "_wait_for_screen", AsyncMock())  # for at most 30 seconds of real time
    try:
        with stamps, drawing, waiting:
            async with app.run_test(size=size):
                await person.settled()
                if participant is not None and confirm:
                    await person.this_is_me()
                yield person
    finally:
        if app.sitting is not None:
            app.sitting.close()


@asynccontextmanager
async def asking(folder: Path, **changes: Any) -> AsyncIterator[Person]:
    """A running app with the small study's rounds and some changes, at the first question."""
    async with running(study_in(folder, **ROUNDS_ONLY | changes), folder) as person:
        await person.press("enter")
        yield person
