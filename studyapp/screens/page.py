"""What all pages of a session have in common.

A page is up until it is ``done``; the app then turns to the next.  Keys reach ``press`` only when
they are meant for the page (see ``keys``).  What a page has to record is on disk before it is done;
where that fails the participant is told, and the page stays.
"""

from __future__ import annotations

import asyncio
import unicodedata
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key, Paste
from textual.screen import Screen
from textual.widgets import Input, Static

from core.errors import FileError
from studyapp.base.clock import ms
from studyapp.session.events import Event
from studyapp.study.fields import JOINERS

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp
    from studyapp.session.sitting import Sitting
    from studyapp.study.study import Study
    from studyapp.study.texts import Texts

SCROLLING = ("up", "down", "pageup", "pagedown", "home", "end")

__all__ = ["EntryPage", "Line", "Page", "bar", "reflowed"]


class Line(Static):
    """Text as it is: no character in it means anything but itself."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(text, markup=False, id=id, classes=classes)


class Page(Screen[None]):
    """A page: what it is about on top, its body, a note below, and how to leave at the foot."""

    NOTE_IN_BODY: ClassVar[bool] = False
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (Textual's own form)
    app: StudyApp

    def __init__(self, title: str = "", corner: str = "") -> None:
        super().__init__()
        self._head = title, corner
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.up_since = 0.0  # seconds, of the app's clock
        self.away = 0.0  # seconds of it with another page above

    @property
    def study(self) -> Study:
        return self.app.loaded.study

    @property
    def texts(self) -> Texts:
        return self.study.texts

    def say(self, text: str, **values: str | int) -> str:
        """A text of the study, with its placeholders filled in."""
        return self.app.loaded.say(text, **values)

    @property
    def sitting(self) -> Sitting:
        assert self.app.sitting is not None
        return self.app.sitting

    def compose(self) -> ComposeResult:
        title, corner = self._head
        if self.app.pilot:
            title = f"PILOT   {title}"
        with Vertical(id="frame"):
            with Horizontal(id="head"):
                yield Line(title, id="title")
                yield Line(corner, id="corner")
            with VerticalScroll(id="body", can_focus=self.scrolls()):
                yield from self.body()
            if not self.NOTE_IN_BODY:
                yield Line("", id="note")
            with Horizontal(id="foot"):
                yield Line(self.hint(), id="hint")
                yield Line(self.leave_hint(), id="leave")

    def body(self) -> ComposeResult:
        """What the page is made of."""
        yield from ()

    def hint(self) -> str:
        """Which keys do something here."""
        return self.say(self.texts.enter)

    def leave_hint(self) -> str:
        return self.say(self.texts.leave_hint)

    def scrolls(self) -> bool:
        """May the body be longer than the window?"""
        return False

    def on_mount(self) -> None:
        self.call_after_refresh(self._is_up)

    def _is_up(self) -> None:
        if not self.is_attached:  # the app has ended before the page was seen
            return
        self.up_since = self.app.clock.seconds()
        self.on_up()

    def on_up(self) -> None:
        """The page can be seen; keys now count."""
        if self.is_current:  # else they are for what lies above
            self.app.keys.appeared(self.up_since)
        if self.scrolls():
            self.query_one("#body").focus()

    def on_key(self, event: Key) -> None:
        if self.passes_on(event.key):
            return
        event.stop()
        event.prevent_default()
        name = event.character.lower() if event.character and event.is_printable else event.key
        meant = self.app.keys.meant(name, event.time)
        if not self._is_on():
            return
        if meant:
            self.app.last_key = event.time
            self.press(name)
        elif self.app.keys.hurried:
            self.hurried()

    def _is_on(self) -> bool:
        """Is this page up, and not done yet?"""
        return bool(self.up_since) and not self.finished.done()

    def hurried(self) -> None:
        """A press was not counted that may have been meant."""
        self.note(self.say(self.texts.too_quick))

    def passes_on(self, key: str) -> bool:
        """Is a key left to what is on the page?"""
        return self.scrolls() and key in SCROLLING

    def unread(self) -> bool:
        """Is there more below than can be seen?"""
        body = self.query_one("#body")
        return body.scroll_offset.y < body.max_scroll_y

    def press(self, key: str) -> None:
        """A key that was meant for this page."""
        if key == "enter":
            self.enter()
        else:
            self.wrong_key()

    def enter(self) -> None:
        self.done()

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_enter))

    def on_paste(self, event: Paste) -> None:
        event.stop()
        if self._is_on():
            self.wrong_key()

    def note(self, text: str, *, grave: bool = False) -> None:
        """Tell something gently, or gravely."""
        line = self.query_one("#note", Line)
        line.update(text)
        line.set_class(grave, "grave")

    def record(self, event: Event) -> bool:
        """Put an event on disk; where that fails, say so and stay."""
        try:
            self.sitting.record(event)
        except FileError as error:
            self.not_saved(error)
            return False
        return True

    def not_saved(self, error: FileError) -> None:
        texts = self.texts
        what = f"{self.say(texts.not_saved)} {self.say(texts.try_again)}"
        self.note(f"{what}\n{self.say(texts.details, error=str(error))}", grave=True)

    def yes_or_no(self, chosen: bool | None, yes: str, no: str) -> str:
        """The two answers with their keys, and which is chosen."""
        keys = self.study.answers
        for_yes, for_no = ("●" if chosen is answer else "○" for answer in (True, False))
        return f"{for_yes} {keys.yes}  {yes}      {for_no} {keys.no}  {no}"

    def came_back(self, seconds: float) -> None:
        """Another page lay over this one for so long."""
        self.away += seconds

    def ms_up(self) -> float:
        """How long this page had been up when the last key was pressed, in milliseconds."""
        return ms(self.app.last_key - self.up_since)

    def ms_away(self) -> float:
        return ms(self.away)

    def done(self) -> None:
        self.app.keys.gone()
        if not self.finished.done():
            self.finished.set_result(None)


class EntryPage(Page):
    """A page with an entry to type into, with the ID "entry"; Enter hands over what was typed."""

    _handed_over = ""

    def on_up(self) -> None:
        super().on_up()
        self.query_one(Input).focus()

    def passes_on(self, key: str) -> bool:
        return key != "enter"  # which may still be held down from the page before

    def enter(self) -> None:
        self._handed_over = self.query_one(Input).value
        typed = [" " if unicodedata.category(c) == "Zs" else c for c in self._handed_over]
        self.submit("".join(c for c in typed if c.isprintable() or c in JOINERS).strip())

    def on_input_changed(self) -> None:
        if self.query_one(Input).value != self._handed_over:  # late word of a change may come behind Enter
            self.note("")

    def submit(self, written: str) -> None:
        """What was typed."""


def reflowed(text: str) -> str:
    """Prose for any width: a paragraph is one line, but what is indented stays as it is."""
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        goes_on = lines and lines[-1].strip() and not lines[-1].startswith(" ")
        if goes_on and line.strip() and not line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
    return "\n".join(lines)


def bar(done: float, total: float, width: int) -> str:
    """How far it is, as a line."""
    full = round(width * done / total) if total else width
    return "━" * full + "╌" * (width - full)
