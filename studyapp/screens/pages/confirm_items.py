"""The page after the last item of a questionnaire: the answers, to be confirmed."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page
from studyapp.session.events import Confirmed
from studyapp.session.session import AskItem, ConfirmItems, Step

__all__ = ["ConfirmItemsPage"]


class ConfirmItemsPage(Page):
    """All items that were asked together, with their answers.  Enter makes them final."""

    def __init__(self, step: ConfirmItems) -> None:
        super().__init__()
        self._after = step.after
        self._back = False  # is the participant going back?

    def say(self, text: str, **values: str | int) -> str:
        if self._after is not None:  # a round has just ended
            values["target"] = self.sitting.session.plan[self._after - 1].target
        return super().say(text, **values)

    def heading(self) -> str:
        return self.say(self.texts.check_title)

    def body(self) -> ComposeResult:
        yield Line(self.say(self.texts.check_note), classes="prose")
        for step in self.sitting.session.items_asked():
            yield Line(self.say(step.item.ask), classes="checked-item")
            yield Line(self._answer(step), classes="checked-answer")

    def _answer(self, step: AskItem) -> str:
        response = self.sitting.session.response_to(step)
        if response is None or response.value is None:
            return self.say(self.texts.skipped)
        return step.item.wording(response.value, self.say)

    def hint(self) -> str:
        return f"{self.once_read(self.say(self.texts.check_confirm))} {self.say(self.texts.back)}"

    def scrolls(self) -> bool:
        return True

    def press(self, key: str) -> None:
        if key == "backspace":
            self._back = True
            self.done()
        elif self.unread():  # nobody can confirm answers they haven't seen; the foot says how to see them
            self.wrong_key()
        else:
            super().press(key)

    def enter(self) -> None:
        if self.record(Confirmed(self._after, self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
            self.done()

    def next_step(self) -> Step:
        session = self.sitting.session
        return session.items_asked()[-1] if self._back else session.step

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_key))
