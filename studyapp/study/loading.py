"""Loading a study file: a checked study with its words, or one error that lists every fault with its line.

Pydantic checks each setting by itself, and ``studyapp.study.rules`` what depends on several settings or on
the words.  All faults are reported at once.  None of this needs SciPy.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from core.errors import FileError, SettingError
from core.files import explained
from core.people import People
from core.vocabulary import Vocabulary
from core.wording import did_you_mean
from studyapp.base.documents import MOST_LOGGED, Document, parse, read
from studyapp.study.faults import Fault, faults
from studyapp.study.loaded import LoadedStudy
from studyapp.study.rules import Draft, broken_rules
from studyapp.study.studies import DEFAULT
from studyapp.study.study import MOST_WORDS, Study

MOST_FAULTS = 50  # listed in one message
LARGEST_PEOPLE = 4_000_000  # bytes; 50,000 pairs, the most that can be known, take half of that


def load(name_or_path: str | os.PathLike[str] = DEFAULT) -> LoadedStudy:
    """The bundled study of this name, or the study in this file."""
    document, folder = _document(name_or_path)
    if not isinstance(document.data, dict):
        raise FileError(document.path, "a study file consists of settings: one per line, 'name: value'")
    draft = Draft(document.data)
    problems: list[Fault] = []
    study = vocabulary = None
    try:
        study = Study.model_validate(document.data)
    except ValidationError as error:
        problems += faults(error, Study, document.data)
    try:
        if isinstance(file := document.data.get("people"), str):
            people = read_people(folder / file).to_mapping()
            study = study and study.model_copy(update={"people": people})
    except (FileError, SettingError) as error:
        problems.append(Fault(("people",), f"people: {error}"))
    try:
        vocabulary = _words(draft, folder)
    except (FileError, SettingError) as error:
        problems.append(Fault(("words",), f"words: {error}"))
    problems += broken_rules(draft, vocabulary.words if vocabulary else None)
    if problems or study is None or vocabulary is None:
        raise _error(document, problems)
    return LoadedStudy(document.path, study, vocabulary)


def bundled() -> dict[str, bytes]:
    """The studies that come with studyapp, by name."""
    return {
        entry.name.removesuffix(".yaml"): entry.read_bytes()
        for entry in resources.files("studyapp.study.studies").iterdir()
        if entry.name.endswith(".yaml")
    }


def read_people(path: Path) -> People:
    """How people answer, as ``studyapp people fit`` wrote it to a file."""
    document = read(path, largest=LARGEST_PEOPLE, most_values=MOST_LOGGED, kind="a file of people")
    try:
        return People.from_mapping(document.data)
    except SettingError as error:
        raise FileError(path, f"{error} (make the file with studyapp people fit)") from None


def _document(name_or_path: str | os.PathLike[str]) -> tuple[Document, Path]:
    name = os.fspath(name_or_path)
    studies = bundled()
    if isinstance(name_or_path, str) and name in studies:
        return parse(studies[name], name), Path()
    path = Path(name)
    with explained(path):
        is_name = not path.suffix and path.name == name and not path.exists()
    if is_name:
        known = ", ".join(sorted(studies))
        guess = did_you_mean(name, studies)
        raise FileError(name, f"there is no study of this name{guess}; known: {known}; or name a file")
    return read(path), path.parent


def _words(draft: Draft, folder: Path) -> Vocabulary | None:
    """The word set of the study; None if the setting itself is not valid, which is a fault of its own."""
    name = draft.words
    if name is None:
        return None
    if Path(name).suffix or len(Path(name).parts) > 1:
        name = os.fspath(folder / name)  # beside the study file
    return Vocabulary.load(name, MOST_WORDS)


def _error(document: Document, problems: list[Fault]) -> FileError:
    """One error for all faults, in the order of their lines."""
    placed = sorted({(document.line(fault.place), fault.problem) for fault in problems})
    if len(placed) == 1:
        ((line, problem),) = placed
        return FileError(document.path, problem, where=f"line {line}")
    listed = [f"  line {line}: {problem}" for line, problem in placed[:MOST_FAULTS]]
    more = [f"  and {len(placed) - MOST_FAULTS} more"] if len(placed) > MOST_FAULTS else []
    return FileError(document.path, f"there are {len(placed)} faults:", *listed, *more)
