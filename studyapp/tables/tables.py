"""The tidy tables of saved sessions: answers, rounds, participants, responses.

Exports, their data dictionaries and the tables of an analysis all come from these declarations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from math import fsum
from operator import attrgetter
from statistics import median
from typing import Any, Final

from studyapp.session.events import Answered, Finished, Responded, Resumed, RoundBegan, Started
from studyapp.session.saved import KINDS, STATES, SavedSession
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Table, Value, field_column

__all__ = ["ANSWERS", "PARTICIPANTS", "PUBLISHED", "RESPONSES", "ROUNDS", "TABLES", "minutes"]

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


def _answers(opened: SavedSession) -> Iterator[_Answer]:
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    for answer in opened.session.answers:
        yield _Answer(opened.participant, rounds[answer.round], answer)


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

ANSWERS: Final = Table(
    "answers",
    "answer to a question",
    ("participant", "round", "question"),
    (
        *(_OF_THE_ROUND.get(name) or _answered(name) for name in PUBLISHED),
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
    began_at: str | None
    found_at: int | None
    answers: list[Answered]

    def cumulative_reward(self) -> float:
        return fsum(answer.reward for answer in self.answers)

    def yes(self) -> int:
        return sum(answer.answer == "y" for answer in self.answers)

    def median_rt_ms(self) -> float | None:
        known = [answer.rt_ms for answer in self.answers if answer.rt_ms is not None]
        return round(median(known), 2) if known else None  # the mean of two has one more digit


def _rounds(opened: SavedSession) -> Iterator[_Round]:
    """The rounds that began."""
    session = opened.session
    began = {event.round: event.at for event in opened.saved.events if isinstance(event, RoundBegan)}
    models_so_far: Counter[tuple[bool, str]] = Counter()
    for round_ in session.plan:
        if round_.round not in began:
            continue
        models_so_far[round_.practice, round_.target] += 1
        yield _Round(
            opened.participant,
            round_,
            place=models_so_far[round_.practice, round_.target],
            # An imported log has the time of its import, not of the round.
            began_at=None if opened.kind == "imported" else began[round_.round],
            found_at=session.found_at(round_),
            answers=session.answers_in(round_),
        )


_place = "1 for the first model with this target, 2 for the second, and so on"
_found_at = "number of the question that found the target, the first about it; empty if it was not found"

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
        Column[_Round](
            "questions", "number of answered questions", "count", lambda row: len(row.answers), least=0
        ),
        Column[_Round](
            "cumulative_reward",
            "sum of the rewards of the answered questions",
            "reward",
            _Round.cumulative_reward,
            least=0,
        ),
        Column[_Round]("found_at", _found_at, "count", attrgetter("found_at"), least=1),
        Column[_Round]("yes", "number of yes answers", "count", _Round.yes, least=0),
        Column[_Round](
            "median_rt_ms", "median of rt_ms in the round", "number", _Round.median_rt_ms, unit="ms", least=0
        ),
        Column[_Round]("began_at", "when the round began (UTC, ISO 8601)", "moment", attrgetter("began_at")),
    ),
    _rounds,
)


# Participants


def _here(value: Callable[[SavedSession], Value]) -> Callable[[SavedSession], Value]:
    """A value that only sessions run in studyapp have; None for imported ones."""
    return lambda opened: None if opened.kind == "imported" else value(opened)


def _finished(name: str) -> Callable[[SavedSession], Any]:
    """A field of the last event of a finished session."""
    return lambda opened: getattr(opened.session.over, name) if opened.state == "finished" else None


def minutes(opened: SavedSession) -> float | None:
    """How long a finished session was open, in all its sittings; None if it was imported."""
    if opened.state != "finished" or opened.kind == "imported":
        return None
    ends = (max(event.clock_ms or 0.0 for event in sitting) for sitting in opened.sittings())
    return round(fsum(ends) / 60_000, 2)


def _begun(opened: SavedSession) -> int:
    return sum(isinstance(event, RoundBegan) for event in opened.saved.events)


def _resumed(opened: SavedSession) -> int:
    return sum(isinstance(event, Resumed) for event in opened.saved.events)


def _late(opened: SavedSession) -> int:
    return sum(bool(answer.late) for answer in opened.session.answers)


def _software(opened: SavedSession) -> str | None:
    return opened.session.started.software.get("studyapp")


_kind = (
    "who answered: person; pilot (a person with the experimenter's view on); imported (a person, in other "
    "software); simulated (no person)"
)
_state = (
    "how far the session got: finished; incomplete; withdrawn (the participant withdrew, answers kept); "
    "deleted (the participant withdrew, answers deleted)"
)
_seed = "seed of all random draws"
_chain = "fingerprint of the log: the chain of its last event"
_duration = (
    "how long the session was open, by a stopwatch, breaks included; the time between leaving and resuming "
    "does not count"
)

_Of = Column[SavedSession]
PARTICIPANTS: Final = Table(
    "participants",
    "participant",
    ("participant",),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        _Of("kind", _kind, "name", attrgetter("kind"), levels=KINDS),
        _Of("state", _state, "name", attrgetter("state"), levels=STATES),
        _Of("title", "title of the study", "text", attrgetter("session.study.title")),
        _Of("seed", _seed, "count", _here(attrgetter("session.started.seed"))),
        _Of("words", "name or file of the word set", "text", attrgetter("session.started.words")),
        _Of(
            "started_at",
            "when the session began (UTC, ISO 8601)",
            "moment",
            _here(attrgetter("session.started.at")),
        ),
        _Of("finished_at", "when the session finished (UTC, ISO 8601)", "moment", _here(_finished("at"))),
        _Of("minutes", _duration, "number", minutes, unit="min", least=0),
        _Of("answers", "number of answers", "count", lambda opened: len(opened.session.answers), least=0),
        _Of("rounds", "number of rounds that began, practice included", "count", _begun, least=0),
        field_column(Finished, "found", _finished("found")),
        field_column(Finished, "bonus", _finished("bonus")),
        _Of("resumed", "how often the session was resumed", "count", _here(_resumed), least=0),
        _Of(
            "late",
            "number of questions that were not ready when the pause ended",
            "count",
            _here(_late),
            least=0,
        ),
        _Of("log", "file name of the log", "text", attrgetter("path.name")),
        _Of("chain", _chain, "name", attrgetter("saved.chain")),
        _Of("software", "version of studyapp that began the log", "name", _software),
    ),
    lambda opened: (opened,),
)


# Responses


@dataclass(frozen=True)
class _Response:
    participant: str
    round: Round | None  # the round before it
    response: Responded


def _responses(opened: SavedSession) -> Iterator[_Response]:
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    for event in opened.saved.events:
        if isinstance(event, Responded):
            yield _Response(opened.participant, rounds.get(event.after or 0), event)


RESPONSES: Final = Table(
    "responses",
    "answered item of a questionnaire",
    ("participant", "after", "questionnaire", "item"),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        field_column(Responded, "after", attrgetter("response.after"), least=1),
        field_column(Round, "model", lambda row: row.round and row.round.model),
        field_column(Round, "target", lambda row: row.round and row.round.target, kind="word"),
        *(
            field_column(Responded, name, attrgetter(f"response.{name}"))
            for name in ("questionnaire", "item", "value", "rt_ms", "away_ms", "at", "clock_ms")
        ),
    ),
    _responses,
)

TABLES: Final[tuple[Table[Any], ...]] = (ANSWERS, ROUNDS, PARTICIPANTS, RESPONSES)
