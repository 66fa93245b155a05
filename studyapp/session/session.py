"""The session: a fold over its log.

A session is a fixed course of steps: consent, instructions, the questions of every round,
questionnaires, breaks, the end.  Each step is completed by one event, and what is on next is the
number of steps completed.  Running, resuming and verifying all come here through ``apply``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice

from pydantic import ValidationError

from core.errors import SettingError
from studyapp.session.events import (
    Answered,
    Consented,
    Declined,
    Event,
    Finished,
    Interrupted,
    Left,
    Read,
    Recovered,
    Responded,
    Rested,
    Resumed,
    RoundBegan,
    Started,
    Stayed,
    Withdrawn,
)
from studyapp.study.items import Item
from studyapp.study.plan import Round
from studyapp.study.study import Study

__all__ = [
    "AskConsent",
    "AskItem",
    "AskWord",
    "BeginRound",
    "End",
    "Instruct",
    "Rest",
    "Session",
    "Step",
    "course",
]

MOST_STEPS = 300_000  # of a session; a log has no room for more

# What every answer tells that was given here; those of imported sessions need not.
ALWAYS_KNOWN = tuple(
    field.name
    for field in fields(Answered)
    if field.name not in ("round", "question", "word", "answer", "reward", "compute_ms", "event")
)


@dataclass(frozen=True)
class AskConsent:
    pass


@dataclass(frozen=True)
class Instruct:
    pass


@dataclass(frozen=True)
class BeginRound:
    round: Round


@dataclass(frozen=True)
class AskWord:
    round: Round
    question: int


@dataclass(frozen=True)
class AskItem:
    questionnaire: str
    item: Item
    after: int | None  # round, or None at the end
    place: int  # among the items asked together, from 1
    of: int


@dataclass(frozen=True)
class Rest:
    after: int  # round


@dataclass(frozen=True)
class End:
    pass


Step = AskConsent | Instruct | BeginRound | AskWord | AskItem | Rest | End


def course(study: Study, plan: list[Round]) -> Iterator[Step]:
    """All steps of a session."""
    if study.consent:
        yield AskConsent()
    if study.instructions:
        yield Instruct()
    practised = sum(played.practice for played in plan)
    for played in plan:
        yield BeginRound(played)
        for question in range(1, study.questions + 1):
            yield AskWord(played, question)
        if not played.practice:
            yield from _items(study, study.after_round, played.round)
            done = played.round - practised
            if study.breaks and done % study.breaks.every == 0 and played is not plan[-1]:
                yield Rest(played.round)
    yield from _items(study, study.at_end, None)
    yield End()


def _items(study: Study, names: list[str], after: int | None) -> Iterator[AskItem]:
    items = study.items(names)
    for place, (name, item) in enumerate(items, start=1):
        yield AskItem(name, item, after, place, len(items))


class Session:
    """Where a participant is, and what was answered."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self.plan = started.plan
        try:
            self.study = Study.model_validate(started.study)
        except ValidationError as error:
            raise SettingError(f"the study in the log is not valid: {error.errors()[0]['msg']}") from None
        for asked in (self.study.after_round, self.study.at_end):
            if len(set(asked)) < len(asked) or not all(map(self.study.knows, asked)):
                problem = "it asks a questionnaire that it does not have, or one twice"
                raise SettingError(f"the study in the log is not valid: {problem}")
        self.steps = tuple(islice(course(self.study, self.plan), MOST_STEPS + 1))
        if len(self.steps) > MOST_STEPS:
            raise SettingError(f"the session has more than {MOST_STEPS:,} steps; no log has room for them")
        self.position = 0
        self.answers: list[Answered] = []
        self.over: Finished | Withdrawn | None = None

    @property
    def step(self) -> Step:
        """What is on now."""
        return self.steps[self.position]

    def check(self, event: Event) -> None:
        """May this happen now?  A SettingError tells why not."""
        if self.over:
            raise SettingError(f"{event.event!r} comes after the session was over")
        match event:
            case Withdrawn() | Resumed() | Stayed() | Left() | Interrupted() | Recovered() | Declined():
                pass
            case Started():
                raise SettingError("a session begins in the middle of another")
            case Finished():
                if not isinstance(self.step, End):
                    raise SettingError(f"'finished' comes too early; {self._awaited()} was next")
            case _:
                if not self._completes(event):
                    raise SettingError(f"{event.event!r} does not fit here; {self._awaited()} was next")
        if isinstance(event, Responded):
            assert isinstance(self.step, AskItem)
            if not _answers_item(event.value, self.step.item):
                raise SettingError(f"{event.value!r} is no answer to {event.item!r}")
        if isinstance(event, Answered) and self.started.imported is None:
            for name in ALWAYS_KNOWN:
                if getattr(event, name) is None:
                    raise SettingError(f"{name} is empty, which it may be in imported sessions only")

    def apply(self, event: Event) -> None:
        """Let an event happen."""
        self.check(event)
        if isinstance(event, Finished | Withdrawn):
            self.over = event
        elif self._completes(event):
            self.position += 1
            if isinstance(event, Answered):
                self.answers.append(event)

    def _completes(self, event: Event) -> bool:
        match self.step, event:
            case (AskConsent(), Consented()) | (Instruct(), Read()):
                return True
            case BeginRound(played), RoundBegan(number):
                return number == played.round
            case AskWord(played, question), Answered():
                first = question > 1 or event.word == played.first
                return (event.round, event.question) == (played.round, question) and first
            case AskItem(), Responded():
                return (event.questionnaire, event.item, event.after) == (
                    self.step.questionnaire,
                    self.step.item.id,
                    self.step.after,
                )
            case Rest(after), Rested():
                return event.after == after
        return False

    def _awaited(self) -> str:
        match self.step:
            case BeginRound(played):
                return f"the start of round {played.round}"
            case AskWord(played, question):
                return f"question {question} of round {played.round}"
            case AskItem(questionnaire, item):
                return f"{item.id!r} of {questionnaire!r}"
            case Rest(after):
                return f"the break after round {after}"
            case AskConsent():
                return "the consent"
            case Instruct():
                return "the instructions"
        return "the end"

    def answers_in(self, played: Round) -> list[Answered]:
        """The answers of a round so far."""
        return [answer for answer in self.answers if answer.round == played.round]

    def rounds_done(self) -> int:
        """Of the rounds that count."""
        answered = len(self.answers) // self.study.questions
        return max(0, answered - self.rounds_of_practice())

    def rounds_of_practice(self) -> int:
        return sum(played.practice for played in self.plan)

    def rounds(self) -> int:
        """That count."""
        return len(self.plan) - self.rounds_of_practice()

    def found_within(self, questions: int) -> int:
        """In how many rounds that count the target was asked about within so many questions."""
        targets = {played.round: played.target for played in self.plan if not played.practice}
        return len(
            {
                answer.round
                for answer in self.answers
                if answer.question <= questions and targets.get(answer.round) == answer.word
            }
        )

    def finished(self, at: str) -> Finished:
        """The event that ends this session, now that all steps are done."""
        bonus = self.study.bonus
        found = self.found_within(bonus.within if bonus else self.study.questions)
        return Finished(
            at=at, answers=len(self.answers), found=found, bonus=found >= bonus.rounds if bonus else None
        )


def _answers_item(value: str | int | None, item: Item) -> bool:
    return item.optional if value is None else item.accepts(value)


def fold(started: Started, events: Iterable[Event]) -> Session:
    """The session after these events."""
    session = Session(started)
    for event in events:
        session.apply(event)
    return session
