"""A session without screens: a simulated participant goes through all of it.

The steps, the questions and the log are those of a person's session; only the time is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from core.randomness import stream
from studyapp.base.clock import SimulatedClock, ms
from studyapp.session.events import Answered, Consented, Read, Responded, Rested, RoundBegan
from studyapp.session.session import AskConsent, AskItem, AskWord, BeginRound, End, Instruct, Rest
from studyapp.session.sitting import Sitting
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core.simulated import SimulatedTeacher

__all__ = ["Participant", "SimulatedParticipant", "attend"]

# Thinking takes a log-normal time, as it does in people: half of all answers within this, and sigma.
THINKING, SPREAD = 1.5, 0.5  # seconds


class Participant(Protocol):
    """Who answers."""

    def answer(self, played: Round, question: int, word: str, history: list[Answered]) -> bool:
        """Is this word relevant?"""

    def respond(self, step: AskItem) -> str | int | None:
        """What is answered to an item of a questionnaire."""

    def thinks(self, step: AskWord | AskItem) -> float:
        """Seconds until the answer."""


class SimulatedParticipant:
    """A teacher of ``core.simulated``, by name."""

    def __init__(self, sitting: Sitting, kind: str) -> None:
        self._sitting = sitting
        self._kind = kind
        self._words = sitting.loaded.vocabulary.words
        self._round: Round | None = None

    def answer(self, played: Round, question: int, word: str, history: list[Answered]) -> bool:
        if played != self._round:
            self._round, self._teacher = played, self._make_teacher(played)
        told = [(self._words.index(each.word), int(each.answer == "y")) for each in history]
        chance = self._teacher.chance(told, self._words.index(word))
        return self._draw("answer", played.round, question) < chance

    def respond(self, step: AskItem) -> str | int | None:
        u = self._draw("item", step.questionnaire, step.item.id, step.after or 0)
        return step.item.simulated(u)

    def thinks(self, step: AskWord | AskItem) -> float:
        match step:
            case AskWord(played, question):
                names: tuple[str | int, ...] = ("thinking", played.round, question)
            case AskItem(questionnaire, item, after):
                names = ("thinking", questionnaire, item.id, after or 0)
        normal = stream(self._seed, "simulated", self._id, *names).normal(1)[0]
        return THINKING * math.exp(SPREAD * normal)

    @property
    def _seed(self) -> int:
        return self._sitting.session.started.seed

    @property
    def _id(self) -> str:
        return self._sitting.session.started.participant

    def _draw(self, *names: str | int) -> float:
        return float(stream(self._seed, "simulated", self._id, *names).uniform(1)[0])

    def _make_teacher(self, played: Round) -> SimulatedTeacher:
        from core.simulated import SimulatedTeacher

        features = self._sitting.loaded.features
        study = self._sitting.loaded.study
        seed = stream(self._seed, "simulated", self._id, "teacher", played.target).integer(2**52)
        settings = study.settings(played.model, seed)
        return SimulatedTeacher(self._kind, features, features[self._words.index(played.target)], settings)


def attend(
    sitting: Sitting, participant: Participant, clock: SimulatedClock, tick: Callable[[], None] = lambda: None
) -> None:
    """Go through a session to its end; ``tick`` is called after every step."""
    while not sitting.session.over:
        match step := sitting.session.step:
            case AskConsent():
                sitting.record(Consented(at=sitting.at()))
            case Instruct():
                sitting.record(Read(at=sitting.at(), ms=0.0, away_ms=0.0))
            case BeginRound(played):
                sitting.record(RoundBegan(played.round, at=sitting.at()))
            case AskWord(played, question):
                history = sitting.session.answers_in(played)
                questions = sitting.questions(played)
                asked = questions.now.result()
                last = question == sitting.session.study.questions
                if not last:
                    questions.look_ahead()
                clock.wait(sitting.session.study.pace.pause)
                shown_at, thought = sitting.at(), participant.thinks(step)
                yes = participant.answer(played, question, asked.word, history)
                clock.wait(thought)
                sitting.record(
                    Answered(
                        round=played.round,
                        question=question,
                        word=asked.word,
                        answer="y" if yes else "n",
                        reward=sitting.loaded.reward(played.target, asked.word),
                        shown_at=shown_at,
                        rt_ms=ms(thought),
                        first_choice_ms=ms(thought),
                        last_choice_ms=ms(thought),
                        compute_ms=asked.compute_ms,
                        delay_ms=1000 * sitting.session.study.pace.pause,
                        late=False,
                        changes=0,
                        stray_keys=0,
                        away_ms=0.0,
                        digest=asked.state.digest,
                        converged=asked.state.fit.converged,
                    )
                )
                if not last:
                    questions.answer(yes)
            case AskItem(questionnaire, item, after):
                thought = participant.thinks(step)
                clock.wait(thought)
                value = participant.respond(step)
                sitting.record(
                    Responded(
                        questionnaire,
                        item.id,
                        after,
                        value,
                        sitting.at(),
                        ms(thought),
                        away_ms=0.0,
                    )
                )
            case Rest(after):
                sitting.record(Rested(after, at=sitting.at(), ms=0.0, away_ms=0.0))
            case End():
                sitting.finish()
        tick()
