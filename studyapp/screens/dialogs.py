"""What can cover a page: the dialog about leaving, and the message that the window is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key, Mount
from textual.screen import ModalScreen

from studyapp.screens.pages.base import Line

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp
    from studyapp.study.texts import Texts

__all__ = ["LeaveChoice", "LeaveDialog", "TooSmall"]

LeaveChoice = Literal["go on", "for now", "keep", "delete"]


class LeaveDialog(ModalScreen[LeaveChoice]):
    """Go on, leave for now, or withdraw.  Deleting the answers needs a second yes."""

    app: StudyApp

    def __init__(self, texts: Texts, *, resumable: bool, problem: str = "") -> None:
        super().__init__()
        self._texts = texts
        self._resumable = resumable
        self._problem = problem
        self._sure = False  # is this the second question, before deleting?
        self._at = 0  # the option that the arrow keys have reached

    def _say(self, text: str) -> str:
        return self.app.loaded.say(text)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Line("", id="dialog-title")
            yield Line("", id="dialog-list")
            if self._problem:
                yield Line(self._problem, id="dialog-note")
            yield Line(self._say(self._texts.leave_hint_keys), id="dialog-hint")

    def on_mount(self, _: Mount) -> None:
        self._show()
        self.app.keys.appeared(self.app.clock.seconds())

    def _options(self) -> list[tuple[str, LeaveChoice | None]]:
        texts = self._texts
        if self._sure:
            return [(texts.leave_sure_no, None), (texts.leave_sure_yes, "delete")]
        options: list[tuple[str, LeaveChoice | None]] = [
            (texts.leave_go_on, "go on"),
            (texts.leave_for_now, "for now"),
            (texts.leave_keep, "keep"),
            (texts.leave_delete, "delete"),
        ]
        return options if self._resumable else [option for option in options if option[1] != "for now"]

    def _show(self) -> None:
        self.query_one("#dialog-title", Line).update(
            self._say(self._texts.leave_sure if self._sure else self._texts.leave_title)
        )
        texts = [self._say(text) for text, _ in self._options()]
        lines = [f"{'▸' if i == self._at else ' '} {text}" for i, text in enumerate(texts)]
        self.query_one("#dialog-list", Line).update("\n".join(lines))

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if not self.app.keys.meant(event.key, event.time) or not self.is_current:
            return
        options = self._options()
        if event.key in ("down", "up"):
            self._at = (self._at + (1 if event.key == "down" else -1)) % len(options)
        elif event.key == "escape":
            self.dismiss("go on")
            return
        elif event.key == "enter":
            chosen = options[self._at][1]
            if chosen == "delete" and not self._sure:
                self._sure, self._at = True, 0
                self.app.keys.appeared(self.app.clock.seconds())
            elif chosen is None:
                self._sure, self._at = False, 0
            else:
                self.dismiss(chosen)
                return
        self._show()


class TooSmall(ModalScreen[None]):
    """The window is too small for a page: nothing can be read, so no key answers anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield Line(self._text, id="too-small")

    def on_key(self, event: Key) -> None:
        event.stop()
