"""The participant's app: shows the page of each step, until the session ends or the participant leaves."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerFailed

from core.errors import FileError, StudyappError
from studyapp.base.clock import Clock, SystemClock, ms
from studyapp.base.terminal import is_gone
from studyapp.screens.arriving import ConsentPage, IdPage, WhoPage
from studyapp.screens.dialogs import LeaveChoice, LeaveDialog, TooSmall
from studyapp.screens.items import ConfirmItemsPage, item_page
from studyapp.screens.keys import Keys
from studyapp.screens.page import Page
from studyapp.screens.pages import BreakPage, EndPage, InstructionsAgain, InstructionsPage
from studyapp.screens.round import RoundPage
from studyapp.screens.target import BeforeRoundPage
from studyapp.screens.themes import THEMES, theme_name
from studyapp.session.events import Finished, Interrupted, Left, Reread, Stayed
from studyapp.session.questions import warm_up
from studyapp.session.resuming import end_of, return_by
from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    End,
    Instruct,
    Rest,
    Session,
    Step,
)
from studyapp.session.sitting import Participant, Sitting, peek
from studyapp.study.items import Entry
from studyapp.study.loaded import LoadedStudy

SMALLEST = (60, 20)  # columns, rows
LOOK_FOR_TERMINAL = 2.0  # seconds between two looks whether it is still there


class StudyApp(App[int]):
    """A participant's session on the screen.  Returns an exit code; ``error`` says why it is 2.

    First the participant says who it is; until then nothing is written.  ``participant`` is an ID that the
    experimenter has entered already: if its session can't be opened, a FileError is raised at once.
    """

    CSS_PATH = "study.tcss"
    TITLE = "study"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # the mouse chooses answers; it doesn't mark text
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+c", "leave", show=False, priority=True),
        Binding("f1", "reread", show=False, priority=True),
    ]

    def __init__(
        self,
        loaded: LoadedStudy,
        sessions: Path,
        participant: str | None = None,  # None: ask for the ID
        *,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,  # for so many seconds of the clock
        pilot: bool = False,
    ) -> None:
        super().__init__()
        self.loaded = loaded
        self.sessions = sessions
        self.sitting: Sitting | None = None
        self._resume = loaded.study.resume  # the study file decides, not the study in a log
        self.clock = clock or SystemClock()
        self.sleep = sleep
        self.pilot = pilot
        self._named = None if participant is None else (participant, self.peek(participant))
        self.keys = Keys(loaded.study.pace.hold)
        self.last_key = 0.0  # when the last key that counted was pressed
        self.drafts: dict[tuple[str, str], Entry] = {}  # answers to items that were not given yet
        self.not_me = False  # did the participant say that the ID is somebody else's?
        self.error: StudyappError | None = None
        self.uncovered = asyncio.Event()  # set while nothing covers the page
        self.uncovered.set()
        self.fault: BaseException | None = None  # a bug in studyapp
        self._dialog = False  # is a dialog up, or the instructions over a page?
        self._too_small_since = 0.0
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_name(loaded.study.look)

    def on_mount(self) -> None:
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, self._interrupted, number)
            if not self.is_headless:
                self.set_interval(LOOK_FOR_TERMINAL, self._look_for_terminal)
        self.run_worker(self._run_session(), group="session")

    # --- from page to page

    async def _run_session(self) -> None:
        if not await self._arrive():
            self.exit(0)
            return
        assert self.sitting is not None
        session, texts, say = self.sitting.session, self.loaded.study.texts, self.loaded.say
        step = session.step
        while not isinstance(step, End):
            self._start_learner()
            page = page_for(step)
            await self._show(page)
            step = page.next_step()
            if isinstance(step, AskConsent):  # the participant didn't consent
                await self._show(EndPage(say(texts.end_title), say(texts.declined)))
                self.exit(0)
                return
        finished, bonus = await self._finish(), self.loaded.study.bonus
        about_bonus = (bonus.won if finished.bonus else bonus.lost) if bonus else ""
        lines, receipt = (say(texts.end), say(about_bonus)), self.sitting.receipt
        await self._show(EndPage(say(texts.end_title), *lines, receipt=receipt))
        self.exit(0)

    async def _arrive(self) -> bool:
        """Ask who is there until a session is open; False if the ID was entered for somebody else."""
        if self._named is not None:
            who = WhoPage(*self._named)
            await self._show(who)
            if not who.confirmed:
                self.not_me = True
                texts, say = self.loaded.study.texts, self.loaded.say
                await self._show(EndPage(say(texts.not_me_title), say(texts.not_me)))
            return who.confirmed
        while self.sitting is None:
            asked = IdPage()
            await self._show(asked)
            await self._show(WhoPage(asked.participant, asked.session))
        return True

    async def _show(self, page: Page) -> None:
        """Show a page until it is done."""
        while not self.uncovered.is_set():  # otherwise it would lie on top of what covers the last page
            await self.uncovered.wait()
        if isinstance(self.screen, Page):
            await self.switch_screen(page)
        else:  # the first page is pushed onto the app's own empty screen
            await self.push_screen(page)
        await page.finished

    def _start_learner(self) -> None:
        """Compute the first question of a round while the participant reads the page before it."""
        assert self.sitting is not None
        step = self.sitting.session.step
        if isinstance(step, BeginRound | AskWord):
            self.sitting.questions(step.round)

    async def _finish(self) -> Finished:
        """Save the end of the session; while that fails, say so and let the participant try again."""
        assert self.sitting is not None
        texts, say = self.loaded.study.texts, self.loaded.say
        while True:
            try:
                return self.sitting.finish()
            except FileError as error:
                lines = say(texts.not_saved), say(texts.try_again), say(texts.details, error=str(error))
                await self._show(EndPage(say(texts.end_title), *lines))

    def peek(self, participant: str) -> Session | None:
        """The unfinished session of the participant with this ID; None if there is none yet."""
        who = Participant(participant, pilot=self.pilot)
        return peek(self.loaded, who, self.sessions, clock=self.clock)

    def open_sitting(self, participant: str, *, new: bool) -> None:
        """Open the session of the participant with this ID."""
        who = Participant(participant, pilot=self.pilot)
        self.sitting = Sitting.open(
            self.loaded, who, self.sessions, clock=self.clock, expect="new" if new else "unfinished"
        )
        self.loaded = self.sitting.loaded
        self.theme = theme_name(self.loaded.study.look)
        self.last_key = self.clock.seconds()  # the pause before a question is part of the sitting
        self._start_learner()

    def warm_up(self) -> None:
        """Get ready for questions while the participant reads the first page."""
        self.run_worker(warm_up, thread=True, group="warm up", exit_on_error=False)

    @property
    def participant(self) -> str:
        """The ID of the participant whose session is open; empty before."""
        return self.sitting.session.started.participant if self.sitting else ""

    # --- what all pages need

    async def painted(self, widget: Widget) -> None:
        """Wait until the last changes can be seen."""
        painted = asyncio.Event()
        widget.call_after_refresh(painted.set)
        await painted.wait()

    def fail(self, error: StudyappError) -> None:
        """End with an error that the experimenter has to fix."""
        self.error = error
        self.exit(2)

    def _handle_exception(self, error: Exception) -> None:
        """A bug in studyapp: end without showing a traceback.  All answers are saved already."""
        if self.is_headless:  # in a test the traceback is wanted
            super()._handle_exception(error)
            return
        # What a worker raised is wrapped by Textual, without its traceback.
        self.fault = error.error if isinstance(error, WorkerFailed) else error
        self._note_interruption("fault")
        self.exit(1)

    # --- leaving

    def action_leave(self) -> None:
        page = self.screen
        if self.sitting is None or isinstance(page, EndPage):
            self.exit(2 if self.error else 0)
            return
        if isinstance(page, TooSmall):  # there is no room for the dialog
            if self._resume.allowed and self._resume.within_hours is None:  # nor anything to tell in it
                with contextlib.suppress(FileError):
                    self.sitting.record(Left(at=self.sitting.at()))
                self.exit(0)
            return
        if isinstance(page, InstructionsAgain) and not page.leave_next:
            page.leave_next = True
            page.read_all()
        if self._dialog:
            return
        self._dialog = True
        self.run_worker(self._ask_to_leave(page))

    async def _ask_to_leave(self, page: Screen[object]) -> None:
        texts, problem, saved = self.loaded.study.texts, "", True
        self.uncovered.clear()
        while True:
            began = self.clock.seconds()
            until = self._until(self.clock.now(), texts.leave_until, texts.leave_any_time)
            dialog = LeaveDialog(resumable=self._resume.allowed, until=until, problem=problem)
            choice = await self.push_screen_wait(dialog)
            away = self.clock.seconds() - began
            try:
                self._save_choice(choice, away)
            except FileError as error:
                saved = False
                if choice in ("keep", "delete"):  # a withdrawal must be saved
                    details = self.loaded.say(texts.details, error=str(error))
                    problem = f"{self.loaded.say(texts.not_saved)}\n{details}"
                    continue
            break
        if choice == "go on":
            self._go_on(page, away)
        else:
            await self._say_goodbye(page, choice, saved=saved)

    def _save_choice(self, choice: LeaveChoice, away: float) -> None:
        assert self.sitting is not None
        match choice:
            case "go on":
                self.sitting.record(Stayed(at=self.sitting.at(), ms=ms(away)))
            case "for now":
                self.sitting.record(Left(at=self.sitting.at()))
            case _:
                self.sitting.withdraw(delete=choice == "delete")

    def _until(self, last: datetime, until: str, any_time: str) -> str:
        """Until when a participant can come back who did the last thing then, in one of two sentences.

        The date is by the computer's own time zone, to the minute, and never later than the limit itself.
        """
        limit, say = return_by(self._resume, last), self.loaded.say
        if limit is None:
            return say(any_time)
        local = limit.astimezone()
        parts = {"year": "%Y", "month": "%m", "day": "%d", "time": "%H:%M"}
        date = {name: local.strftime(form) for name, form in parts.items()}
        return say(until, until=say(self.loaded.study.texts.date, **date))

    def _go_on(self, page: Screen[object], away: float) -> None:
        """Return to the page that was covered."""
        self._dialog = False
        self.uncovered.set()
        self.keys.appeared(self.clock.seconds())
        if isinstance(page, Page):
            page.came_back(away)

    async def _say_goodbye(self, page: Screen[object], choice: LeaveChoice, *, saved: bool) -> None:
        texts, say = self.loaded.study.texts, self.loaded.say
        heading, message = {
            "for now": (texts.left_title, texts.left if saved else texts.left_unsaved),
            "keep": (texts.withdrawn_title, texts.withdrawn_keep),
            "delete": (texts.withdrawn_title, texts.withdrawn_delete),
        }[choice]
        self.workers.cancel_group(self, "session")
        self.workers.cancel_node(page)  # a round must ask nothing more
        self.uncovered.set()
        assert self.sitting is not None
        lines = [say(message, id=self.participant)]
        if choice == "for now":
            last = end_of(self.sitting.session.last)
            lines.append(self._until(last, texts.left_until, texts.left_any_time))
        await self._show(EndPage(say(heading), *lines))
        self.exit(0)

    # --- reading the instructions again

    def may_reread(self) -> bool:
        """Has the participant read the instructions before, in a session that isn't over?"""
        session = self.sitting.session if self.sitting else None
        return session is not None and session.has_read_instructions and not session.over

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "reread":  # otherwise the key is one like any other
            page = isinstance(self.screen, Page) and not isinstance(self.screen, EndPage)
            return page and self.may_reread() and not self._dialog
        return True

    def action_reread(self) -> None:
        self._dialog = True
        self.run_worker(self._reread(self.screen))

    async def _reread(self, page: Screen[object]) -> None:
        assert self.sitting is not None
        self.uncovered.clear()
        again, began = InstructionsAgain(), self.clock.seconds()
        await self.push_screen_wait(again)
        away = self.clock.seconds() - began
        with contextlib.suppress(FileError):  # the session can do without it
            self.sitting.record(Reread(at=self.sitting.at(), ms=ms(away)))
        self._go_on(page, away)
        if again.leave_next:
            self.action_leave()

    def _interrupted(self, number: signal.Signals) -> None:
        """A signal ends the app: log it, and restore the terminal if there still is one."""
        self._note_interruption(signal.Signals(number).name)
        if number == signal.SIGHUP:
            os._exit(128 + number)
        self.exit(128 + number)

    def _look_for_terminal(self) -> None:
        """Textual would read from a closed terminal again and again."""
        if is_gone():
            self._interrupted(signal.SIGHUP)

    def _note_interruption(self, name: str) -> None:
        if self.sitting is not None and not self.sitting.session.over:
            with contextlib.suppress(StudyappError):  # the log is complete without it
                self.sitting.record(Interrupted(name, at=self.sitting.at()))

    # --- the size of the window

    def on_resize(self, event: Resize) -> None:
        if not self.screen_stack:  # the app is ending
            return
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
            if not self._dialog:  # otherwise the dialog is still up, and counts the time itself
                self.uncovered.set()
                if isinstance(self.screen, Page):
                    self.screen.came_back(self.clock.seconds() - self._too_small_since)


def page_for(step: Step) -> Page:
    """The page for a step.  A round page asks all remaining questions of its round."""
    match step:
        case AskConsent():
            return ConsentPage()
        case Instruct():
            return InstructionsPage()
        case BeginRound(round_):
            return BeforeRoundPage(round_)
        case AskWord(round_, _):
            return RoundPage(round_)
        case AskItem():
            return item_page(step)
        case ConfirmItems():
            return ConfirmItemsPage(step)
        case Rest(after):
            return BreakPage(after)
        case End():
            raise AssertionError("the app shows the end itself, once it is saved")
