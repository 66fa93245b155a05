"""Session logs from a table of answers that were given elsewhere, marked as imported.

A log holds what the table contains and nothing more.  Times, keys and the learner's state stay empty, and
rewards are kept as they are.  The whole table is checked before anything is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FileError, SettingError
from core.files import replacing
from core.wording import printable
from studyapp.base.clock import SystemClock, iso
from studyapp.base.environment import here
from studyapp.base.outputs import make_folder
from studyapp.session.answers import imported_answer
from studyapp.session.events import Answered, Event, Imported, RoundBegan, Started, as_mapping
from studyapp.session.ids import check_case, log_path
from studyapp.session.log_format import encode
from studyapp.session.saved import SavedSession, open_session
from studyapp.session.session import End, Session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round
from studyapp.study.study import Study
from studyapp.tables.answer_table import AnswerTable, Person


@dataclass(frozen=True)
class ImportedLogs:
    """The logs of a table."""

    participants: int
    new: int  # logs that did not exist before
    incomplete: list[str]  # participants with too few questions in the last round
    unused: list[str]  # models of the study that nobody in the table had


def write_logs(table: AnswerTable, loaded: LoadedStudy, sessions: Path, *, study: str | None) -> ImportedLogs:
    """Write a log for every participant in a table; a log from the same import before is kept as it is.

    ``study`` is the name of the study that the data are from.  If it is None, the loaded study only says
    which models and words there are.
    """
    at = iso(SystemClock().now())
    new, incomplete = [], []
    check_case(sessions, [person.participant for person in table.people])
    for person in table.people:
        events = _events(table, person, loaded, at, study)
        if events[-1].event != "finished":
            incomplete.append(person.participant)
        if not _imported_before(log_path(sessions, person.participant), events):
            new.append(person)
    make_folder(sessions)
    for person in new:
        _write(log_path(sessions, person.participant), _events(table, person, loaded, at, study))
    used = {round_.model for person in table.people for round_ in person.rounds}
    unused = [model for model in loaded.study.models if model not in used]
    return ImportedLogs(len(table.people), len(new), incomplete, unused)


def source_difference(opened: SavedSession, loaded: LoadedStudy, table: AnswerTable) -> str | None:
    """Where an imported log is not what this table gives; None if it is, in every answer and reward."""
    started, name = opened.session.started, table.path.name
    assert started.imported is not None
    person = next((one for one in table.people if one.participant == started.participant), None)
    if person is None:
        return f"{started.participant} is not in {name}"
    expected = _events(table, person, loaded, started.at, started.imported.study)
    for number, (ours, line) in enumerate(zip(opened.saved.events, opened.saved.lines, strict=True)):
        if number >= len(expected):
            return f"line {line}: {name} ends before this event"
        if number == 0:
            assert isinstance(expected[0], Started)
            if (started.plan, started.study) != (expected[0].plan, expected[0].study):
                return f"line 1: the plan or the study is not that of {name}"
        elif ours != expected[number]:
            return f"line {line}: {_in_words(ours)}, but {_in_words(expected[number])} in {name}"
    if len(expected) > len(opened.saved.events):
        return f"the log ends too early: {_in_words(expected[len(opened.saved.events)])} is next in {name}"
    return None


def _in_words(event: Event) -> str:
    if not isinstance(event, Answered):
        return repr(event.event)
    where = f"question {event.question} of round {event.round}"
    return f"{where} is {event.word!r} with the answer {event.answer} and the reward {event.reward}"


def _events(
    table: AnswerTable, person: Person, loaded: LoadedStudy, at: str, study: str | None
) -> list[Event]:
    """The events of a participant's log, checked by the same fold that runs a session."""
    started = Started(
        participant=person.participant,
        at=at,
        **here(),
        simulated=False,
        teacher=None,
        people_sha256=None,
        pilot=False,
        imported=Imported(table.path.name, table.sha256, person.line, study),
        words=loaded.study.words,
        words_sha256=loaded.vocabulary.sha256,
        seed=loaded.study.seed,
        study=_study(loaded.study, person, table.questions).record(),
        plan=[
            Round(number, round_.practice, round_.model, round_.target, round_.answers[0].word)
            for number, round_ in enumerate(person.rounds, start=1)
        ],
    )
    events: list[Event] = [started]
    try:
        session = Session(started)
        for event in _rounds(person, at):
            session.apply(event)
            events.append(event)
    except SettingError as error:
        raise FileError(table.path, printable(str(error)), where=f"line {person.line}") from None
    if isinstance(session.step, End):
        events.append(session.finished(at))
    return events


def _study(study: Study, person: Person, questions: int) -> Study:
    """The study with the rounds of the data, and without the pages that a table does not contain."""
    targets = list(dict.fromkeys(round_.target for round_ in person.rounds if not round_.practice))
    practice = list(dict.fromkeys(round_.target for round_ in person.rounds if round_.practice))
    return study.model_copy(
        update={
            "questions": questions,
            "targets": targets or study.targets,  # none if the data end in practice
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


def _rounds(person: Person, at: str) -> Iterator[Event]:
    for number, round_ in enumerate(person.rounds, start=1):
        yield RoundBegan(number, at)
        for question, (word, answer, reward) in enumerate(round_.answers, start=1):
            yield imported_answer(number, question, word, answer, reward)


def _imported_before(path: Path, events: Sequence[Event]) -> bool:
    """Whether this log exists from the same import; raises a FileError if it is any other log."""
    if not os.path.lexists(path):
        return False
    existing = open_session(path)
    if _content(existing.saved.events) != _content(events):
        problem = f"a different log with this name exists ({existing.kind}, {existing.state})"
        raise FileError(path, f"{problem}; choose another folder with --sessions")
    return True


def _content(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Everything except when, where and from which file name it was imported."""
    mappings = [as_mapping(event) for event in events]
    for mapping in mappings:
        for name in ("at", "host", "process", "software"):
            mapping.pop(name, None)
    if mappings[0]["imported"]:
        del mappings[0]["imported"]["file"]
    return mappings


def _write(path: Path, events: Sequence[Event]) -> None:
    with replacing(path) as file:
        file.write(encode(events))
