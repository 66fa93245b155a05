"""The tidy tables of saved sessions: answers, rounds, participants, responses.

Exports, their data dictionary and the tables of an analysis are all made from these declarations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from math import fsum
from operator import attrgetter
from statistics import median
from typing import Any, Final

from studyapp.session.events import Answered, Finished, Responded, Resumed, RoundBegan, Started
from studyapp.session.saved import KINDS, STATES, SavedSession
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Table, Value, field_column

__all__ = ["ANSWERS", "PARTICIPANTS", "PUBLISHED", "RESPONSES", "ROUNDS", "TABLES", "minutes"]

# The columns of the published data, with which every table of answers begins.
PUBLISHED: Final = (
    *("participant", "round", "practice", "model", "target"),
    *("question", "word", "answer", "reward"),
)


# Answers


@dataclass(frozen=True)
class _Answer:
    participant: str
    played: Round
    answer: Answered


def _answers(opened: SavedSession) -> Iterator[_Answer]:
    played = {each.round: each for each in opened.session.plan}
    for answer in opened.session.answers:
        yield _Answer(opened.participant, played[answer.round], answer)


def _answered(name: str) -> Column[_Answer]:
    return field_column(Answered, name, attrgetter(f"answer.{name}"), **_LIMITS.get(name, {}))


_LIMITS: Final[Mapping[str, Any]] = {
    "round": {"least": 1},
    "question": {"least": 1},
    "word": {"kind": "word"},
    "reward": {"kind": "reward", "most": 1},
}
_OF_THE_ROUND: Final[Mapping[str, Column[_Answer]]] = {
    "participant": field_column(Started, "participant", attrgetter("participant"), kind="word"),
    "practice": field_column(Round, "practice", attrgetter("played.practice")),
    "model": field_column(Round, "model", attrgetter("played.model")),
    "target": field_column(Round, "target", attrgetter("played.target"), kind="word"),
}

ANSWERS: Final = Table(
    "answers",
    "an answer to a question",
    ("participant", "round", "question"),
    (
        *(_OF_THE_ROUND.get(name) or _answered(name) for name in PUBLISHED),
        *(_answered(each.name) for each in fields(Answered) if each.name not in (*PUBLISHED, "event")),
    ),
    _answers,
)


# Rounds


@dataclass(frozen=True)
class _Played:
    participant: str
    played: Round
    place: int
    began_at: str | None
    answers: list[Answered]

    def found_at(self) -> int | None:
        return next((each.question for each in self.answers if each.word == self.played.target), None)

    def yes(self) -> int:
        return sum(each.answer == "y" for each in self.answers)

    def median_rt_ms(self) -> float | None:
        known = [each.rt_ms for each in self.answers if each.rt_ms is not None]
        return round(median(known), 2) if known else None  # the mean of two has a digit more than they


def _rounds(opened: SavedSession) -> Iterator[_Played]:
    """The rounds that were begun."""
    answers: dict[int, list[Answered]] = {}
    for answer in opened.session.answers:
        answers.setdefault(answer.round, []).append(answer)
    began = {each.round: each.at for each in opened.saved.events if isinstance(each, RoundBegan)}
    seen: Counter[tuple[bool, str]] = Counter()
    for played in opened.session.plan:
        if played.round in began:
            seen[played.practice, played.target] += 1
            place = seen[played.practice, played.target]
            # An imported log has the time of its import, and not of what happened.
            began_at = None if opened.kind == "imported" else began[played.round]
            yield _Played(opened.participant, played, place, began_at, answers.get(played.round, []))


_place = "1 for the model that was the first with this target, 2 for the second, and so on"
_found_at = "question at which the target was first asked about; none if it never was"

ROUNDS: Final = Table(
    "rounds",
    "a round that was begun",
    ("participant", "round"),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        field_column(Answered, "round", attrgetter("played.round"), least=1),
        field_column(Round, "practice", attrgetter("played.practice")),
        field_column(Round, "model", attrgetter("played.model")),
        field_column(Round, "target", attrgetter("played.target"), kind="word"),
        field_column(Round, "first", attrgetter("played.first"), kind="word"),
        Column[_Played]("place", _place, "count", attrgetter("place"), least=1),
        Column[_Played]("questions", "questions answered", "count", lambda row: len(row.answers), least=0),
        Column[_Played](
            "cumulative_reward",
            "sum of the rewards of the questions answered",
            "reward",
            lambda row: fsum(each.reward for each in row.answers),
            least=0,
        ),
        Column[_Played]("found_at", _found_at, "count", _Played.found_at, least=1),
        Column[_Played]("yes", "answers y", "count", _Played.yes, least=0),
        Column[_Played](
            "median_rt_ms", "median of rt_ms in the round", "number", _Played.median_rt_ms, unit="ms", least=0
        ),
        Column[_Played]("began_at", "when the round began (UTC, ISO 8601)", "moment", attrgetter("began_at")),
    ),
    _rounds,
)


# Participants


def _here(value: Callable[[SavedSession], Value]) -> Callable[[SavedSession], Value]:
    """What is known of sessions that ran in studyapp, and of no imported one."""
    return lambda opened: None if opened.kind == "imported" else value(opened)


def _finished(name: str) -> Callable[[SavedSession], Any]:
    """What the last event of a finished session tells."""
    return lambda opened: getattr(opened.session.over, name) if opened.state == "finished" else None


def minutes(opened: SavedSession) -> float | None:
    """How long a finished session took; nobody knows of an imported one."""
    began, ended = opened.session.started.at, _finished("at")(opened)
    if ended is None or opened.kind == "imported":
        return None
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds() / 60, 2)


def _begun(opened: SavedSession) -> int:
    return sum(isinstance(event, RoundBegan) for event in opened.saved.events)


def _resumed(opened: SavedSession) -> int:
    return sum(isinstance(event, Resumed) for event in opened.saved.events)


def _late(opened: SavedSession) -> int:
    return sum(bool(answer.late) for answer in opened.session.answers)


def _software(opened: SavedSession) -> str | None:
    return opened.session.started.software.get("studyapp")


_kind = (
    "who answered: a person; a person with the experimenter's view on (pilot); a person elsewhere, not in "
    "studyapp (imported); nobody (simulated)"
)
_state = (
    "how far the session got; withdrawn: the participant withdrew and left the answers; deleted: withdrew, "
    "and the answers were deleted"
)
_seed = "seed of all that was drawn at random"
_chain = "fingerprint of the log: the chain of its last event"
_duration = "from the beginning to the end by the wall clock, whatever pauses there were"

_Of = Column[SavedSession]
PARTICIPANTS: Final = Table(
    "participants",
    "a participant and the log of the session",
    ("participant",),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        _Of("kind", _kind, "name", attrgetter("kind"), levels=KINDS),
        _Of("state", _state, "name", attrgetter("state"), levels=STATES),
        _Of("title", "title of the study", "text", attrgetter("session.study.title")),
        _Of("seed", _seed, "count", _here(attrgetter("session.started.seed"))),
        _Of("words", "word set: its name, or its file", "text", attrgetter("session.started.words")),
        _Of(
            "started_at",
            "when the session began (UTC, ISO 8601)",
            "moment",
            _here(attrgetter("session.started.at")),
        ),
        _Of("finished_at", "when it was finished (UTC, ISO 8601)", "moment", _here(_finished("at"))),
        _Of("minutes", _duration, "number", minutes, unit="min"),
        _Of("answers", "answers given", "count", lambda opened: len(opened.session.answers), least=0),
        _Of("rounds", "rounds begun, practice included", "count", _begun, least=0),
        field_column(Finished, "found", _finished("found")),
        field_column(Finished, "bonus", _finished("bonus")),
        _Of("resumed", "times the session was gone on with", "count", _here(_resumed), least=0),
        _Of("late", "questions not ready when the pause was over", "count", _here(_late), least=0),
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
    played: Round | None  # the round it was asked after
    response: Responded


def _responses(opened: SavedSession) -> Iterator[_Response]:
    played = {each.round: each for each in opened.session.plan}
    for event in opened.saved.events:
        if isinstance(event, Responded):
            yield _Response(opened.participant, played.get(event.after or 0), event)


RESPONSES: Final = Table(
    "responses",
    "an item of a questionnaire that was answered",
    ("participant", "after", "questionnaire", "item"),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        field_column(Responded, "after", attrgetter("response.after"), least=1),
        field_column(Round, "model", lambda row: row.played and row.played.model),
        field_column(Round, "target", lambda row: row.played and row.played.target, kind="word"),
        *(
            field_column(Responded, name, attrgetter(f"response.{name}"))
            for name in ("questionnaire", "item", "value", "rt_ms", "away_ms", "at")
        ),
    ),
    _responses,
)

TABLES: Final[tuple[Table[Any], ...]] = (ANSWERS, ROUNDS, PARTICIPANTS, RESPONSES)
