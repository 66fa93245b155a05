"""What can cover a page: the dialog about leaving, and the message that the window is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key, Mount
from textual.screen import ModalScreen

from studyapp.screens.widgets import Choices, Line

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp

LeaveChoice = Literal["go on", "for now", "keep", "delete"]


class LeaveDialog(ModalScreen[LeaveChoice]):
    """Go on, leave for now, or withdraw.  A withdrawal needs a second yes."""

    AUTO_FOCUS = ""
    app: StudyApp

    def __init__(self, *, resumable: bool, until: str, problem: str = "") -> None:
        super().__init__()
        self._resumable = resumable
        self._until = until  # until when a participant who leaves now can come back, as a sentence
        self._problem = problem
        self._sure: LeaveChoice | None = None  # the withdrawal that the second question is about

    def _say(self, text: str, **values: str) -> str:
        return self.app.loaded.say(text, **values)

    def compose(self) -> ComposeResult:
        texts = self.app.loaded.study.texts
        with Vertical(id="dialog"):
            yield Line("", id="dialog-title")
            yield Choices([self._say(text) for text, _ in self._options()], id="dialog-list")
            if self._resumable and not self._problem:  # a small window has room for one
                yield Line(self._until, id="dialog-until")
            if self._problem:
                yield Line(self._problem, id="dialog-note")
            yield Line(self._say(texts.leave_hint_keys), id="dialog-hint")

    def on_mount(self, _: Mount) -> None:
        self._ask(None)

    def _options(self) -> list[tuple[str, LeaveChoice | None]]:
        """What can be chosen; None goes back to the first question.  The safe choice comes first."""
        texts = self.app.loaded.study.texts
        if self._sure == "keep":
            return [(texts.leave_sure_no, None), (texts.leave_sure_yes_keep, "keep")]
        if self._sure == "delete":
            return [(texts.leave_sure_no, None), (texts.leave_sure_yes_delete, "delete")]
        options: list[tuple[str, LeaveChoice | None]] = [
            (texts.leave_go_on, "go on"),
            (texts.leave_for_now, "for now"),
            (texts.leave_keep, "keep"),
            (texts.leave_delete, "delete"),
        ]
        return options if self._resumable else [option for option in options if option[1] != "for now"]

    def _ask(self, sure: LeaveChoice | None) -> None:
        """Ask what to do or, before a withdrawal, whether the participant is sure."""
        self._sure = sure
        texts = self.app.loaded.study.texts
        title = {"keep": texts.leave_sure_keep, "delete": texts.leave_sure_delete}
        self.query_one("#dialog-title", Line).update(self._say(title.get(sure or "", texts.leave_title)))
        self.query_one(Choices).offer([self._say(text) for text, _ in self._options()])
        self.query("#dialog-until").set(display=sure is None)
        self.app.keys.appeared(self.app.clock.seconds())

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if not self.app.keys.meant(event.key, event.time) or not self.is_current:
            return
        if event.key == "escape":
            self.dismiss("go on")
        elif event.key == "enter":
            self._choose()
        else:
            self.query_one(Choices).press(event.key)

    def on_choices_clicked(self, _: Choices.Clicked) -> None:
        if self.is_current:
            self._choose()

    def _choose(self) -> None:
        chosen = self._options()[self.query_one(Choices).at][1]
        if chosen in ("keep", "delete") and self._sure is None:
            self._ask(chosen)
        elif chosen is None:
            self._ask(None)
        else:
            self.dismiss(chosen)


class TooSmall(ModalScreen[None]):
    """The window is too small for a page: nothing can be read, so no key answers anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Line(self._text, id="too-small")

    def on_key(self, event: Key) -> None:
        event.stop()
