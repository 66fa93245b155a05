"""A table of answers in the format of the published data: read from CSV and checked line by line."""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Literal, NamedTuple

from core.errors import FileError, SettingError
from core.files import ordinary, text_lines
from core.wording import counted, did_you_mean, printable
from studyapp.session.ids import check_id
from studyapp.study.loaded import LoadedStudy
from studyapp.tables.tables import ANSWERS, PUBLISHED

LONGEST_LINE = 4_000  # bytes: two long words, and the other columns of an export
MOST_LINES = 500_001  # a header, and as many answers as fit in memory
ZIP = b"PK\x03\x04"
WHOLE = re.compile(r"[1-9][0-9]{0,8}")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


class OtherStudyError(FileError):
    """The table has a model or a word that the study does not have."""


class _NotInStudyError(SettingError):
    """The same for one row, before its line is known."""


class Answer(NamedTuple):
    """A word, the answer and the reward."""

    word: str
    answer: Literal["y", "n"]
    reward: float


class _Row(NamedTuple):
    participant: str
    round: int
    practice: bool
    model: str
    target: str
    question: int
    answer: Answer


@dataclass(slots=True)
class TableRound:
    """A round, with its first line."""

    line: int
    practice: bool
    model: str
    target: str
    answers: list[Answer] = field(default_factory=list)


@dataclass(slots=True)
class Person:
    """A participant, with the line of the first answer."""

    participant: str
    line: int
    rounds: list[TableRound] = field(default_factory=list)


@dataclass(frozen=True)
class AnswerTable:
    """All answers of a file."""

    path: Path
    sha256: str
    people: list[Person]
    questions: int  # per round


def read(path: Path, loaded: LoadedStudy) -> AnswerTable:
    """Read a table with the models and words of a study.

    Raises a FileError at the first faulty line, which is an OtherStudyError if another study may have it.
    """
    with ordinary(path) as file:
        if file.read(len(ZIP)) == ZIP:
            problem = "this is a spreadsheet or an archive, not a CSV file; save the table as CSV in UTF-8"
            raise FileError(path, problem)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        people = _people(path, file, loaded)
    return AnswerTable(path, sha256, people, _questions(path, people))


def _people(path: Path, file: BufferedReader, loaded: LoadedStudy) -> list[Person]:
    models, words = list(loaded.study.models), {word: word for word in loaded.vocabulary.words}
    people: dict[str, Person] = {}  # by ID in small letters: some disks ignore case in file names
    for line, cells in _rows(path, file):
        try:
            _add(people, _row(cells, models, words), line)
        except SettingError as error:
            kind = OtherStudyError if isinstance(error, _NotInStudyError) else FileError
            raise kind(path, printable(str(error)), where=f"line {line}") from None
    if not people:
        raise FileError(path, "the table has a header but no rows; it needs one row per answer")
    return list(people.values())


