"""A table of answers, as the published data have it: read from CSV and checked, each fault with its line."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from core.checks import did_you_mean
from core.errors import FileError, SettingError
from core.files import explained
from studyapp.base.documents import printable
from studyapp.session.ids import check_id
from studyapp.study.study import LoadedStudy
from studyapp.tables.tables import ANSWERS, PUBLISHED

__all__ = ["Answer", "AnswerTable", "Person", "PlayedRound", "read"]

LARGEST = 200_000_000  # bytes: four million answers
LONGEST_LINE = 2_000  # characters
MOST_ROUNDS = 40_000  # every target, as practice too, with as many models as there may be
MOST_QUESTIONS = 1_000  # of a round, as in a study file
ZIP = b"PK\x03\x04"
WHOLE = re.compile(r"[1-9][0-9]{0,8}")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


class Answer(NamedTuple):
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


@dataclass
class PlayedRound:
    """A round, with the line on which it begins."""

    line: int
    practice: bool
    model: str
    target: str
    answers: list[Answer] = field(default_factory=list)


@dataclass
class Person:
    """A participant, with the line of the first answer."""

    participant: str
    line: int
    rounds: list[PlayedRound] = field(default_factory=list)


@dataclass(frozen=True)
class AnswerTable:
    """What a file holds."""

    path: Path
    sha256: str
    people: list[Person]
    questions: int  # of a round


def read(path: Path, loaded: LoadedStudy) -> AnswerTable:
    """Read a table, whose models and words are those of a study; a FileError tells what is wrong with it."""
    with explained(path), path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    models, words = list(loaded.study.models), frozenset(loaded.vocabulary.words)
    people: dict[str, Person] = {}  # by the name of the log, on a disk that knows no small letters
    for line, cells in _lines_of_cells(path, _text(path, raw)):
        try:
            _add(people, _row(cells, models, words), line)
        except SettingError as error:
            raise FileError(path, printable(str(error)), where=f"line {line}") from None
    if not people:
        raise FileError(path, "there is nothing below the header; a table has one row an answer")
    questions = _questions(path, list(people.values()))
    return AnswerTable(path, hashlib.sha256(raw).hexdigest(), list(people.values()), questions)


def _text(path: Path, raw: bytes) -> str:
    cure = "save the table as CSV in UTF-8"
    if len(raw) > LARGEST:
        raise FileError(path, f"it is larger than {LARGEST:,} bytes; import it in parts")
    if raw.startswith(ZIP):
        raise FileError(path, f"this is a workbook or another archive, not a table in text; {cure}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"this is not UTF-8 text; {cure}", where=f"line {line}") from None
    if (nul := raw.find(b"\0")) >= 0:
        line = raw.count(b"\n", 0, nul) + 1
        raise FileError(path, f"there is a NUL byte: a binary or damaged file; {cure}", where=f"line {line}")
    if not text.strip():
        raise FileError(path, "the file is empty")
    return text


def _lines_of_cells(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header with their lines, cells in the order of the published columns."""
    reader = csv.reader(_lines(path, text), strict=True)
    order: list[int] = []
    while True:
        line = reader.line_num + 1
        where = f"line {line}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            problem = f'this cannot be read as CSV ({error}); is there a quote (") too many or too few?'
            raise FileError(path, problem, where=where) from None
        if cells is None:
            return
        if not cells:  # a blank line
            continue
        if not order:
            try:
                _check_header(cells)
            except SettingError as error:
                raise FileError(path, printable(str(error)), where=where) from None
            order = [cells.index(name) for name in PUBLISHED]
            columns = len(cells)
        elif len(cells) != columns:
            problem = f"there are {len(cells)} cells, and {columns} columns; put this row right"
            raise FileError(path, problem, where=where)
        else:
            yield line, [cells[place] for place in order]


def _lines(path: Path, text: str) -> Iterator[str]:
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if len(line) > LONGEST_LINE:
            problem = f"this line has {len(line):,} characters, and a row far fewer; is this the right file?"
            raise FileError(path, problem, where=f"line {number}")
        yield line


def _check_header(names: Sequence[str]) -> None:
    needed = f"the columns must be {','.join(PUBLISHED)}"
    if len(names) == 1 and (sign := re.search("[;\t]", names[0])):
        raise SettingError(f"the cells are separated by {sign[0]!r}; save the table with commas")
    if not set(names) & set(PUBLISHED):
        raise SettingError(f"there is no header; {needed}")
    for name in names:
        if name not in ANSWERS.header:  # what else an export has is known, and not needed
            raise SettingError(f"there must be no column {name!r}{did_you_mean(name, PUBLISHED)}; {needed}")
        if names.count(name) > 1:
            raise SettingError(f"there are two columns {name!r}; remove one of them")
    for name in PUBLISHED:
        if name not in names:
            raise SettingError(f"there is no column {name!r}; {needed}")


