"""Arriving: the participant's ID, whose session it is, and the consent.

Nothing is written before the participant has said "This is me".
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from core.errors import FileError, SettingError
from studyapp.screens.page import Page
from studyapp.screens.text_layout import reflowed
from studyapp.screens.widgets import Choices, Field, Line, YesOrNo
from studyapp.session.events import Consented, Declined
from studyapp.session.ids import SameIdError, check_id
from studyapp.session.place import place_of
from studyapp.session.resuming import OverError

if TYPE_CHECKING:
    from studyapp.session.session import Session


class IdPage(Page):
    """Asks for the ID, and finds out whether it has a session; nothing is written yet."""

    def __init__(self) -> None:
        super().__init__()
        self.participant = ""
        self.session: Session | None = None  # the participant's unfinished one, if there is one
        self._submitted = ""

    def heading(self) -> str:
        return self.say(self.texts.id_title)

    def body(self) -> ComposeResult:
        yield Line(self.study.title, classes="topic")
        yield Line(self.say(self.texts.id_ask), classes="prose")
        yield Field(max_length=64, id="entry")

    def on_up(self) -> None:
        super().on_up()
        self.query_one(Field).focus()

    def hint(self) -> str:
        """Enter leads on from what was typed, unless it was refused; the page says what to type."""
        typed = self.query_one(Field).value if self.is_mounted else ""
        return super().hint() if typed.strip() and typed != self._submitted else ""

    def passes_on(self, key: str) -> bool:
        return key != "enter"  # the page checks Enter itself: it may be held down since the page before

    def on_input_changed(self) -> None:
        # News of a change may arrive after Enter; it must not wipe the note that Enter brought up.
        if self.query_one(Field).value != self._submitted:
            self.note("")
        self.prompt()

    def enter(self) -> None:
        self._submitted = self.query_one(Field).value
        typed = [" " if unicodedata.category(c) == "Zs" else c for c in self._submitted]
        self._submit("".join(typed).strip())
        self.prompt()

    def _submit(self, text: str) -> None:
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


class WhoPage(Page):
    """The ID, and where its session continues, if there is one.  "This is me" opens the session."""

    ONLY_ENTER = False

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


class ConsentPage(Page):
    """The study's consent text, and whether the participant agrees to it."""

    ONLY_ENTER = False

    def __init__(self) -> None:
        super().__init__()
        self.agreed: bool | None = None

    def heading(self) -> str:
        return self.say(self.texts.consent_title)

    def body(self) -> ComposeResult:
        yield Line(reflowed(self.say(self.study.consent or "")), classes="prose")
        yield Line(self.say(self.texts.consent_ask), classes="ask")
        yield YesOrNo(self.study.answers, self.say(self.texts.consent_yes), self.say(self.texts.consent_no))

    def hint(self) -> str:
        return self.once_read(self.say(self.texts.choose if self.agreed is None else self.texts.confirm))

    def scrolls(self) -> bool:
        return True

    def press(self, key: str) -> None:
        keys = self.study.answers
        if self.unread():  # nobody can agree to a text they haven't seen; the foot says how to see it
            self.wrong_key()
        elif key in (keys.yes, keys.no):
            self.agreed = key == keys.yes
            self.query_one(YesOrNo).mark(self.agreed)
            self.note("")
            self.prompt()
        elif key == "enter" and self.agreed is not None:
            at = self.sitting.at()
            if self.record(Consented(at) if self.agreed else Declined(at)):
                self.done()
        else:
            self.wrong_key()