def _rows(path: Path, file: BufferedReader) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header: line number, and cells in the order of the published columns."""
    order: list[int] = []
    for line, text in text_lines(path, file, longest=LONGEST_LINE, most=MOST_LINES):
        if not text.strip():
            continue
        where = f"line {line}"
        try:
            cells = next(csv.reader([text], strict=True))
        except csv.Error as error:
            problem = f'this is not valid CSV ({error}); is there a missing or an extra quote (")?'
            raise FileError(path, problem, where=where) from None
        if not order:
            try:
                _check_header(cells)
            except SettingError as error:
                raise FileError(path, printable(str(error)), where=where) from None
            order = [cells.index(name) for name in PUBLISHED]
            columns = len(cells)
        elif len(cells) != columns:
            problem = f"this row has {counted(len(cells), 'cell')}, but the table has {columns} columns"
            raise FileError(path, problem, where=where)
        else:
            yield line, [cells[place] for place in order]
    if not order:
        raise FileError(path, "the file is empty")


def _check_header(names: Sequence[str]) -> None:
    needed = f"the columns must be {','.join(PUBLISHED)}"
    if len(names) == 1 and (sign := re.search("[;\t]", names[0])):
        raise SettingError(f"the cells are separated by {sign[0]!r}; save the table with commas instead")
    if not set(names) & set(PUBLISHED):
        raise SettingError(f"the header is missing; {needed}")
    for name in names:
        if name not in ANSWERS.header:  # the other columns of an export are ignored
            raise SettingError(f"unknown column {name!r}{did_you_mean(name, PUBLISHED)}; {needed}")
        if names.count(name) > 1:
            raise SettingError(f"the column {name!r} appears twice; remove one of them")
    for name in PUBLISHED:
        if name not in names:
            raise SettingError(f"the column {name!r} is missing; {needed}")


def _row(cells: Sequence[str], models: Sequence[str], words: Mapping[str, str]) -> _Row:
    participant, number, practice, model, target, question, word, answer, reward = cells
    # An export puts an apostrophe before a text that a spreadsheet would run as a formula.
    target, word = (text if text in words else text.removeprefix("'") for text in (target, word))
    check_id(participant)
    if practice.lower() not in ("true", "false"):
        raise SettingError(f"practice is {practice!r}; it must be TRUE or FALSE")
    if model not in models:
        guess = did_you_mean(model, models)
        raise _NotInStudyError(f"model is {model!r}{guess}; the models of the study are {', '.join(models)}")
    for name, given in (("target", target), ("word", word)):
        if given not in words:
            guess = did_you_mean(given, words)
            raise _NotInStudyError(f"{name} is {given!r}, which is not in the study's word set{guess}")
    if answer not in ("y", "n"):
        raise SettingError(f"answer is {answer!r}; it must be y or n")
    return _Row(
        participant,
        _whole("round", number),
        practice.lower() == "true",
        model,
        words[target],  # the same text for all answers, and not a copy for each
        _whole("question", question),
        Answer(words[word], "y" if answer == "y" else "n", _reward(reward)),
    )


def _whole(name: str, cell: str) -> int:
    if not WHOLE.fullmatch(cell):
        raise SettingError(f"{name} is {cell!r}; it must be a whole number from 1, such as 7")
    return int(cell)


def _reward(cell: str) -> float:
    if cell.strip("+-").lower() in ("nan", "inf", "infinity"):
        raise SettingError(f"reward is {cell!r}; it must be a finite number")
    if not NUMBER.fullmatch(cell):
        raise SettingError(f"reward is {cell!r}; it must be a number, such as 0.072807")
    if not 0 <= (reward := float(cell)) <= 1:
        raise SettingError(f"reward is {cell!r}; it must be from 0 to 1")
    return math.fabs(reward)  # -0 is 0


def _add(people: dict[str, Person], row: _Row, line: int) -> None:
    """Add an answer to its round; raises a SettingError if it does not follow the row before it."""
    name = row.participant
    person = people.get(name.lower()) or people.setdefault(name.lower(), Person(name, line))
    if person.participant != name:
        problem = f"{name!r} and {person.participant!r} (line {person.line}) differ only in capital letters"
        raise SettingError(f"{problem}, and some disks can't hold both logs; rename one")
    if person is not next(reversed(people.values())):
        problem = f"the rows of {name!r} begin on line {person.line}, but rows of others come in between"
        raise SettingError(f"{problem}; put them together, or rename one of the two participants")
    rounds = person.rounds
    if row.round == len(rounds) + 1:
        rounds.append(TableRound(line, row.practice, row.model, row.target))
    elif row.round != len(rounds):
        expected = f"{len(rounds)} or {len(rounds) + 1}" if rounds else "1"
        problem = f"round is {row.round}; expected {expected}"
        raise SettingError(f"{problem} (each participant's rounds count from 1, without gaps)")
    round_ = rounds[-1]
    for column in ("practice", "model", "target"):
        if (now := getattr(row, column)) != (before := getattr(round_, column)):
            problem = f"{column} is {_cell(now)}, but it is {_cell(before)} on line {round_.line}"
            raise SettingError(f"{problem}, where round {row.round} begins; it must not change in a round")
    if row.question != len(round_.answers) + 1:
        problem = f"question is {row.question}; expected {len(round_.answers) + 1}"
        raise SettingError(f"{problem} (each round's questions count from 1, without gaps)")
    round_.answers.append(row.answer)


def _cell(value: str | bool) -> str:
    return str(value).upper() if isinstance(value, bool) else repr(value)


def _questions(path: Path, people: Sequence[Person]) -> int:
    """The number of questions per round; only the last round of a participant may have fewer."""
    most = max(len(round_.answers) for person in people for round_ in person.rounds)
    for person in people:
        for number, round_ in enumerate(person.rounds[:-1], start=1):
            if len(round_.answers) < most:
                problem = (
                    f"round {number} of {person.participant} has {counted(len(round_.answers), 'question')}, "
                    f"but the longest round has {most}; only a participant's last round may have fewer. Add "
                    "the missing questions, or import rounds of different lengths from separate files"
                )
                raise FileError(path, problem, where=f"line {round_.line}")
    return most
