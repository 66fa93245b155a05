"""The session: a fold over its log.

A session is a fixed course of steps: consent, instructions, the questions of every round,
questionnaires, breaks, the end.  One event completes each step, so the number of completed steps says
which step is next.

Items of questionnaires that are asked together can be answered again until the participant has confirmed
them; the last answer counts.  A single item needs no confirmation of its own.

An event is checked once, then applied.  While a session runs, ``check`` comes before the event is
written and ``advance`` after it.  Reading a log does both with ``apply``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pydantic import ValidationError

from core.errors import SettingError
from studyapp.session.answers import RECORDED_BY_STUDYAPP
from studyapp.session.events import (
    Answered,
    Confirmed,
    Consented,
    Declined,
    Event,
    Finished,
    Interrupted,
    Left,
    Read,
    Recovered,
    Reread,
    Responded,
    Rested,
    Resumed,
    Rewritten,
    RoundBegan,
    Started,
    Stayed,
    Withdrawn,
)
from studyapp.study import plan
from studyapp.study.items import Item
from studyapp.study.plan import Round
from studyapp.study.study import Study

MOST_STEPS = 300_000  # a log has no room for more


@dataclass(frozen=True)
class AskConsent:
    """Ask for consent."""


@dataclass(frozen=True)
class Instruct:
    """Show the instructions."""


@dataclass(frozen=True)
class BeginRound:
    """Announce a round."""

    round: Round


@dataclass(frozen=True)
class AskWord:
    """Ask a question of a round."""

    round: Round
    question: int


@dataclass(frozen=True)
class AskItem:
    """Ask an item of a questionnaire."""

    questionnaire: str
    item: Item
    after: int | None  # the round before it; None at the end of the session
    place: int  # among the items asked together, counted from 1
    total: int  # how many items are asked together


@dataclass(frozen=True)
class ConfirmItems:
    """Ask to confirm the answers to the items that were asked together."""

    after: int | None  # the round before them; None at the end of the session


@dataclass(frozen=True)
class Rest:
    """Offer a break."""

    after: int  # the round before it


@dataclass(frozen=True)
class End:
    """Every other step is complete."""


Step = AskConsent | Instruct | BeginRound | AskWord | AskItem | ConfirmItems | Rest | End

# Events that can happen at any step and complete none.
Aside = Resumed | Stayed | Reread | Left | Interrupted | Recovered | Rewritten | Declined


def course(study: Study, rounds: list[Round]) -> Iterator[Step]:
    """All steps of a session, in order."""
    if study.consent:
        yield AskConsent()
    if study.instructions:
        yield Instruct()
    practice_rounds = sum(round_.practice for round_ in rounds)
    for round_ in rounds:
        yield BeginRound(round_)
        for question in range(1, study.questions + 1):
            yield AskWord(round_, question)
        if not round_.practice:
            yield from _items(study, study.after_round, round_.round)
            done = round_.round - practice_rounds
            if study.breaks and done % study.breaks.every == 0 and round_ is not rounds[-1]:
                yield Rest(round_.round)
    yield from _items(study, study.at_end, None)
    yield End()


def _items(study: Study, names: list[str], after: int | None) -> Iterator[AskItem | ConfirmItems]:
    items = study.items(names)
    for place, (name, item) in enumerate(items, start=1):
        yield AskItem(name, item, after, place, len(items))
    if len(items) > 1:  # the key that answers a single item confirms it too
        yield ConfirmItems(after)


class Session:
    """Where a participant is in the session, and the answers so far."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self.plan = started.plan
        try:
            self.study = Study.model_validate(started.study)
        except ValidationError as error:
            raise SettingError(f"the study in the log is not valid: {error.errors()[0]['msg']}") from None
        for names in (self.study.after_round, self.study.at_end):
            if len(set(names)) < len(names) or not all(map(self.study.knows, names)):
                problem = "it asks an unknown questionnaire, or the same one twice"
                raise SettingError(f"the study in the log is not valid: {problem}")
        self.steps = tuple(islice(course(self.study, self.plan), MOST_STEPS + 1))
        if len(self.steps) > MOST_STEPS:
            raise SettingError(f"the session has more than {MOST_STEPS:,} steps, too many for a log")
        plan.check(self.plan, self.study, imported=started.imported is not None)
        self._check_stopwatch(started)
        self.position = 0
        self.answers: list[Answered] = []
        self._answers_by_round: dict[int, list[Answered]] = {}
        self._responses: dict[_Asked, list[Responded]] = {}
        self.over: Finished | Withdrawn | None = None
        self.declined = False  # did the participant not agree to take part, when last asked?
        self.last: Event = started  # what happened last

    @property
    def step(self) -> Step:
        """The step that is next."""
        return self.steps[self.position]

    def check(self, event: Event) -> None:
        """Raise a SettingError if this event cannot happen now."""
        if self.over:
            raise SettingError(f"{event.event!r} comes after the end of the session")
        match event:
            case event if isinstance(event, Aside | Withdrawn):
                pass
            case Started():
                raise SettingError("a second session begins here; a log holds one session")
            case Finished():
                if not isinstance(self.step, End):
                    raise SettingError(f"'finished' comes too early; expected {self._expected()}")
            case _:
                if not self._completes_step(event) and not self._answers_again(event):
                    raise SettingError(f"{event.event!r} does not belong here; expected {self._expected()}")
        self._check_stopwatch(event)
        if isinstance(event, Responded):
            (item,) = (step.item for step in self.items_asked() if _asked(step) == _asked(event))
            if not _answers_item(event.value, item):
                raise SettingError(f"{event.value!r} is not an answer to {event.item!r}")
        if isinstance(event, Answered) and self.started.imported is None:
            for name in RECORDED_BY_STUDYAPP:
                if getattr(event, name) is None:
                    raise SettingError(f"{name} is empty; only imported sessions may leave it out")

    def _check_stopwatch(self, event: Event) -> None:
        if event.clock_ms is None and self.started.imported is None:
            raise SettingError("clock_ms is empty; only imported sessions may leave it out")

    def advance(self, event: Event) -> None:
        """Let an event happen that ``check`` has accepted."""
        self.last = event
        if isinstance(event, Finished | Withdrawn):
            self.over = event
        elif not isinstance(event, Aside) and not self._answers_again(event):
            self.position += 1
        if isinstance(event, Declined | Resumed):
            self.declined = isinstance(event, Declined)
        if isinstance(event, Responded):
            self._responses.setdefault(_asked(event), []).append(event)
        if isinstance(event, Answered):
            self.answers.append(event)
            self._answers_by_round.setdefault(event.round, []).append(event)

    def forget_answers(self) -> None:
        """Drop the answers so far, for whoever only wants to know where the participant is."""
        self.answers.clear()
        self._answers_by_round.clear()
        self._responses.clear()

    def apply(self, event: Event) -> None:
        """Check an event and let it happen."""
        self.check(event)
        self.advance(event)

    def _completes_step(self, event: Event) -> bool:
        match self.step, event:
            case (AskConsent(), Consented()) | (Instruct(), Read()):
                return True
            case BeginRound(round_), RoundBegan(number):
                return number == round_.round
            case AskWord(round_, question), Answered():
                as_planned = question > 1 or event.word == round_.first
                return (event.round, event.question) == (round_.round, question) and as_planned
            case AskItem(), Responded():
                return _asked(event) == _asked(self.step)
            case ConfirmItems(after), Confirmed():
                return event.after == after
            case Rest(after), Rested():
                return event.after == after
        return False

    def _answers_again(self, event: Event) -> bool:
        """Does it answer an item again, one of those that are not confirmed yet?"""
        if not isinstance(event, Responded):
            return False
        return any(_asked(event) == _asked(step) for step in self.items_asked() if step is not self.step)

    def _expected(self) -> str:
        """The next step, for a message."""
        match self.step:
            case BeginRound(round_):
                return f"the start of round {round_.round}"
            case AskWord(round_, question):
                return f"question {question} of round {round_.round}"
            case AskItem(questionnaire, item):
                return f"{item.id!r} of {questionnaire!r}"
            case ConfirmItems():
                return "the confirmation of the questionnaire"
            case Rest(after):
                return f"the break after round {after}"
            case AskConsent():
                return "the consent"
            case Instruct():
                return "the instructions"
        return "the end"

    def items_asked(self) -> list[AskItem]:
        """The items asked together, up to the next step, whose answers can still be changed."""
        if not isinstance(self.step, AskItem | ConfirmItems):
            return []
        first = self.position
        while first and isinstance(step := self.steps[first - 1], AskItem) and step.after == self.step.after:
            first -= 1
        return [step for step in self.steps[first : self.position + 1] if isinstance(step, AskItem)]

    def response_to(self, step: AskItem) -> Responded | None:
        """The answer to an item that counts so far; None if there is none yet."""
        given = self._responses.get(_asked(step))
        return given[-1] if given else None

    def responses(self) -> list[tuple[Responded, int]]:
        """The answers to items that count, the last to each, with how often each was changed."""
        return [(given[-1], len(given) - 1) for given in self._responses.values()]

    def answers_in(self, round_: Round) -> list[Answered]:
        """The answers in a round so far."""
        return list(self._answers_by_round.get(round_.round, ()))

    def took_place(self, round_: Round) -> bool:
        """Was this round played?  A table may only hold its place, with rewards of 0, which no word has."""
        answers = self._answers_by_round.get(round_.round)
        return self.started.imported is None or not answers or any(answer.reward for answer in answers)

    def found_at(self, round_: Round) -> int | None:
        """The number of the question that found the target, the first about it; None if not found."""
        asked = self._answers_by_round.get(round_.round, ()) if self.took_place(round_) else ()
        return next((answer.question for answer in asked if answer.word == round_.target), None)

    def rounds_done(self) -> int:
        """The number of completed rounds, without practice."""
        answered = len(self.answers) // self.study.questions
        return max(0, answered - self.rounds_of_practice())

    def rounds_of_practice(self) -> int:
        """The number of practice rounds."""
        return sum(round_.practice for round_ in self.plan)

    def rounds(self) -> int:
        """The number of rounds, without practice."""
        return len(self.plan) - self.rounds_of_practice()

    def found_within(self, questions: int) -> int:
        """The number of rounds, without practice, that found their target within this number of questions."""
        found = (self.found_at(round_) for round_ in self.plan if not round_.practice)
        return sum(question is not None and question <= questions for question in found)

    def finished(self, at: str) -> Finished:
        """The event that ends this session once all steps are complete."""
        bonus = self.study.bonus
        found = self.found_within(bonus.within if bonus else self.study.questions)
        return Finished(
            at=at, answers=len(self.answers), found=found, bonus=found >= bonus.rounds if bonus else None
        )

    def miscount(self) -> str | None:
        """What the last event says about the session that is not so; None if all of it is."""
        if isinstance(self.over, Finished):
            expected = self.finished(self.over.at)
            for name in ("answers", "found", "bonus"):
                ours, theirs = getattr(expected, name), getattr(self.over, name)
                if ours != theirs:
                    return f"{name} is {theirs} in the last event; expected {ours}"
        elif self.over is not None and self.over.answers != len(self.answers):
            return f"answers is {self.over.answers} in the last event; expected {len(self.answers)}"
        return None

    @property
    def has_read_instructions(self) -> bool:
        """Does the study have instructions, and has the participant read them?"""
        return Instruct() in self.steps[: self.position]

    @property
    def lacks_end(self) -> bool:
        """Is every step complete, but the session not finished?"""
        return self.over is None and isinstance(self.step, End)


_Asked = tuple[str, str, int | None]  # a questionnaire, an item of it, and the round before it


def _asked(about: AskItem | Responded) -> _Asked:
    item = about.item.id if isinstance(about, AskItem) else about.item
    return about.questionnaire, item, about.after


def _answers_item(value: str | int | None, item: Item) -> bool:
    return item.optional if value is None else item.accepts(value)


def fold(started: Started, events: Iterable[Event]) -> Session:
    """The session after these events."""
    session = Session(started)
    for event in events:
        session.apply(event)
    return session
