"""The tables of answers and of rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from operator import attrgetter
from statistics import median
from typing import Any, Final

from studyapp.session.events import Answered, RoundBegan, Started
from studyapp.session.history import Before, counted_rounds, what_came_before
from studyapp.session.saved import SavedSession
from studyapp.study.plan import Round
from studyapp.tables.columns import TRUTH, Column, Table, field_column, total

__all__ = ["ANSWERS", "PUBLISHED", "ROUNDS"]

# The columns of the published data.  Every table of answers begins with them.
PUBLISHED: Final = (
    *("participant", "round", "practice", "model", "target"),
    *("question", "word", "answer", "reward"),
)


# Answers


@dataclass(frozen=True)
class _Answer:
    participant: str
    round: Round
    answer: Answered
    before: Before | None  # None if the round never took place
    cumulative_reward: float | None


def _answers(opened: SavedSession) -> Iterator[_Answer]:
    session = opened.session
    for round_ in session.plan:
        answers = session.answers_in(round_)
        if not session.took_place(round_):
            yield from (_Answer(opened.participant, round_, answer, None, None) for answer in answers)
            continue
        so_far = Decimal(0)
        for answer, before in zip(answers, what_came_before(session, round_), strict=True):
            so_far += Decimal(repr(answer.reward))
            yield _Answer(opened.participant, round_, answer, before, float(so_far))


def _answered(name: str) -> Column[_Answer]:
    return field_column(Answered, name, attrgetter(f"answer.{name}"), **_LIMITS.get(name, {}))


_LIMITS: Final[Mapping[str, Any]] = {
    "round": {"least": 1},
    "question": {"least": 1},
    "word": {"kind": "word"},
    "reward": {"kind": "reward", "most": 1},
}
_ELSEWHERE: Final = (*PUBLISHED, "event", "clock_ms")  # or not in the table at all
_OF_THE_ROUND: Final[Mapping[str, Column[_Answer]]] = {
    "participant": field_column(Started, "participant", attrgetter("participant"), kind="word"),
    "practice": field_column(Round, "practice", attrgetter("round.practice")),
    "model": field_column(Round, "model", attrgetter("round.model")),
    "target": field_column(Round, "target", attrgetter("round.target"), kind="word"),
}
_BEFORE: Final[tuple[Column[_Answer], ...]] = (
    Column(
        "asked_before",
        "whether the word was asked about earlier in the round",
        "truth",
        lambda row: row.before.asked if row.before else None,
        levels=TRUTH,
    ),
    Column(
        "last_answer",
        "the last answer to the same word earlier in the round; empty if it was not asked about",
        "name",
        lambda row: row.before.last_answer if row.before else None,
        levels=("y", "n"),
    ),
    Column(
        "found_before",
        "whether the target was asked about earlier in the round",
        "truth",
        lambda row: row.before.found if row.before else None,
        levels=TRUTH,
    ),
    Column(
        "cumulative_reward",
        "sum of the rewards in the round, up to this question",
        "reward",
        attrgetter("cumulative_reward"),
        least=0,
    ),
)

ANSWERS: Final = Table(
    "answers",
    "answer to a question",
    ("participant", "round", "question"),
    (
        *(_OF_THE_ROUND.get(name) or _answered(name) for name in PUBLISHED),
        *_BEFORE,
        *(_answered(field.name) for field in fields(Answered) if field.name not in _ELSEWHERE),
        _answered("clock_ms"),
    ),
    _answers,
)


# Rounds


@dataclass(frozen=True)
class _Round:
    participant: str
    round: Round
    place: int
    took_place: bool
    counted: bool
    began_at: str | None
    found_at: int | None
    answers: list[Answered]

    def questions(self) -> int | None:
        return len(self.answers) if self.took_place else None

    def cumulative_reward(self) -> float | None:
        return total(answer.reward for answer in self.answers) if self.took_place else None

    def found(self) -> bool | None:
        return self.found_at is not None if self.answers and self.took_place else None

    def time_to_find(self) -> int | None:
        return (self.found_at or len(self.answers) or None) if self.took_place else None

    def yes(self) -> int | None:
        return sum(answer.answer == "y" for answer in self.answers) if self.took_place else None

    def median_rt_ms(self) -> float | None:
        known = [answer.rt_ms for answer in self.answers if answer.rt_ms is not None]
        return round(median(known), 2) if known else None  # the mean of two has one more digit


def _rounds(opened: SavedSession) -> Iterator[_Round]:
    """The rounds that began."""
    session = opened.session
    began = {event.round: event.at for event in opened.saved.events if isinstance(event, RoundBegan)}
    counted = counted_rounds(session)
    models_so_far: Counter[tuple[bool, str]] = Counter()
    for round_ in session.plan:
        if round_.round not in began:
            continue
        models_so_far[round_.practice, round_.target] += 1
        yield _Round(
            opened.participant,
            round_,
            place=models_so_far[round_.practice, round_.target],
            took_place=session.took_place(round_),
            counted=round_.round in counted,
            # An imported log has the time of its import, not of the round.
            began_at=None if opened.kind == "imported" else began[round_.round],
            found_at=session.found_at(round_),
            answers=session.answers_in(round_),
        )


_place = "1 for the first model with this target, 2 for the second, and so on"
_took_place = (
    "FALSE for a round that was never played: the imported table only holds its place (all rewards are 0, "
    "which no word has), and its outcomes are empty"
)
_counted = (
    "whether studyapp analyse compares models in this round: not practice, complete, and the target was "
    "completed with every model"
)
_found_at = "number of the question that found the target, the first about it; empty if it was not found"
_found = (
    "whether the target was found: the event of a survival analysis of time_to_find. FALSE means censored: "
    "the round ended before the target was found"
)
_time_to_find = (
    "time of a survival analysis: found_at if the target was found, and otherwise the number of answered "
    "questions, after which the time is censored"
)

ROUNDS: Final = Table(
    "rounds",
    "round that began",
    ("participant", "round"),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        field_column(Answered, "round", attrgetter("round.round"), least=1),
        field_column(Round, "practice", attrgetter("round.practice")),
        field_column(Round, "model", attrgetter("round.model")),
        field_column(Round, "target", attrgetter("round.target"), kind="word"),
        field_column(Round, "first", attrgetter("round.first"), kind="word"),
        Column[_Round]("place", _place, "count", attrgetter("place"), least=1),
        Column[_Round]("took_place", _took_place, "truth", attrgetter("took_place"), levels=TRUTH),
        Column[_Round]("counted", _counted, "truth", attrgetter("counted"), levels=TRUTH),
        Column[_Round]("questions", "number of answered questions", "count", _Round.questions, least=0),
        Column[_Round](
            "cumulative_reward",
            "sum of the rewards of the answered questions",
            "reward",
            _Round.cumulative_reward,
            least=0,
        ),
        Column[_Round]("found_at", _found_at, "count", attrgetter("found_at"), least=1),
        Column[_Round](
            "time_to_find", _time_to_find, "count", _Round.time_to_find, unit="questions", least=1
        ),
        Column[_Round]("found", _found, "truth", _Round.found, levels=TRUTH),
        Column[_Round]("yes", "number of yes answers", "count", _Round.yes, least=0),
        Column[_Round](
            "median_rt_ms", "median of rt_ms in the round", "number", _Round.median_rt_ms, unit="ms", least=0
        ),
        Column[_Round]("began_at", "when the round began (UTC, ISO 8601)", "moment", attrgetter("began_at")),
    ),
    _rounds,
)
