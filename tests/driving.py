"""Drives the app in this process by its keyboard, through Textual's Pilot."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from small_study import STUDY
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Key, Resize
from textual.geometry import Size
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import ModalScreen

from studyapp.base import documents
from studyapp.screens.app import StudyApp
from studyapp.screens.items import ItemPage
from studyapp.screens.page import Page
from studyapp.screens.pages import InstructionsAgain
from studyapp.screens.round import RoundPage
from studyapp.session.events import Event
from studyapp.session.log import read
from studyapp.session.session import Session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

__all__ = ["ROUNDS_ONLY", "Person", "running", "study_in"]

PATIENCE = 20.0  # seconds to wait for something to happen, before the test fails
REPEAT = 0.02  # seconds between two repeats of a held key
MORE_REPEATS = 10
POLL = 0.005  # seconds between two looks
HOPS = 8  # an event passes from a widget up to its page and the app, one queue at a time; there are fewer

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


class Person:
    """A person at the keyboard."""

    def __init__(self, app: StudyApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    # --- waiting

    async def until(self, happened: Callable[[], object]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not happened():
                    await asyncio.sleep(POLL)
                    self.app.screen._on_timer_update()  # draw now what would be drawn soon
        except TimeoutError:
            raise AssertionError(f"nothing happened:\n{self.text()}") from None

    async def until_page(self, name: str) -> None:
        await self.until(lambda: self.page() == name and self._waits())

    async def settled(self) -> None:
        """Wait until the page waits for a key, or the app has ended."""
        await self.until(self._waits)

    def _waits(self) -> bool:
        screen = self.app.screen
        if self.app._exit:
            return True
        if not self.app.uncovered.is_set() and not isinstance(screen, InstructionsAgain):
            return isinstance(screen, ModalScreen) and screen.is_mounted
        return isinstance(screen, Page) and screen.waits_for_key()

    async def handled(self) -> None:
        """Wait until the app and its widgets have handled all events, and the screen is drawn."""
        for _ in range(HOPS):
            await self.pilot._wait_for_screen()
        if self.app._running:
            self.app.screen._on_timer_update()

    # --- pressing keys

    async def press(self, *keys: str) -> None:
        """Press keys, each one when the page waits for it."""
        for key in keys:
            await self.settled()
            await self.hit(key)
        await self.settled()

    async def hit(self, *keys: str) -> None:
        """Press keys one after another, whether or not the page waits for them.

        Pilot.press waits after each key until the process is idle, which a learner at work delays.
        """
        for key in keys:
            await self.hit_at_once(key)

    async def hit_at_once(self, *keys: str) -> None:
        """Press keys before the app can handle the first of them."""
        for key in keys:
            name = key if key.isalnum() or len(key) > 1 else _character_to_key(key)
            assert self.app._driver is not None
            event = Key(name, "\r" if key == "enter" else key if len(key) == 1 else None)
            event.set_sender(self.app)
            self.app._driver.send_message(event)
        await self.handled()

    async def hold(self, key: str, happened: Callable[[], object]) -> None:
        """Hold a key down until something has happened, and for some repeats more."""
        await self.hit(key)
        async with asyncio.timeout(PATIENCE):
            while not happened():
                await asyncio.sleep(REPEAT)
                await self.hit(key)
        for _ in range(MORE_REPEATS):
            await asyncio.sleep(REPEAT)
            await self.hit(key)

    def let_go(self) -> None:
        """No key is held down: as if all had been pressed long ago."""
        self.app.keys._seen.clear()

    async def click(self, text: str) -> None:
        """Click on the beginning of a text on the screen."""
        rows = self.text().split("\n")
        row = next(number for number, line in enumerate(rows) if text in line)
        await self.click_at(rows[row].index(text), row)

    async def click_at(self, column: int, row: int, button: int = 1) -> None:
        await self.pilot.click(offset=(column, row), button=button)
        await self.handled()

    async def resize(self, width: int, height: int) -> None:
        size = Size(width, height)
        assert isinstance(self.app._driver, HeadlessDriver)
        self.app._driver._size = size
        self.app.post_message(Resize(size, size))
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
    app = StudyApp(loaded, folder / "sessions", participant, pilot=pilot)
    try:
        async with app.run_test(size=size) as driver:
            person = Person(app, driver)
            await person.settled()
            if participant is not None and confirm:
                await person.this_is_me()
            yield person
    finally:
        if app.sitting is not None:
            app.sitting.close()
