"""What all pages share: their frame, which keys reach them, and saving before the page changes.

A page stays up until it is ``done``; the app then shows the next one.  Keys reach ``press`` only if they are
meant for the page (see ``keys``).  A click on an answer counts like the key that it stands for; any other
click does nothing.  A page saves its event before it is done; if saving fails, the page says so and stays.

The foot says what can be done now, and nothing else does: a note only says what has just happened.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key, MouseDown, Paste
from textual.screen import Screen

from core.errors import FileError
from studyapp.base.clock import ms
from studyapp.screens.text_layout import progress_bar
from studyapp.screens.widgets import Line
from studyapp.session.events import Event
from studyapp.session.resuming import StudyChangedError
from studyapp.session.session import Step

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp
    from studyapp.session.sitting import Sitting
    from studyapp.study.study import Study
    from studyapp.study.texts import Texts


BAR_WIDTH = 48  # columns of the progress bar
SCROLLING = ("up", "down", "pageup", "pagedown", "home", "end")


class Page(Screen[None]):
    """One page: a heading, its body, a note to the participant, and the keys at the foot."""

    NOTE_IN_BODY: ClassVar[bool] = False  # does ``body`` have a place of its own for the note?
    ONLY_ENTER: ClassVar[bool] = True  # or does the page take other keys too?
    AUTO_FOCUS = ""
    VERTICAL_BREAKPOINTS = [(0, "-short"), (22, "-tall")]  # noqa: RUF012 (Textual's own form)
    app: StudyApp

    def __init__(self) -> None:
        super().__init__()
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.up_since = 0.0  # seconds on the app's clock; 0 until the page can be seen
        self.away = 0.0  # seconds since then during which something covered the page

    @property
    def study(self) -> Study:
        return self.app.loaded.study

    @property
    def texts(self) -> Texts:
        return self.study.texts

    def say(self, text: str, **values: str | int) -> str:
        """A text of the study, with its placeholders filled in."""
        return self.app.loaded.say(text, **values)

    def progress(self) -> Line:
        """How many of the rounds that count are done, as a bar."""
        session = self.sitting.session
        return Line(progress_bar(session.rounds_done(), session.rounds(), BAR_WIDTH), classes="bar")

    @property
    def sitting(self) -> Sitting:
        assert self.app.sitting is not None
        return self.app.sitting

    def compose(self) -> ComposeResult:
        pilot = "PILOT   " if self.app.pilot else ""
        with Vertical(id="frame"):
            with Horizontal(id="head"):
                yield Line(pilot + self.heading(), id="title")
                yield Line("", id="corner")
            with VerticalScroll(id="body", can_focus=self.scrolls()):
                yield from self.body()
            if not self.NOTE_IN_BODY:
                yield Line("", id="note")
            with Vertical(id="foot"):
                yield Line(self.hint(), id="hint")
                with Horizontal(id="status"):
                    yield Line(self.whose(), id="who")
                    yield Line(self.always(), id="always")

    # --- what a page is made of

    def heading(self) -> str:
        raise NotImplementedError

    def body(self) -> ComposeResult:
        yield from ()

    def hint(self) -> str:
        """What the participant can do now."""
        return self.once_read(self.say(self.texts.enter))

    def once_read(self, prompt: str) -> str:
        """The prompt; while part of a page that scrolls is below the window, how to get there instead."""
        below = self.scrolls() and self.is_mounted and self.unread()
        return self.say(self.texts.more) if below else prompt

    def whose(self) -> str:
        """The participant's ID, as far as it is known."""
        return self.app.participant

    def always(self) -> str:
        """The keys that work on every page."""
        keys = [self.texts.reread_hint] if self.app.may_reread() else []
        return "   ".join(self.say(text) for text in [*keys, self.texts.leave_hint])

    def scrolls(self) -> bool:
        """May the body be longer than the window?"""
        return False

    def prompt(self) -> None:
        """Let the foot say what can be done now."""
        self.query_one("#hint", Line).update(self.hint())

    def note(self, text: str, *, grave: bool = False) -> None:
        """Show a note to the participant; a grave one is about something that went wrong."""
        line = self.query_one("#note", Line)
        line.update(text)
        line.set_class(grave, "grave")

    def next_step(self) -> Step:
        """The step to show when this page is done."""
        return self.sitting.session.step

    # --- appearing, being covered, being done

    def on_mount(self) -> None:
        self.call_after_refresh(self._is_up)

    def _is_up(self) -> None:
        if not self.is_attached:  # the app ended before the page was seen
            return
        self.up_since = self.app.clock.seconds()
        self.on_up()

    def on_up(self) -> None:
        """The page can be seen: from now on keys count."""
        if self.is_current:  # otherwise they're for whatever covers the page
            self.app.keys.appeared(self.up_since)
        if self.scrolls():
            body = self.query_one("#body")
            body.focus()
            self.watch(body, "scroll_y", self._scrolled, init=False)
            self.watch(body, "virtual_size", self.on_resize, init=False)  # laid out, perhaps later than now
            self.prompt()

    def on_resize(self) -> None:
        if self.scrolls():
            self.call_after_refresh(self.prompt)

    def _scrolled(self) -> None:
        """The foot follows what can be seen; a note about a key has been read by now."""
        if not self.query_one("#note").has_class("grave"):
            self.note("")
        self.prompt()

    def came_back(self, seconds: float) -> None:
        """Something covered the page for this long."""
        self.away += seconds

    def ms_up(self) -> float:
        """Milliseconds from the page's appearance to the last key."""
        return ms(self.app.last_key - self.up_since)

    def ms_away(self) -> float:
        """Milliseconds of these during which the page was covered."""
        return min(ms(self.away), self.ms_up())  # it may have been covered before it could be seen

    def _is_on(self) -> bool:
        """Is this page up, and not done yet?"""
        return bool(self.up_since) and not self.finished.done()

    def waits_for_key(self) -> bool:
        """Can the participant go on now?  For programs that press keys: tests and pictures."""
        return self._is_on()

    def done(self) -> None:
        self.app.keys.gone()
        if not self.finished.done():
            self.finished.set_result(None)

    # --- keys

    def on_key(self, event: Key) -> None:
        if self.passes_on(event.key):
            return
        event.stop()
        event.prevent_default()
        name = event.character.lower() if event.character and event.is_printable else event.key
        if self.is_meant(name, event.time):
            self.press(name)

    def on_mouse_down(self, event: MouseDown) -> None:
        event.stop()
        key = event.style.meta.get("key") if event.button == 1 else None
        if key is not None and self.is_meant(key, event.time):
            self.press(key)

    def is_meant(self, name: str, at: float) -> bool:
        """Does this key, or a click that stands for it, count here?  If so, it is the last one that did."""
        meant = self.app.keys.meant(name, at)
        if not self._is_on():
            return False
        if meant:
            self.app.last_key = at
        elif self.app.keys.hurried:
            self.hurried()
        return meant

    def hurried(self) -> None:
        """A press didn't count, although the participant may have meant it."""
        self.note(self.say(self.texts.too_quick))

    def passes_on(self, key: str) -> bool:
        """Is this key for a widget on the page, rather than for the page?"""
        return self.scrolls() and key in SCROLLING

    def unread(self) -> bool:
        """Is part of the body still below the window?"""
        body = self.query_one("#body")
        return body.scroll_offset.y < body.max_scroll_y

    def press(self, key: str) -> None:
        """React to a key that was meant for this page."""
        if key == "enter":
            self.enter()
        else:
            self.wrong_key()

    def enter(self) -> None:
        self.done()

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_enter if self.ONLY_ENTER else self.texts.wrong_key))

    def on_paste(self, event: Paste) -> None:
        event.stop()
        if self._is_on():
            self.wrong_key()

    # --- saving

    def record(self, event: Event) -> bool:
        """Save an event.  If that fails, say so and return False: the page stays."""
        try:
            self.sitting.record(event)
        except FileError as error:
            self.not_saved(error)
            return False
        return True

    def cannot_go_on(self, error: FileError) -> None:
        """Say that the session can't be opened: now, and to the experimenter if it stays so."""
        if isinstance(error, StudyChangedError):  # how it has changed is not for participants
            command = f"studyapp run --participant {Path(error.path).stem}"
            error = FileError(
                error.path, f"the study has changed since this session began; {command} says how"
            )
        self.app.error = error
        details = self.say(self.texts.details, error=str(error))
        self.note(f"{self.say(self.texts.cannot_go_on)}\n{details}", grave=True)

    def not_saved(self, error: FileError) -> None:
        problem = f"{self.say(self.texts.not_saved)} {self.say(self.texts.try_again)}"
        self.note(f"{problem}\n{self.say(self.texts.details, error=str(error))}", grave=True)
