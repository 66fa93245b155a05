"""The first page: the participant's ID."""

from __future__ import annotations

import os

from textual.app import ComposeResult

from core.errors import FileError, SettingError
from studyapp.screens.pages.base import Line
from studyapp.screens.pages.entry import EntryPage, Field
from studyapp.session.ids import check_id, log_path
from studyapp.session.sitting import OverError, StudyChangedError

__all__ = ["IdPage"]


class IdPage(EntryPage):
    """Asks for the ID and opens the session."""

    def __init__(self) -> None:
        super().__init__()
        self._new = ""  # the ID that the participant has been told is new

    def heading(self) -> str:
        return self.say(self.texts.id_title)

    def body(self) -> ComposeResult:
        yield Line(self.study.title, classes="topic")
        yield Line(self.say(self.texts.id_ask), classes="prose")
        yield Field(max_length=64, id="entry")

    def submit(self, text: str) -> None:
        try:
            participant = check_id(text)
        except SettingError:
            self.note(self.say(self.texts.id_wrong))
            return
        # A mistyped ID would start a session that nobody wanted, so a new one needs a second Enter.
        if self._new != participant and not os.path.lexists(log_path(self.app.sessions, participant)):
            self._new = participant
            self.note(self.say(self.texts.id_new, id=participant))
            return
        try:
            self.app.open_sitting(participant)
        except OverError:
            self.note(self.say(self.texts.id_over, id=participant), grave=True)
            return
        except StudyChangedError:  # whose message may name models
            command = f"studyapp run --participant {participant}"
            self._cannot_go_on(f"the study has changed since this session began; {command} says how")
            return
        except FileError as error:
            self._cannot_go_on(str(error))
            return
        self.done()

    def _cannot_go_on(self, reason: str) -> None:
        details = self.say(self.texts.details, error=reason)
        self.note(f"{self.say(self.texts.cannot_go_on)}\n{details}", grave=True)
