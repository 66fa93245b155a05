"""A round: the target, one question after another, and the answers so far.

Every question appears a fixed pause after the last answer, whichever model asks.  No key can answer it before
it is painted.  The time of an answer runs from then to the key that confirms it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from core.errors import SettingError
from studyapp.base.clock import iso, ms
from studyapp.screens.experimenter_view import TOO_NARROW, belief_view
from studyapp.screens.target import TargetPage
from studyapp.screens.text_layout import in_lines
from studyapp.screens.widgets import Line, YesOrNo
from studyapp.session.answers import Timing, answered
from studyapp.session.events import Answered
from studyapp.session.questions import Asked, Questions
from studyapp.study.plan import Round

# Seconds from a question's appearance to the look-ahead.  The terminal's bytes are out by then: computing at
# once would compete with the thread that writes them, for longer with one model than with another.
QUIET = 0.05


@dataclass
class OpenQuestion:
    """A question that waits for its answer, and what the participant has done about it.

    Times are seconds on the app's clock.
    """

    asked: Asked
    number: int
    shown: float
    shown_at: str  # the same moment as a date
    delay: float  # from the key before it to its appearance
    late: bool  # was it still being computed when it was due?
    chosen: bool | None = None
    last_choice_yes: bool | None = None  # the last choice, even if it was taken back
    first_choice: float = 0.0
    last_choice: float = 0.0
    changes: int = 0
    stray_keys: int = 0
    away: float = 0.0  # how long something covered it

    def choose(self, yes: bool, at: float) -> None:
        self.changes += self.last_choice_yes is (not yes)
        if self.last_choice_yes is None:
            self.first_choice = at
        self.chosen, self.last_choice_yes, self.last_choice = yes, yes, at

    def take_back(self) -> None:
        self.chosen = None


class RoundPage(TargetPage):
    """All remaining questions of one round."""

    NOTE_IN_BODY = True
    ONLY_ENTER = False

    def __init__(self, round_: Round) -> None:
        super().__init__(round_)
        self._open: OpenQuestion | None = None
        self._asked: Asked | None = None  # the last question
        self._confirmed: asyncio.Future[float] | None = None  # when the answer's last key was pressed

    def body(self) -> ComposeResult:
        with Horizontal(id="round"):
            with Vertical(id="asking"):
                yield from self.target(self.say(self.texts.target))
                yield Line("", id="asked-again", classes="again")
                yield Line("", id="ask")
                yield YesOrNo(
                    self.study.answers, self.say(self.texts.yes), self.say(self.texts.no), shown=False
                )
                yield Line("", id="note")
                yield Line("", id="answers-label")
                yield Line("", id="answers")
                if self.sitting.pilot:
                    yield Line(f"PILOT: {TOO_NARROW}", id="no-belief")
            if self.sitting.pilot:
                yield Line("", id="belief")

    def hint(self) -> str:
        question = self._open
        if question is None:
            return ""  # nothing can be done before there is a question
        return self.say(self.texts.choose if question.chosen is None else self.texts.confirm)

    # --- the course of a round

    def on_up(self) -> None:
        if self.is_current:
            self.app.keys.gone()  # until there is a question
        self._list_answers()
        self.run_worker(self._ask_all(), exclusive=True)

    async def _ask_all(self) -> None:
        done = len(self.sitting.session.answers_in(self.round_))
        questions = self.sitting.questions(self.round_)
        pressed = self.app.last_key
        try:
            for number in range(done + 1, self.study.questions + 1):
                pressed = await self._pause(pressed)
                late = not questions.now.done()
                asked = await asyncio.wrap_future(questions.now)
                if not self.app.uncovered.is_set():  # something has covered the page meanwhile
                    pressed = await self._pause(pressed)
                await self._show(asked, number, pressed, late)
                last = number == self.study.questions
                quiet = None if last else self.run_worker(self._look_ahead(questions))
                yes, pressed = await self._answer()
                self._hide()
                if quiet is not None:
                    quiet.cancel()  # an answer within the moment begins the look-ahead itself
                    questions.answer(yes)
        except SettingError as error:  # the log and the learner disagree
            self.app.fail(error)
            return
        self.done()

    async def _look_ahead(self, questions: Questions) -> None:
        await self.app.sleep(QUIET)
        questions.look_ahead()

    async def _pause(self, pressed: float) -> float:
        """Wait for the pause to pass with the page uncovered.  Returns the moment it is counted from."""
        while True:
            await self.app.sleep(max(0.0, pressed + self.study.pace.pause - self.app.clock.seconds()))
            if self.app.uncovered.is_set():
                return pressed
            await self.app.uncovered.wait()
            pressed = self.app.clock.seconds()

    async def _show(self, asked: Asked, number: int, pressed: float, late: bool) -> None:
        count = self.say(self.texts.question, question=number)
        self.query_one("#corner", Line).update(count)
        again = any(answer.word == asked.word for answer in self.sitting.session.answers_in(self.round_))
        self.query_one("#asked-again", Line).update(self.say(self.texts.asked_again) if again else "")
        self.query_one("#ask", Line).update(self.say(self.texts.ask, word=asked.word))
        self.query_one(YesOrNo).mark(None)
        self._asked = asked
        self._open = OpenQuestion(asked, number, 0.0, "", 0.0, late)
        self.prompt()
        self._show_belief()
        await self.app.painted(self)
        shown = self.app.clock.seconds()
        self._open = OpenQuestion(asked, number, shown, iso(self.app.clock.now()), shown - pressed, late)
        self.app.keys.appeared(shown)

    def _hide(self) -> None:
        self._open = None
        self.app.keys.gone()
        for name in ("#asked-again", "#ask"):
            self.query_one(name, Line).update("")
        self.query_one(YesOrNo).hide()
        self.note("")
        self.prompt()
        self._list_answers()

    async def _answer(self) -> tuple[bool, float]:
        """Wait for an answer and save it; while saving fails, the question stays."""
        question = self._open
        assert question is not None
        while True:
            self._confirmed = asyncio.get_running_loop().create_future()
            pressed = await self._confirmed
            self._confirmed = None
            yes = question.chosen
            assert yes is not None
            if self.record(self._answered(question, yes, pressed)):
                return yes, pressed

    def _answered(self, question: OpenQuestion, yes: bool, pressed: float) -> Answered:
        rt_ms = ms(pressed - question.shown)
        timing = Timing(
            shown_at=question.shown_at,
            rt_ms=rt_ms,
            first_choice_ms=ms(question.first_choice - question.shown),
            last_choice_ms=ms(question.last_choice - question.shown),
            delay_ms=ms(question.delay),
            late=question.late,
            changes=question.changes,
            stray_keys=question.stray_keys,
            away_ms=min(ms(question.away), rt_ms),  # it may have been covered just before it appeared
        )
        return answered(self.app.loaded, self.round_, question.number, question.asked, yes, timing)

    def came_back(self, seconds: float) -> None:
        super().came_back(seconds)
        if self._open:
            self._open.away += seconds

    # --- keys

    @property
    def open_question(self) -> OpenQuestion | None:
        """The question that waits for its answer, if there is one."""
        waits = self._confirmed is not None and not self._confirmed.done()
        return self._open if waits else None

    def waits_for_key(self) -> bool:
        return super().waits_for_key() and self.open_question is not None

    def press(self, key: str) -> None:
        question, keys = self.open_question, self.study.answers
        if question is None:
            return
        if key in (keys.yes, keys.no):
            self._choose(question, key == keys.yes)
            if not keys.confirm:
                self._confirm()
        elif key == "enter" and keys.confirm:
            if question.chosen is None:
                self.note(self.say(self.texts.choose_first))
            else:
                self._confirm()
        elif key == "enter" and question.chosen is not None:  # saving it failed before
            self._confirm()
        elif key in ("backspace", "delete", "escape"):
            question.take_back()
            self._mark(question)
        else:
            self.wrong_key()

    def _choose(self, question: OpenQuestion, yes: bool) -> None:
        question.choose(yes, self.app.last_key)
        self._mark(question)

    def _confirm(self) -> None:
        assert self._confirmed is not None
        self._confirmed.set_result(self.app.last_key)

    def hurried(self) -> None:
        if self._open:
            self._open.stray_keys += 1
            super().hurried()

    def wrong_key(self) -> None:
        if self._open:
            self._open.stray_keys += 1
            super().wrong_key()

    # --- drawing

    def _mark(self, question: OpenQuestion) -> None:
        """Show what is chosen, and what can be done now."""
        self.query_one(YesOrNo).mark(question.chosen)
        self.note("")
        self.prompt()

    def _show_belief(self) -> None:
        if self.sitting.pilot and self._asked is not None:
            rows = self.query_one("#body").size.height
            belief = belief_view(self.app.loaded, self.round_.model, self._asked, rows)
            self.query_one("#belief", Line).update(belief)

    def _list_answers(self) -> None:
        """List the answers of this round; if they don't all fit, the latest ones."""
        yes, no = self.say(self.texts.yes), self.say(self.texts.no)
        answers = self.sitting.session.answers_in(self.round_)
        entries = [f"{answer.word} {yes if answer.answer == 'y' else no}" for answer in answers]
        self.query_one("#answers-label", Line).update(self.say(self.texts.answers) if entries else "")
        place = self.query_one("#answers", Line)
        lines = in_lines(entries, place.size.width)
        place.update("\n".join(lines[-place.size.height :] if place.size.height else lines))

    def on_resize(self) -> None:
        self.call_after_refresh(self._list_answers)
        self.call_after_refresh(self._show_belief)
