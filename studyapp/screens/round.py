"""A round: the word to find, one question after the other, and the answers so far.

Every question appears a fixed pause after the last answer, whichever model asks.  Until it has been
painted no key can answer it; the time of an answer counts from then to the confirming key.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from core.errors import SettingError
from studyapp.base.clock import iso, ms
from studyapp.screens.letters import large
from studyapp.screens.page import Line, Page
from studyapp.session.events import Answered
from studyapp.session.questions import Asked
from studyapp.study.plan import Round

__all__ = ["RoundPage"]

BELIEF, BELIEFS = 16, 20  # columns of a bar in the pilot view, and bars


@dataclass
class _Open:
    """The question that is on the screen."""

    asked: Asked
    number: int
    shown: float  # seconds
    shown_at: str
    delay: float
    late: bool
    chosen: bool | None = None
    said: bool | None = None  # chosen last, even if it was taken back
    first_choice: float = 0.0  # seconds
    last_choice: float = 0.0
    changes: int = 0
    stray_keys: int = 0
    away: float = 0.0  # seconds under another page


class RoundPage(Page):
    """The questions of one round, to its end."""

    NOTE_IN_BODY = True

    def __init__(self, title: str, played: Round) -> None:
        super().__init__(title, corner=" ")
        self._played = played
        self._open: _Open | None = None
        self._confirmed: asyncio.Future[float] | None = None

    def say(self, text: str, **values: str | int) -> str:
        return super().say(text, target=self._played.target, **values)

    def body(self) -> ComposeResult:
        with Horizontal(id="round"):
            with Vertical(id="asking"):
                yield Line(self.say(self.texts.target), classes="label")
                yield Line(large(self._played.target), classes="target")
                yield Line("", id="ask")
                yield Line("", id="choices")
                yield Line("", id="note")
                yield Line("", id="answers-label")
                yield Line("", id="answers")
            if self.sitting.pilot:
                yield Line("", id="belief")

    def hint(self) -> str:
        return self.say(self.texts.choose)

    def on_up(self) -> None:
        self.set_class(self.sitting.pilot, "pilot")
        if self.is_current:
            self.app.keys.gone()  # until there is a question
        self._list_answers()
        self.run_worker(self._play(), exclusive=True)

    async def _play(self) -> None:
        session = self.sitting.session
        answers = session.answers_in(self._played)
        questions = self.sitting.questions(self._played)
        pressed = self.app.last_key
        try:
            for number in range(len(answers) + 1, self.study.questions + 1):
                pressed = await self._pause(pressed)
                late = not questions.now.done()
                asked = await asyncio.wrap_future(questions.now)
                if not self.app.uncovered.is_set():  # something came to lie over the page meanwhile
                    pressed = await self._pause(pressed)
                await self._show(asked, number, pressed, late)
                if number < self.study.questions:
                    questions.look_ahead()
                yes, pressed = await self._answer()
                self._hide()
                if number < self.study.questions:
                    questions.answer(yes)
        except SettingError as error:  # the log and the learner do not agree
            self.app.fail(error)
            return
        self.done()

    async def _pause(self, pressed: float) -> float:
        """Let the pause go by, with nothing lying over the page; returns the key it is counted from."""
        while True:
            await asyncio.sleep(max(0.0, pressed + self.study.pace.pause - self.app.clock.seconds()))
            if self.app.uncovered.is_set():
                return pressed
            await self.app.uncovered.wait()
            pressed = self.app.clock.seconds()

    async def _show(self, asked: Asked, number: int, pressed: float, late: bool) -> None:
        count = self.say(self.texts.question, question=number)
        self.query_one("#corner", Line).update(count)
        self.query_one("#ask", Line).update(self.say(self.texts.ask, word=asked.word))
        self.query_one("#choices", Line).update(self._choices(None))
        if self.sitting.pilot:
            self.query_one("#belief", Line).update(self._belief(asked))
        await self.app.painted(self)
        shown = self.app.clock.seconds()
        self._open = _Open(asked, number, shown, iso(self.app.clock.now()), shown - pressed, late)
        self.app.keys.appeared(shown)

    def _hide(self) -> None:
        self._open = None
        self.app.keys.gone()
        self.query_one("#ask", Line).update("")
        self.query_one("#choices", Line).update("")
        self.note("")
        self._list_answers()

    async def _answer(self) -> tuple[bool, float]:
        """Wait for an answer and put it on disk; while that fails the question stays."""
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

    def _answered(self, question: _Open, yes: bool, pressed: float) -> Answered:
        asked = question.asked
        return Answered(
            round=self._played.round,
            question=question.number,
            word=asked.word,
            answer="y" if yes else "n",
            reward=self.sitting.loaded.reward(self._played.target, asked.word),
            shown_at=question.shown_at,
            rt_ms=ms(pressed - question.shown),
            first_choice_ms=ms(question.first_choice - question.shown),
            last_choice_ms=ms(question.last_choice - question.shown),
            compute_ms=asked.compute_ms,
            delay_ms=ms(question.delay),
            late=question.late,
            changes=question.changes,
            stray_keys=question.stray_keys,
            away_ms=ms(question.away),
            digest=asked.state.digest,
            converged=asked.state.fit.converged,
        )

    @property
    def asks(self) -> bool:
        """Is there a question that waits for its answer?"""
        return self._open is not None and self._confirmed is not None

    def came_back(self, seconds: float) -> None:
        super().came_back(seconds)
        if self._open:
            self._open.away += seconds

    def press(self, key: str) -> None:
        question, keys = self._open, self.study.answers
        if question is None or self._confirmed is None or self._confirmed.done():
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
        elif key == "enter" and question.chosen is not None:  # its saving failed before
            self._confirm()
        elif key in ("backspace", "delete", "escape"):
            question.chosen = None
            self.query_one("#choices", Line).update(self._choices(None))
            self.note("")
        else:
            self.wrong_key()

    def _choose(self, question: _Open, yes: bool) -> None:
        question.changes += question.said is (not yes)
        if question.said is None:
            question.first_choice = self.app.last_key
        question.chosen, question.said, question.last_choice = yes, yes, self.app.last_key
        self.query_one("#choices", Line).update(self._choices(yes))
        answer = self.say(self.texts.yes if yes else self.texts.no)
        self.note(self.say(self.texts.confirm, answer=answer) if self.study.answers.confirm else "")

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
            self.note(self.say(self.texts.wrong_key))

    def _choices(self, chosen: bool | None) -> str:
        return self.yes_or_no(chosen, self.say(self.texts.yes), self.say(self.texts.no))

    def _list_answers(self) -> None:
        texts = self.texts
        answers = self.sitting.session.answers_in(self._played)
        yes, no = self.say(texts.yes), self.say(texts.no)
        told = [f"{each.word} {yes if each.answer == 'y' else no}" for each in answers]
        self.query_one("#answers-label", Line).update(self.say(texts.answers) if told else "")
        place = self.query_one("#answers", Line)
        lines = _in_lines(told, place.size.width)
        place.update("\n".join(lines[-place.size.height :] if place.size.height else lines))

    def on_resize(self) -> None:
        self.call_after_refresh(self._list_answers)

    def _belief(self, asked: Asked) -> str:
        """How much of a yes the learner expects of every word, for the experimenter's eyes."""
        loaded = self.app.loaded
        chances = 1 / (1 + np.exp(-loaded.features @ asked.state.mean))
        words = loaded.vocabulary.words
        rows = [f"the learner's belief ({self._played.model})", ""]
        for i in np.argsort(-chances, kind="stable")[:BELIEFS]:
            mark = "▸" if words[i] == asked.word else " "
            line = "█" * round(BELIEF * chances[i])
            rows.append(f"{mark}{words[i]:>10.10} {line:<{BELIEF}} {chances[i]:.2f}")
        if asked.state.alpha is not None:
            rows.append(f"{'':>4}E[alpha] {asked.state.alpha:.2f}")
        return "\n".join(rows)


def _in_lines(told: list[str], width: int) -> list[str]:
    """As many on a line as fit; a word is not torn from its answer."""
    lines: list[str] = []
    for each in told:
        if lines and cell_len(lines[-1]) + 3 + cell_len(each) <= width:
            lines[-1] += f" · {each}"
        else:
            lines.append(each)
    return lines
