"""The consent page."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page
from studyapp.screens.pages.yes_or_no import YesOrNo
from studyapp.screens.text_layout import reflowed
from studyapp.session.events import Consented, Declined

__all__ = ["ConsentPage"]


class ConsentPage(Page):
    """The study's consent text, and whether the participant agrees to it."""

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

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_key))
