"""The first page: the participant's ID."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from core.errors import FileError, SettingError
from studyapp.screens.pages.base import Line
from studyapp.screens.pages.entry import EntryPage, Field
from studyapp.session.ids import SameIdError, check_id
from studyapp.session.resuming import OverError

if TYPE_CHECKING:
    from studyapp.session.session import Session

__all__ = ["IdPage"]


class IdPage(EntryPage):
    """Asks for the ID, and finds out whether it has a session; nothing is written yet."""

    def __init__(self) -> None:
        super().__init__()
        self.participant = ""
        self.session: Session | None = None  # the participant's unfinished one, if there is one

    def heading(self) -> str:
        return self.say(self.texts.id_title)

    def body(self) -> ComposeResult:
        yield Line(self.study.title, classes="topic")
        yield Line(self.say(self.texts.id_ask), classes="prose")
        yield Field(max_length=64, id="entry")

    def submit(self, text: str) -> None:
        self.app.error = None
        if not text:  # the page asks for it
            return
        try:
            self.participant = check_id(text)
        except SettingError:
            self.note(self.say(self.texts.id_wrong))
            return
        try:
            self.session = self.app.peek(text)
        except OverError:
            self.note(self.say(self.texts.id_over, id=text), grave=True)
        except SameIdError as error:
            self.note(self.say(self.texts.id_case, other=error.other), grave=True)
        except FileError as error:
            self.cannot_go_on(error)
        else:
            self.done()
