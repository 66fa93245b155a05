"""The tables of participants and of their responses to questionnaires."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum
from operator import attrgetter
from typing import Any, Final

from studyapp.session.events import Finished, Responded, Resumed, RoundBegan, Started
from studyapp.session.saved import KINDS, STATES, SavedSession
from studyapp.study.plan import Round
from studyapp.tables.columns import TRUTH, Column, Table, Value, field_column

__all__ = ["PARTICIPANTS", "RESPONSES", "minutes"]

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


def _decided(name: str) -> Callable[[SavedSession], Any]:
    """What the experimenter decided; None if the session is in no study folder."""
    return lambda opened: getattr(opened.decision, name) if opened.decision else None


def _is_excluded(opened: SavedSession) -> bool | None:
    return opened.decision.reason is not None if opened.decision else None


def _after_unblinding_of(opened: SavedSession) -> bool | None:
    return opened.decision.after_unblinding if _is_excluded(opened) and opened.decision else None


def _seed_of(opened: SavedSession) -> int | None:
    return opened.session.started.seed if opened.labels is None else None


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
_excluded = "whether the experimenter has excluded the participant from analyses"
_after_unblinding = "whether that was decided when the models were known"
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
        _Of("seed", _seed, "count", _here(_seed_of)),
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
        _Of("excluded", _excluded, "truth", _is_excluded, levels=TRUTH),
        _Of("exclusion_reason", "why the participant is excluded", "text", _decided("reason")),
        _Of("excluded_after_unblinding", _after_unblinding, "truth", _after_unblinding_of, levels=TRUTH),
        _Of("note", "what the experimenter noted about the participant", "text", _decided("note")),
        _Of("log", "file name of the log", "text", attrgetter("path.name")),
        _Of("chain", _chain, "name", attrgetter("saved.chain")),
        _Of("software", "version of studyapp that began the log", "name", _software),
    ),
    lambda opened: (opened,),
)


# Responses

_changes = "how often the answer was changed before it was confirmed; this row has the last answer"


@dataclass(frozen=True)
class _Response:
    participant: str
    round: Round | None  # the round before it
    response: Responded  # the last answer to the item
    changes: int


def _responses(opened: SavedSession) -> Iterator[_Response]:
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    for response, changes in opened.session.responses():
        yield _Response(opened.participant, rounds.get(response.after or 0), response, changes)


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
        Column("changes", _changes, "count", attrgetter("changes"), least=0),
    ),
    _responses,
)