def _row(cells: Sequence[str], models: Sequence[str], words: frozenset[str]) -> _Row:
    participant, number, practice, model, target, question, word, answer, reward = cells
    # An export has an apostrophe before what a spreadsheet could run.
    target, word = (each if each in words else each.removeprefix("'") for each in (target, word))
    check_id(participant)
    if practice not in ("true", "false"):
        raise SettingError(f"practice is {practice!r}; it must be true or false, in small letters")
    if model not in models:
        guess = did_you_mean(model, models)
        problem = f"model is {model!r}{guess}; the models of the study are {', '.join(models)}"
        raise SettingError(f"{problem} (another study is given with --study)")
    for name, given in (("target", target), ("word", word)):
        if given not in words:
            problem = (
                f"{name} is {given!r}, which is not in the word set of the study{did_you_mean(given, words)}"
            )
            raise SettingError(f"{problem} (another study is given with --study)")
    if answer not in ("y", "n"):
        raise SettingError(f"answer is {answer!r}; it must be y or n")
    return _Row(
        participant,
        _whole("round", number, MOST_ROUNDS),
        practice == "true",
        model,
        target,
        _whole("question", question, MOST_QUESTIONS),
        Answer(word, "y" if answer == "y" else "n", _reward(reward)),
    )


def _whole(name: str, cell: str, most: int) -> int:
    if not WHOLE.fullmatch(cell) or int(cell) > most:
        raise SettingError(f"{name} is {cell!r}; it must be a whole number from 1 to {most:,}, such as 7")
    return int(cell)


def _reward(cell: str) -> float:
    if cell.strip("+-").lower() in ("nan", "inf", "infinity"):
        raise SettingError(f"reward is {cell!r}; it must be a finite number, and every answer has one")
    if not NUMBER.fullmatch(cell):
        raise SettingError(f"reward is {cell!r}; it must be a number, such as 0.072807")
    if not 0 <= (reward := float(cell)) <= 1:
        raise SettingError(f"reward is {cell!r}; it must be from 0 to 1")
    return math.fabs(reward)  # -0 is 0


def _add(people: dict[str, Person], row: _Row, line: int) -> None:
    """Add an answer where it belongs; a SettingError tells why it does not follow what came before."""
    name = row.participant
    person = people.get(name.lower()) or people.setdefault(name.lower(), Person(name, line))
    if person.participant != name:
        problem = f"{name!r} and {person.participant!r} (line {person.line}) differ in capital letters only"
        raise SettingError(f"{problem}, and not every disk tells their logs apart; rename one")
    if person is not next(reversed(people.values())):
        problem = f"the rows of {name!r} begin on line {person.line}, and others stand in between"
        raise SettingError(f"{problem}; put them together, or rename one of two participants")
    rounds = person.rounds
    if row.round == len(rounds) + 1:
        rounds.append(PlayedRound(line, row.practice, row.model, row.target))
    elif row.round != len(rounds):
        expected = f"{len(rounds)} or {len(rounds) + 1}" if rounds else "1"
        problem = f"round is {row.round}, where {expected} is next"
        raise SettingError(f"{problem}; rounds are counted from 1 for each participant, without gaps")
    played = rounds[-1]
    for column in ("practice", "model", "target"):
        if (now := getattr(row, column)) != (then := getattr(played, column)):
            told = f"{_told(now)}, and {_told(then)} on line {played.line}, where round {row.round} begins"
            raise SettingError(f"{column} is {told}; it must be the same in all of a round")
    if row.question != len(played.answers) + 1:
        problem = f"question is {row.question}, where {len(played.answers) + 1} is next"
        raise SettingError(f"{problem}; questions are counted from 1 in each round, without gaps")
    played.answers.append(row.answer)


def _told(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _questions(path: Path, people: Sequence[Person]) -> int:
    """How many a round has: as many everywhere, but that the last of a participant may have broken off."""
    most = max(len(played.answers) for person in people for played in person.rounds)
    for person in people:
        for number, played in enumerate(person.rounds[:-1], start=1):
            if len(played.answers) < most:
                problem = (
                    f"round {number} of {person.participant} has {len(played.answers)} questions, and the "
                    f"longest has {most}; only a participant's last round may have fewer: add what is "
                    "missing, or import rounds of another length from a file of their own"
                )
                raise FileError(path, problem, where=f"line {played.line}")
    return most
