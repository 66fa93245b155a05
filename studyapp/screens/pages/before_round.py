"""The page before a round: progress so far, and the next target."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line
from studyapp.screens.pages.target import TargetPage
from studyapp.screens.text_layout import progress_bar
from studyapp.session.events import RoundBegan

__all__ = ["BAR_WIDTH", "BeforeRoundPage"]

BAR_WIDTH = 48  # columns of the progress bar


class BeforeRoundPage(TargetPage):
    """A pause between two rounds; Enter begins the next."""

    def body(self) -> ComposeResult:
        session, texts = self.sitting.session, self.texts
        yield Line(self._news(), classes="news")
        questions = len(session.plan) * self.study.questions
        yield Line(progress_bar(len(session.answers), questions, BAR_WIDTH), classes="bar")
        yield Line(self.say(texts.progress, done=session.rounds_done()), classes="caption")
        yield from self.target(self.say(texts.next_word))

    def _news(self) -> str:
        number, practice = self.round_.round, self.sitting.session.rounds_of_practice()
        if number <= practice:
            return self.say(self.texts.practice_note)
        if number == practice + 1:
            return self.say(self.texts.real_note) if practice else ""
        return self.say(self.texts.between_note)

    def hint(self) -> str:
        return self.say(self.texts.begin_round)

    def enter(self) -> None:
        if self.record(RoundBegan(self.round_.round, at=self.sitting.at())):
            self.done()
