"""Answers that were given elsewhere become session logs, marked as imported.

A log holds what the table tells and nothing else: what it does not tell (times, keys, the learner's state)
stays empty, and rewards are taken as they are.  All of a table is checked before anything is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FileError, SettingError
from core.files import replacing
from studyapp.base.clock import SystemClock, iso
from studyapp.base.documents import printable
from studyapp.base.environment import here
from studyapp.base.outputs import make_folder
from studyapp.session import log
from studyapp.session.events import Answered, Event, Imported, RoundBegan, Started, as_mapping
from studyapp.session.ids import log_path
from studyapp.session.saved import open_session
from studyapp.session.session import End, Session
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy, Study
from studyapp.tables.answer_table import AnswerTable, Person

__all__ = ["ImportedLogs", "write_logs"]


@dataclass(frozen=True)
class ImportedLogs:
    """What came of a table."""

    participants: int
    new: int  # logs that were not there before
    incomplete: list[str]  # participants with too few questions in the last round


def write_logs(table: AnswerTable, loaded: LoadedStudy, sessions: Path) -> ImportedLogs:
    """A log for every participant of a table; one that was imported before stays as it is."""
    at = iso(SystemClock().now())
    new, incomplete = [], []
    for person in table.people:
        events = _events(table, person, loaded, at)
        if events[-1].event != "finished":
            incomplete.append(person.participant)
        if not _is_there(log_path(sessions, person.participant), events):
            new.append(person)
    make_folder(sessions)
    for person in new:
        _write(log_path(sessions, person.participant), _events(table, person, loaded, at))
    return ImportedLogs(len(table.people), len(new), incomplete)


def _events(table: AnswerTable, person: Person, loaded: LoadedStudy, at: str) -> list[Event]:
    """The log of a participant, checked as if the session ran."""
    started = Started(
        participant=person.participant,
        at=at,
        **here(),
        simulated=False,
        teacher=None,
        pilot=False,
        imported=Imported(table.path.name, table.sha256, person.line),
        words=loaded.study.words,
        words_sha256=loaded.vocabulary.sha256,
        seed=loaded.study.seed,
        study=_study(loaded.study, person, table.questions).record(),
        plan=[
            Round(number, played.practice, played.model, played.target, played.answers[0].word)
            for number, played in enumerate(person.rounds, start=1)
        ],
    )
    events: list[Event] = [started]
    try:
        session = Session(started)
        for event in _course(person, at):
            session.apply(event)
            events.append(event)
    except SettingError as error:
        raise FileError(table.path, printable(str(error)), where=f"line {person.line}") from None
    if isinstance(session.step, End):
        events.append(session.finished(at))
    if len(log.written(events)) > log.LARGEST_LOG:
        problem = f"{person.participant} has {len(session.answers):,} answers, more than a log has room for"
        raise FileError(table.path, problem, where=f"line {person.line}")
    return events


def _study(study: Study, person: Person, questions: int) -> Study:
    """A study with what the data tell, and without what they do not."""
    targets = list(dict.fromkeys(played.target for played in person.rounds if not played.practice))
    practice = list(dict.fromkeys(played.target for played in person.rounds if played.practice))
    return study.model_copy(
        update={
            "questions": questions,
            "targets": targets or study.targets,  # none, where the practice broke off
            "practice": practice,
            "order": "fixed",
            "consent": None,
            "instructions": [],
            "questionnaires": {},
            "after_round": [],
            "at_end": [],
            "breaks": None,
            "bonus": None,
        }
    )


def _course(person: Person, at: str) -> Iterator[Event]:
    for number, played in enumerate(person.rounds, start=1):
        yield RoundBegan(number, at)
        for question, (word, answer, reward) in enumerate(played.answers, start=1):
            yield Answered(
                round=number,
                question=question,
                word=word,
                answer=answer,
                reward=reward,
                shown_at=None,
                rt_ms=None,
                first_choice_ms=None,
                last_choice_ms=None,
                compute_ms=None,
                delay_ms=None,
                late=None,
                changes=None,
                stray_keys=None,
                away_ms=None,
                digest=None,
                converged=None,
            )


def _is_there(path: Path, events: Sequence[Event]) -> bool:
    """Was this imported before?  Any other log in its place is refused."""
    if not os.path.lexists(path):
        return False
    there = open_session(path)
    if _content(there.saved.events) != _content(events):
        problem = f"there is a log already, and it is not the same import ({there.kind}, {there.state})"
        raise FileError(path, f"{problem}; take another folder (--sessions)")
    return True


def _content(events: Sequence[Event]) -> list[dict[str, Any]]:
    """All but when, where and from a file of which name it was imported."""
    mappings = [as_mapping(event) for event in events]
    for mapping in mappings:
        for name in ("at", "host", "process", "software"):
            mapping.pop(name, None)
    if mappings[0]["imported"]:
        del mappings[0]["imported"]["file"]
    return mappings


def _write(path: Path, events: Sequence[Event]) -> None:
    with replacing(path) as file:
        Path(file.name).chmod(0o600)  # data about people are for their owner alone
        file.write(log.written(events))
