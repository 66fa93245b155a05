"""The participant's app: opens a sitting and turns its pages, step by step, to the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget

from core.errors import FileError, StudyappError
from studyapp.base.clock import Clock, SystemClock, ms
from studyapp.screens.items import item_page
from studyapp.screens.keys import Keys
from studyapp.screens.leave import LeaveDialog, TooSmall
from studyapp.screens.look import THEMES
from studyapp.screens.page import Page
from studyapp.screens.pages import (
    BeginRoundPage,
    BreakPage,
    ConsentPage,
    EndPage,
    IdPage,
    InstructionsPage,
    ResumedPage,
)
from studyapp.screens.round import RoundPage
from studyapp.session.events import Finished, Interrupted, Left, Stayed
from studyapp.session.session import AskConsent, AskItem, AskWord, BeginRound, End, Instruct, Rest, Step
from studyapp.session.sitting import Sitting
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy

__all__ = ["SMALLEST", "StudyApp"]

SMALLEST = (60, 20)  # columns, rows


class StudyApp(App[int]):
    """Everything a participant sees.  Returns an exit code; ``error`` tells why it is 2."""

    CSS_PATH = "study.tcss"
    TITLE = "study"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    def __init__(
        self,
        loaded: LoadedStudy,
        sessions: Path,
        sitting: Sitting | None = None,  # None to ask for the ID
        *,
        clock: Clock | None = None,
        pilot: bool = False,
    ) -> None:
        super().__init__()
        self.loaded = loaded
        self.sessions = sessions
        self.sitting = sitting
        self.clock = clock or SystemClock()
        self.pilot = pilot
        self.keys = Keys(loaded.study.pace.hold)
        self.last_key = 0.0  # when a key that was meant was pressed
        self.error: StudyappError | None = None
        self.uncovered = asyncio.Event()  # does nothing lie over the page?
        self.uncovered.set()
        self.fault: Exception | None = None  # of our own making
        self._leaving = False
        self._too_small_since = 0.0
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = {"dark": "calm-dark", "light": "calm-light", "terminal": "ansi-dark"}[loaded.study.look]

    def on_mount(self) -> None:
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, self._interrupted, number)
        self.run_worker(self._conduct(), group="course")

    # --- the course of a session

    async def _conduct(self) -> None:
        if self.sitting is None:
            await self._turn_to(IdPage(self.loaded.say(self.loaded.study.texts.id_title)))
        assert self.sitting is not None
        session, texts, say = self.sitting.session, self.loaded.study.texts, self.loaded.say
        if isinstance(session.step, AskWord):  # the learner gets to work behind the page that welcomes back
            self.sitting.questions(session.step.round)
        if self.sitting.resumed:
            await self._turn_to(ResumedPage(say(texts.resumed_title)))
        while not isinstance(session.step, End):
            before = session.position
            await self._turn_to(self._page(session.step))
            if session.position == before:  # consent was not given
                await self._turn_to(EndPage(say(texts.end_title), say(texts.declined)))
                self.exit(0)
                return
        finished, bonus = await self._finish(), self.loaded.study.bonus
        about_bonus = (bonus.won if finished.bonus else bonus.lost) if bonus else ""
        await self._turn_to(EndPage(say(texts.end_title), say(texts.end), say(about_bonus)))
        self.exit(0)

    async def _turn_to(self, page: Page) -> None:
        """Show a page until it is done."""
        await self.uncovered.wait()  # else it would come to lie over what covers the last one
        if isinstance(self.screen, Page):
            await self.switch_screen(page)
        else:  # the first page lies on the app's own empty screen
            await self.push_screen(page)
        await page.finished

    def _page(self, step: Step) -> Page:
        assert self.sitting is not None
        texts, say = self.loaded.study.texts, self.loaded.say
        match step:
            case AskConsent():
                return ConsentPage(say(texts.consent_title))
            case Instruct():
                return InstructionsPage(say(texts.instructions_title))
            case BeginRound(played):
                self.sitting.questions(played)  # and behind the page before a round
                return BeginRoundPage(self._round_title(played), played)
            case AskWord(played, _):
                return RoundPage(self._round_title(played), played)
            case AskItem():
                return item_page(say(texts.questionnaire, item=step.place, items=step.of), step)
            case Rest(after):
                return BreakPage(say(texts.break_title), after)
            case End():
                raise AssertionError("the end has no page of its own")

    def _round_title(self, played: Round) -> str:
        assert self.sitting is not None
        session, texts = self.sitting.session, self.loaded.study.texts
        practice = session.rounds_of_practice()
        if played.practice:
            return self.loaded.say(texts.practice_round, round=played.round, target=played.target)
        return self.loaded.say(texts.real_round, round=played.round - practice, target=played.target)

    async def _finish(self) -> Finished:
        """Put the end on disk; where that fails, say so until it works."""
        assert self.sitting is not None
        texts, say = self.loaded.study.texts, self.loaded.say
        while True:
            try:
                return self.sitting.finish()
            except FileError as error:
                lines = say(texts.not_saved), say(texts.try_again), say(texts.details, error=str(error))
                await self._turn_to(EndPage(say(texts.end_title), *lines))

    def open_sitting(self, participant: str) -> None:
        """Open the session of the participant who has given this ID."""
        self.sitting = Sitting(self.loaded, participant, self.sessions, clock=self.clock, pilot=self.pilot)

    # --- what all pages need

    async def painted(self, widget: Widget) -> None:
        """Wait until what was changed can be seen."""
        seen = asyncio.Event()
        widget.call_after_refresh(seen.set)
        await seen.wait()

    def fail(self, error: StudyappError) -> None:
        """End with an error that someone has to put right."""
        self.error = error
        self.exit(2)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of studyapp itself: nobody is shown a traceback, and nothing is lost."""
        if self.is_headless:  # a test wants to see it
            super()._handle_exception(error)
            return
        self.fault = error
        self._note_interruption("fault")
        self.exit(1)

    # --- leaving

    def action_leave(self) -> None:
        page = self.screen
        if self.sitting is None or isinstance(page, EndPage):
            self.exit(0)
            return
        if isinstance(page, TooSmall):  # there is no room to ask
            with contextlib.suppress(FileError):
                self.sitting.record(Left(at=self.sitting.at()))
            self.exit(0)
            return
        if self._leaving:
            return
        self._leaving = True
        self.run_worker(self._ask_to_leave(page))

    async def _ask_to_leave(self, page: Screen[object]) -> None:
        assert self.sitting is not None
        texts, problem, saved = self.loaded.study.texts, "", True
        resumable = self.loaded.study.resume.allowed
        self.uncovered.clear()
        while True:
            began = self.clock.seconds()
            choice = await self.push_screen_wait(LeaveDialog(texts, resumable=resumable, problem=problem))
            away = self.clock.seconds() - began
            try:
                match choice:
                    case "go on":
                        self.sitting.record(Stayed(at=self.sitting.at(), ms=ms(away)))
                    case "for now":
                        self.sitting.record(Left(at=self.sitting.at()))
                    case _:
                        self.sitting.withdraw(delete=choice == "delete")
            except FileError as error:
                saved = False
                if choice in ("keep", "delete"):  # a withdrawal has to be on disk
                    details = self.loaded.say(texts.details, error=str(error))
                    problem = f"{self.loaded.say(texts.not_saved)}\n{details}"
                    continue
            break
        if choice == "go on":
            self._leaving = False
            self.uncovered.set()
            self.keys.appeared(self.clock.seconds())
            if isinstance(page, Page):
                page.came_back(away)
            return
        title, told = {
            "for now": (texts.left_title, texts.left if saved else texts.left_unsaved),
            "keep": (texts.withdrawn_title, texts.withdrawn_keep),
            "delete": (texts.withdrawn_title, texts.withdrawn_delete),
        }[choice]
        self.workers.cancel_group(self, "course")
        self.workers.cancel_node(page)  # a round asks no more
        self.uncovered.set()
        await self._turn_to(EndPage(self.loaded.say(title), self.loaded.say(told)))
        self.exit(0)

    def _interrupted(self, number: signal.Signals) -> None:
        """Ended from outside: note it, and leave the terminal as it was where there still is one."""
        self._note_interruption(signal.Signals(number).name)
        if number == signal.SIGHUP:
            os._exit(128 + number)
        self.exit(128 + number)

    def _note_interruption(self, name: str) -> None:
        if self.sitting is not None and not self.sitting.session.over:
            with contextlib.suppress(StudyappError):  # the log is whole without it
                self.sitting.record(Interrupted(name, at=self.sitting.at()))

    # --- windows of any size

    def on_resize(self, event: Resize) -> None:
        small = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        covered = isinstance(self.screen, TooSmall)
        if small and not covered:
            self.uncovered.clear()
            self._too_small_since = self.clock.seconds()
            width, height = SMALLEST
            text = self.loaded.say(self.loaded.study.texts.too_small, width=width, height=height)
            self.push_screen(TooSmall(text))
        elif covered and not small:
            self.pop_screen()
            self.keys.appeared(self.clock.seconds())
            if not self._leaving:  # else the dialog lies there still, and counts the time
                self.uncovered.set()
                if isinstance(self.screen, Page):
                    self.screen.came_back(self.clock.seconds() - self._too_small_since)
