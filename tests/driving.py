"""Drives the app of a session in this process, by its keyboard, through Textual's Pilot."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from small_study import STUDY
from textual.pilot import Pilot

from studyapp.base import documents
from studyapp.screens.app import StudyApp
from studyapp.screens.items import ItemPage
from studyapp.screens.page import Page
from studyapp.screens.round import RoundPage
from studyapp.session.events import Event
from studyapp.session.log import read
from studyapp.session.sitting import Sitting
from studyapp.study.loading import load
from studyapp.study.study import LoadedStudy

__all__ = ["Player", "playing", "study_in"]

TURNS = 1000  # of waiting for something to happen, before that is a failure


def study_in(folder: Path, **changes: Any) -> LoadedStudy:
    """The small study with some settings changed, from a file."""
    path = folder / "study.yaml"
    path.write_text(
        documents.block({name: value for name, value in (STUDY | changes).items() if value is not None})
    )
    return load(path)


class Player:
    """A participant at the keyboard."""

    def __init__(self, app: StudyApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, happened: Callable[[], object]) -> None:
        for _ in range(TURNS):
            if happened():
                return
            await self.pilot.pause(0.005)
        raise AssertionError(f"nothing happened:\n{self.text()}")

    async def settled(self) -> None:
        """Wait until the page waits for a key, or the app has ended."""
        await self.until(self._waits)

    def _waits(self) -> bool:
        page = self.app.screen
        if self.app._exit or not self.app.uncovered.is_set():
            return True
        if not isinstance(page, Page) or page.finished.done() or not page.up_since:
            return False
        return page.asks if isinstance(page, RoundPage) else True

    async def press(self, *keys: str) -> None:
        """Press keys, each when the page waits for one."""
        for key in keys:
            await self.settled()
            await self.pilot.press(key)
        await self.settled()

    def page(self) -> str:
        """The name of the page; of an item, its kind."""
        page = self.app.screen
        return f"{page.step.item.kind} item" if isinstance(page, ItemPage) else type(page).__name__

    def text(self) -> str:
        """All that can be read on the screen, line by line."""
        lines: dict[float, str] = {}
        for y, content in re.findall(
            r'<text[^>]* y="([\d.]+)"[^>]*>([^<]*)</text>', self.app.export_screenshot(title=" ")
        ):
            lines[float(y)] = lines.get(float(y), "") + html.unescape(content).replace("\xa0", " ")
        return "\n".join(lines[y].rstrip() for y in sorted(lines))

    def said(self) -> str:
        """The same on one line, without frames."""
        return " ".join(re.sub("[\u2500-\u257f]", " ", self.text()).split())

    def events(self) -> list[Event]:
        return read(self.log).events

    @property
    def log(self) -> Path:
        assert self.app.sitting is not None
        return self.app.sitting._log.path


@asynccontextmanager
async def playing(
    loaded: LoadedStudy,
    folder: Path,
    participant: str | None = "P07",
    *,
    size: tuple[int, int] = (80, 24),
    pilot: bool = False,
) -> AsyncIterator[Player]:
    """A running app, on its first page."""
    sitting = Sitting(loaded, participant, folder / "sessions", pilot=pilot) if participant else None
    app = StudyApp(loaded, folder / "sessions", sitting, pilot=pilot)
    try:
        async with app.run_test(size=size) as driver:
            player = Player(app, driver)
            await player.settled()
            yield player
    finally:
        if app.sitting is not None:
            app.sitting.close()
