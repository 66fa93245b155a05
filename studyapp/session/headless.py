"""Sessions without screens, in which simulated participants answer everything.

Steps, questions and log are the same as in a person's session.  Only the time is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.people import People
from core.randomness import stream
from studyapp.base.clock import SimulatedClock, SystemClock, ms
from studyapp.base.parallel import in_order
from studyapp.session.answers import Timing, answered
from studyapp.session.events import Answered, Confirmed, Consented, Read, Responded, Rested, RoundBegan
from studyapp.session.resuming import OverError
from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    End,
    Instruct,
    Rest,
)
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core.simulated import SimulatedTeacher

# Thinking times are log-normal, as people's are.
MEDIAN_THINKING = 1.5  # seconds
SPREAD = 0.5  # the standard deviation of their logarithm


class Respondent(Protocol):
    """Whoever answers in a session without screens."""

    def answer(self, round_: Round, question: int, word: str, history: list[Answered]) -> bool:
        """Whether this word is relevant."""

    def respond(self, step: AskItem) -> str | int | None:
        """The answer to an item of a questionnaire."""

    def thinking_time(self, step: AskWord | AskItem) -> float:
        """Seconds until the answer."""


class SimulatedParticipant:
    """Answers as one of the kinds of ``core.simulated`` does.

    A person is one of ``people``, by default one of the study's.
    """

    def __init__(self, sitting: Sitting, kind: str, people: People | None = None) -> None:
        self._sitting = sitting
        self._kind = kind
        self._people = people or sitting.loaded.people
        self._words = sitting.loaded.vocabulary.words
        self._round: Round | None = None

    def answer(self, round_: Round, question: int, word: str, history: list[Answered]) -> bool:
        if round_ != self._round:
            self._round, self._teacher = round_, self._make_teacher(round_)
        answers = [(self._words.index(past.word), int(past.answer == "y")) for past in history]
        chance = self._teacher.chance(answers, self._words.index(word))
        return self._draw("answer", round_.round, question) < chance

    def respond(self, step: AskItem) -> str | int | None:
        u = self._draw("item", step.questionnaire, step.item.id, step.after or 0)
        return step.item.simulated(u)

    def thinking_time(self, step: AskWord | AskItem) -> float:
        match step:
            case AskWord(round_, question):
                names: tuple[str | int, ...] = ("thinking", round_.round, question)
            case AskItem(questionnaire, item, after):
                names = ("thinking", questionnaire, item.id, after or 0)
        normal = stream(self._seed, "simulated", self._id, *names).normal(1)[0]
        return MEDIAN_THINKING * math.exp(SPREAD * normal)

    @property
    def _seed(self) -> int:
        return self._sitting.session.started.seed

    @property
    def _id(self) -> str:
        return self._sitting.session.started.participant

    def _draw(self, *names: str | int) -> float:
        return float(stream(self._seed, "simulated", self._id, *names).uniform(1)[0])

    def _make_teacher(self, round_: Round) -> SimulatedTeacher:
        from core.simulated import SIMULATED, SimulatedTeacher

        loaded = self._sitting.loaded
        target = self._words.index(round_.target)
        rewards = loaded.features[target]
        seed = stream(self._seed, "simulated", self._id, "teacher", round_.target).integer(2**52)
        person = None
        if SIMULATED[self._kind].is_person:
            # The same in all rounds, with the same opinions about a target in each of its rounds.
            person = self._people.person(
                *(self._seed, "simulated", self._id),
                target=target,
                rewards=rewards,
                about=("target", round_.target),
            )
        settings = loaded.study.settings(round_.model, seed)
        return SimulatedTeacher(self._kind, loaded.features, rewards, settings, person=person)


def attend(
    sitting: Sitting,
    respondent: Respondent,
    clock: SimulatedClock,
    after_step: Callable[[], None] = lambda: None,
) -> None:
    """Run a session to its end."""
    while not sitting.session.over:
        match step := sitting.session.step:
            case AskConsent():
                sitting.record(Consented(at=sitting.at()))
            case Instruct():
                sitting.record(Read(at=sitting.at(), ms=0.0, away_ms=0.0))
            case BeginRound(round_):
                sitting.record(RoundBegan(round_.round, at=sitting.at()))
            case AskWord():
                _answer_word(sitting, respondent, clock, step)
            case AskItem():
                _answer_item(sitting, respondent, clock, step)
            case ConfirmItems(after):
                sitting.record(Confirmed(after, at=sitting.at(), ms=0.0, away_ms=0.0))
            case Rest(after):
                sitting.record(Rested(after, at=sitting.at(), ms=0.0, away_ms=0.0))
            case End():
                sitting.finish()
        after_step()


def _answer_word(sitting: Sitting, respondent: Respondent, clock: SimulatedClock, step: AskWord) -> None:
    round_, study = step.round, sitting.session.study
    history = sitting.session.answers_in(round_)
    questions = sitting.questions(round_)
    asked = questions.now.result()
    last = step.question == study.questions
    if not last:
        questions.look_ahead()
    clock.wait(study.pace.pause)
    shown_at, thinking = sitting.at(), respondent.thinking_time(step)
    yes = respondent.answer(round_, step.question, asked.word, history)
    clock.wait(thinking)
    rt_ms = ms(thinking)
    timing = Timing(shown_at, rt_ms, rt_ms, rt_ms, delay_ms=1000 * study.pace.pause)
    sitting.record(answered(sitting.loaded, round_, step.question, asked, yes, timing))
    if not last:
        questions.answer(yes)


def _answer_item(sitting: Sitting, respondent: Respondent, clock: SimulatedClock, step: AskItem) -> None:
    thinking = respondent.thinking_time(step)
    clock.wait(thinking)
    sitting.record(
        Responded(
            questionnaire=step.questionnaire,
            item=step.item.id,
            after=step.after,
            value=respondent.respond(step),
            at=sitting.at(),
            rt_ms=ms(thinking),
            away_ms=0.0,
        )
    )


def rehearse(
    loaded: LoadedStudy, teacher: str, count: int, sessions: Path, people: People | None = None
) -> Iterator[bool]:
    """Run this many simulated sessions; yields False for each that had finished before.

    ``people`` says how simulated people answer, if not as the study says; the study's models do not know.
    """
    if people is not None:
        people = loaded.people_here(people)
    one = partial(_rehearse_one, loaded, teacher, people, sessions)
    yield from in_order(one, range(1, count + 1), f"{teacher} participants")


def _rehearse_one(
    loaded: LoadedStudy, teacher: str, people: People | None, sessions: Path, number: int
) -> bool:
    clock = SimulatedClock(SystemClock().now())
    participant = Participant(f"{teacher}-{number:03d}", teacher=teacher, people=people)
    try:
        sitting = Sitting.open(loaded, participant, sessions, clock=clock)
    except OverError:
        return False
    try:
        attend(sitting, SimulatedParticipant(sitting, teacher, people), clock)
    finally:
        sitting.close()
    return True
