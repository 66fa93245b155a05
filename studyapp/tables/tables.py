"""The tidy tables of saved sessions: answers, rounds, participants, responses.

Exports, their data dictionaries and the tables of an analysis all come from these declarations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from decimal import Decimal
from itertools import accumulate, repeat
from math import fsum
from statistics import median
from typing import Any, Final

from studyapp.session.events import Answered, Finished, Responded, Resumed, RoundBegan, Started
from studyapp.session.history import counted_rounds, what_came_before
from studyapp.session.saved import KINDS, STATES, SavedSession
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Table, field_column, total

Row = Mapping[str, Any]

# The columns of the published data.  Every table of answers begins with them.
PUBLISHED: Final = (
    *("participant", "round", "practice", "model", "target"),
    *("question", "word", "answer", "reward"),
)
PARTICIPANT: Final = field_column(Started, "participant", kind="word")
TARGET: Final = field_column(Round, "target", kind="word")
MODEL: Final = field_column(Round, "model")
PRACTICE: Final = field_column(Round, "practice")


# Answers


def _answers(opened: SavedSession) -> Iterator[Row]:
    session = opened.session
    for round_ in session.plan:
        answers = session.answers_in(round_)
        took_place = session.took_place(round_)
        came_before = what_came_before(session, round_) if took_place else repeat(None)
        so_far = accumulate(Decimal(repr(answer.reward)) for answer in answers)
        for answer, before, sum_ in zip(answers, came_before, so_far, strict=False):
            yield {
                **vars(round_),
                **vars(answer),
                "participant": opened.participant,
                "asked_before": before and before.asked,
                "last_answer": before and before.last_answer,
                "found_before": before and before.found,
                "cumulative_reward": float(sum_) if took_place else None,
            }


_LIMITS: Final[Mapping[str, Any]] = {
    "round": {"least": 1},
    "question": {"least": 1},
    "word": {"kind": "word"},
    "reward": {"kind": "reward", "most": 1},
}


def _answered(name: str) -> Column:
    return field_column(Answered, name, **_LIMITS.get(name, {}))


ANSWERS: Final = Table(
    "answers",
    "answer to a question",
    ("participant", "round", "question"),
    (
        *(PARTICIPANT, _answered("round"), PRACTICE, MODEL, TARGET),
        *map(_answered, ("question", "word", "answer", "reward")),
        Column("asked_before", "whether the word was asked about earlier in the round", "truth"),
        Column(
            "last_answer",
            "the last answer to the same word earlier in the round; empty if it was not asked about",
            "name",
            levels=("y", "n"),
        ),
        Column("found_before", "whether the target was asked about earlier in the round", "truth"),
        Column(
            "cumulative_reward", "sum of the rewards in the round, up to this question", "reward", least=0
        ),
        *(
            _answered(field.name)
            for field in fields(Answered)
            if field.name not in (*PUBLISHED, "event", "clock_ms")
        ),
        _answered("clock_ms"),
    ),
    _answers,
)


# Rounds


def _rounds(opened: SavedSession) -> Iterator[Row]:
    """The rounds that began."""
    session = opened.session
    began = {event.round: event.at for event in opened.saved.events if isinstance(event, RoundBegan)}
    counted = counted_rounds(session)
    models_so_far: Counter[tuple[bool, str]] = Counter()
    for round_ in session.plan:
        if round_.round not in began:
            continue
        models_so_far[round_.practice, round_.target] += 1
        answers, took_place = session.answers_in(round_), session.took_place(round_)
        times = [answer.rt_ms for answer in answers if answer.rt_ms is not None]
        found_at = session.found_at(round_)
        outcomes = {
            "questions": len(answers),
            "cumulative_reward": total(answer.reward for answer in answers),
            "time_to_find": found_at or len(answers) or None,
            "found": found_at is not None if answers else None,
            "yes": sum(answer.answer == "y" for answer in answers),
        }
        yield {
            **vars(round_),
            **(outcomes if took_place else dict.fromkeys(outcomes)),
            "participant": opened.participant,
            "place": models_so_far[round_.practice, round_.target],
            "took_place": took_place,
            "counted": round_.round in counted,
            "found_at": found_at,
            "median_rt_ms": round(median(times), 2) if times else None,  # the mean of two has one more digit
            # An imported log has the time of its import, not of the round.
            "began_at": None if opened.kind == "imported" else began[round_.round],
        }


_took_place = (
    "FALSE for a round that was never played: the imported table only holds its place (all rewards are 0, "
    "which no word has), and its outcomes are empty"
)
_counted = (
    "whether studyapp analyse compares models in this round: not practice, complete, and the target was "
    "completed with every model"
)
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
        *(PARTICIPANT, _answered("round"), PRACTICE, MODEL, TARGET),
        field_column(Round, "first", kind="word"),
        Column(
            "place", "1 for the first model with this target, 2 for the second, and so on", "count", least=1
        ),
        Column("took_place", _took_place, "truth"),
        Column("counted", _counted, "truth"),
        Column("questions", "number of answered questions", "count", least=0),
        Column("cumulative_reward", "sum of the rewards of the answered questions", "reward", least=0),
        Column(
            "found_at",
            "number of the question that found the target, the first about it; empty if it was not found",
            "count",
            least=1,
        ),
        Column("time_to_find", _time_to_find, "count", unit="questions", least=1),
        Column("found", _found, "truth"),
        Column("yes", "number of yes answers", "count", least=0),
        Column("median_rt_ms", "median of rt_ms in the round", "number", unit="ms", least=0),
        Column("began_at", "when the round began (UTC, ISO 8601)", "moment"),
    ),
    _rounds,
)


# Participants


def minutes(opened: SavedSession) -> float | None:
    """How long a finished session was open, in all its sittings; None if it was imported."""
    if opened.state != "finished" or opened.kind == "imported":
        return None
    ends = (max(event.clock_ms or 0.0 for event in sitting) for sitting in opened.sittings())
    return round(fsum(ends) / 60_000, 2)


def _participants(opened: SavedSession) -> Iterator[Row]:
    session, events, started = opened.session, opened.saved.events, opened.session.started
    here = {  # what only sessions run in studyapp have
        "seed": None if opened.labels else started.seed,
        "started_at": started.at,
        "finished_at": session.over.at if isinstance(session.over, Finished) else None,
        "resumed": sum(isinstance(event, Resumed) for event in events),
        "late": sum(bool(answer.late) for answer in session.answers),
    }
    decision = opened.decision  # None if the session is in no study folder
    excluded = decision and decision.reason is not None
    yield {
        **(dict.fromkeys(here) if opened.kind == "imported" else here),
        "participant": opened.participant,
        "kind": opened.kind,
        "state": opened.state,
        "title": session.study.title,
        "words": started.words,
        "minutes": minutes(opened),
        "answers": len(session.answers),
        "rounds": sum(isinstance(event, RoundBegan) for event in events),
        "found": session.over.found if isinstance(session.over, Finished) else None,
        "bonus": session.over.bonus if isinstance(session.over, Finished) else None,
        "excluded": excluded,
        "exclusion_reason": decision and decision.reason,
        "excluded_after_unblinding": decision.after_unblinding if decision and excluded else None,
        "note": decision and decision.note,
        "log": opened.path.name,
        "chain": opened.saved.chain,
        "software": started.software.get("studyapp"),
    }


_kind = (
    "who answered: person; pilot (a person with the experimenter's view on); imported (a person, in other "
    "software); simulated (no person)"
)
_state = (
    "how far the session got: finished; incomplete; withdrawn (the participant withdrew, answers kept); "
    "deleted (the participant withdrew, answers deleted)"
)
_excluded = "whether the experimenter has excluded the participant from analyses"
_duration = (
    "how long the session was open, by a stopwatch, breaks included; the time between leaving and resuming "
    "does not count"
)

PARTICIPANTS: Final = Table(
    "participants",
    "participant",
    ("participant",),
    (
        PARTICIPANT,
        Column("kind", _kind, "name", levels=KINDS),
        Column("state", _state, "name", levels=STATES),
        Column("title", "title of the study", "text"),
        Column("seed", "seed of all random draws", "count"),
        Column("words", "name or file of the word set", "text"),
        Column("started_at", "when the session began (UTC, ISO 8601)", "moment"),
        Column("finished_at", "when the session finished (UTC, ISO 8601)", "moment"),
        Column("minutes", _duration, "number", unit="min", least=0),
        Column("answers", "number of answers", "count", least=0),
        Column("rounds", "number of rounds that began, practice included", "count", least=0),
        field_column(Finished, "found"),
        field_column(Finished, "bonus"),
        Column("resumed", "how often the session was resumed", "count", least=0),
        Column("late", "number of questions that were not ready when the pause ended", "count", least=0),
        Column("excluded", _excluded, "truth"),
        Column("exclusion_reason", "why the participant is excluded", "text"),
        Column("excluded_after_unblinding", "whether that was decided when the models were known", "truth"),
        Column("note", "what the experimenter noted about the participant", "text"),
        Column("log", "file name of the log", "text"),
        Column("chain", "fingerprint of the log: the chain of its last event", "name"),
        Column("software", "version of studyapp that began the log", "name"),
    ),
    _participants,
)


# Responses


def _responses(opened: SavedSession) -> Iterator[Row]:
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    for response, changes in opened.session.responses():
        before = rounds.get(response.after or 0)
        yield {
            **vars(response),
            "participant": opened.participant,
            "model": before and before.model,
            "target": before and before.target,
            "changes": changes,
        }


_changes = "how often the answer was changed before it was confirmed; this row has the last answer"

RESPONSES: Final = Table(
    "responses",
    "answered item of a questionnaire",
    ("participant", "after", "questionnaire", "item"),
    (
        PARTICIPANT,
        field_column(Responded, "after", least=1),
        *(MODEL, TARGET),
        *(
            field_column(Responded, name)
            for name in ("questionnaire", "item", "value", "rt_ms", "away_ms", "at", "clock_ms")
        ),
        Column("changes", _changes, "count", least=0),
    ),
    _responses,
)

TABLES: Final = (ANSWERS, ROUNDS, PARTICIPANTS, RESPONSES)
