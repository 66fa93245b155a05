"""Whose session it is: before anything is written, the participant says "This is me" or "Not me"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from core.errors import FileError
from studyapp.screens.choices import Choices
from studyapp.screens.pages.base import Line, Page
from studyapp.session.place import place_of

if TYPE_CHECKING:
    from studyapp.session.session import Session

__all__ = ["WhoPage"]


class WhoPage(Page):
    """The ID, and where its session continues, if there is one.  "This is me" opens the session."""

    def __init__(self, participant: str, session: Session | None) -> None:
        super().__init__()
        self._participant = participant
        self._session = session  # the unfinished one; None if the ID is new
        self.confirmed = False

    def say(self, text: str, **values: str | int) -> str:
        if self._session is not None:  # which goes on with the study in its own log
            return replace(self.app.loaded, study=self._session.study).say(text, **values)
        return super().say(text, **values)

    def heading(self) -> str:
        return self.say(self.texts.who_title)

    def body(self) -> ComposeResult:
        texts, participant = self.texts, self._participant
        if self._session is None:
            yield Line(self.say(texts.who_new, id=participant), classes="topic")
            yield Line(self.say(texts.who_new_note), classes="prose")
        else:
            place = self._place(self._session)
            yield Line(self.say(texts.resumed, id=participant, place=place), classes="topic")
            yield Line(self.say(texts.resumed_note), classes="prose")
        yield Choices([self.say(texts.who_yes), self.say(texts.who_no)], id="who-list")

    def _place(self, session: Session) -> str:
        """Where the session continues, in the participant's words."""
        texts, place = self.texts, place_of(session)
        text = {
            "consent": texts.place_consent,
            "instructions": texts.place_instructions,
            "practice": texts.place_practice,
            "round": texts.place_round,
            "questionnaire": texts.place_questionnaire,
            "break": texts.place_break,
            "last questionnaire": texts.place_last_questionnaire,
            "end": texts.place_end,
        }[place.kind]
        return self.say(text, round=place.round)

    def whose(self) -> str:
        return self._participant

    def hint(self) -> str:
        return self.say(self.texts.who_hint)

    def on_up(self) -> None:
        super().on_up()
        self.app.warm_up()

    def press(self, key: str) -> None:
        if key == "enter":
            self._choose()
        elif self.query_one(Choices).press(key):
            self.note("")
        else:
            self.wrong_key()

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_key))

    def on_choices_clicked(self, event: Choices.Clicked) -> None:
        event.stop()
        if self._is_on() and self.is_current:
            self._choose()

    def _choose(self) -> None:
        if self.query_one(Choices).at == 0:
            try:
                self.app.open_sitting(self._participant, new=self._session is None)
            except FileError as error:
                self.cannot_go_on(error)
                return
            self.confirmed = True
        self.app.error = None
        self.done()
