"""Pages about one round: its number in the heading, its target in large letters.

The target is at the same place on all of them.  It is large only if every target of the study can be: one
that looked different would stand out.  In normal letters, it is always in the line above.
"""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.experimenter_view import BELIEF_FROM, BELIEF_WIDTH
from studyapp.screens.page import Page
from studyapp.screens.text_layout import Lettering
from studyapp.screens.widgets import Line
from studyapp.session.events import RoundBegan
from studyapp.session.session import Rest
from studyapp.study.plan import Round

MARGINS = 4  # columns beside a page
WIDEST, WIDEST_PILOT = 84, 110  # columns of a page, as in study.tcss


class TargetPage(Page):
    """What the pages before a round and during it share."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (BELIEF_FROM, "-wide")]  # noqa: RUF012 (Textual's own form)

    def __init__(self, round_: Round) -> None:
        super().__init__()
        self.round_ = round_

    def on_mount(self) -> None:
        self.set_class(self.sitting.pilot, "pilot")

    def say(self, text: str, **values: str | int) -> str:
        return super().say(text, target=self.round_.target, **values)

    def heading(self) -> str:
        number, practice = self.round_.round, self.sitting.session.rounds_of_practice()
        if self.round_.practice:
            return self.say(self.texts.practice_round, round=number)
        return self.say(self.texts.real_round, round=number - practice)

    def target(self, label: str) -> ComposeResult:
        """The target under its label."""
        yield Line(label, classes="label")
        yield Line(self._drawn(), id="target")

    def on_resize(self) -> None:
        self.query_one("#target", Line).update(self._drawn())

    def _drawn(self) -> str:
        targets = [*self.study.practice, *self.app.loaded.targets]
        return Lettering(targets, self._width()).draw(self.round_.target)

    def _width(self) -> int:
        """The columns for the target in this window."""
        window = self.app.size.width
        if not self.sitting.pilot or window < BELIEF_FROM:
            return min(window, WIDEST) - MARGINS
        return min(window, WIDEST_PILOT) - MARGINS - BELIEF_WIDTH


class BeforeRoundPage(TargetPage):
    """A pause between two rounds, with the progress so far and the next target; Enter begins the round."""

    ONLY_ENTER = False

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

    def enter(self) -> None:
        if self.record(RoundBegan(self.round_.round, at=self.sitting.at())):
            self.done()
