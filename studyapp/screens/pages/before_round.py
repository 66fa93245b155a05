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
        yield from self.target(self.say(texts.next_word))
        yield Line(self._same_word(), classes="again")
        yield Line(self._news(), classes="news")
        yield self.progress()
        yield Line(self.say(texts.progress, done=session.rounds_done()), classes="caption")

    def _same_word(self) -> str:
        """Say that the word was also the one of the round before: nothing else on the page would."""
        plan, number = self.sitting.session.plan, self.round_.round
        again = number > 1 and plan[number - 2].target == self.round_.target
        return self.say(self.texts.same_word) if again else ""

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

    def wrong_key(self) -> None:
        self.note(self.say(self.texts.wrong_key))

    def enter(self) -> None:
        if self.record(RoundBegan(self.round_.round, at=self.sitting.at())):
            self.done()
