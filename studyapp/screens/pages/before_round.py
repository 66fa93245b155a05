"""The page before a round: progress so far, and the next target."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line
from studyapp.screens.pages.target import TargetPage
from studyapp.session.events import RoundBegan
from studyapp.session.session import Rest

__all__ = ["BeforeRoundPage"]


class BeforeRoundPage(TargetPage):
    """A pause between two rounds; Enter begins the next."""

    def body(self) -> ComposeResult:
        session, texts = self.sitting.session, self.texts
        yield Line(self._news(), classes="news")
        yield self.progress()
        yield Line(self.say(texts.progress, done=session.rounds_done()), classes="caption")
        yield from self.target(self.say(texts.next_word))

    def _news(self) -> str:
        session = self.sitting.session
        number, practice = self.round_.round, session.rounds_of_practice()
        if number <= practice:
            return self.say(self.texts.practice_note)
        if number == practice + 1:
            return self.say(self.texts.real_note) if practice else ""
        if isinstance(session.steps[session.position - 1], Rest):
            return ""  # the break has said it all
        return self.say(self.texts.between_note)

    def hint(self) -> str:
        return self.say(self.texts.begin_round)

    def enter(self) -> None:
        if self.record(RoundBegan(self.round_.round, at=self.sitting.at())):
            self.done()
