"""Every reader of files takes a damaged one or refuses it with a message, never with a traceback.

The whole command line is attacked elsewhere; these proofs are of the readers alone, and reach deeper.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import damaged as damage
from hypothesis import strategies as st
from proofs import holds_for
from study_files import small, write

from core import vectors
from core.errors import FileError
from core.vocabulary import Vocabulary
from studyapp.commands.words import read_list
from studyapp.experiments import datasets
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.tables.answer_table import read

FEW, MANY = 100, 2500
WORDS = ("tea", "ice cream", "café", "no")
NUMBERS = np.array([[0.25, -1.5, 3.0], [1.0, 0.125, -2.0], [0.1, 0.2, 0.3], [5.0, 1e-3, 7.0]])


def damaged(*whole: bytes) -> st.SearchStrategy[bytes]:
    """One of these files after random slips."""
    return st.builds(damage, st.sampled_from(whole), st.randoms(use_true_random=False))


def vector_file(form: vectors.Form) -> bytes:
    file = io.BytesIO()
    words = WORDS if form == "text" else tuple(word.replace(" ", "_") for word in WORDS)
    vectors.write(file, form, words, NUMBERS)
    return file.getvalue()


def npy_file(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


TEXT, BINARY = vector_file("text"), vector_file("binary")
GLOVE = TEXT.partition(b"\n")[2]
LIST = "# my words\ntea\n\nice cream\ncafé\nno\n".encode()
TABLE = b"a,b,c\n1,2,3\n4,5,7\n-1,0.5,2e1\n0.25,3,-8\n"
NPY = [npy_file(NUMBERS.astype(kind)) for kind in ("<f8", ">f4", "u1", "i8", "<f2")]
ANSWERS = (
    b"participant,round,practice,model,target,question,word,answer,reward\n"
    b"P01,1,true,plain,tea,1,no,n,0.25\nP01,1,true,plain,tea,2,tea,y,0.9999\n"
    b'P01,2,false,both,no,1,"ice cream",y,0\nP01,2,false,both,no,2,no,n,1\n'
    b"P02,1,false,both,no,1,tea,n,0.1\nP02,1,false,both,no,2,no,y,0.9999\n"
)
STUDY = b"""\
title: A study
words: study20
models:
  a: {teacher: naive, tau: 1.5}
  b: {teacher: mixture, samples: 500}
targets: [tea, salt, dog]
questions: 8
answers: {yes: j, no: "f"}
pace: {pause: 0.5}
consent: |
  It takes about {minutes} {minutes:minute|minutes}.
instructions:
  - Each round has {questions} questions.
questionnaires:
  you:
    - {id: tired, kind: scale, ask: "How tired?", least: 1, most: 7}
    - {id: hand, kind: choice, ask: "Which hand?", choices: [left, right]}
at_end: [nasa-tlx, you]
bonus: {within: 5, rounds: 2, won: "Well done"}
"""


def taken_or_refused(path: Path, content: bytes, read: Callable[[Path], object]) -> str:
    """The message of the refusal; empty if the file was taken."""
    path.write_bytes(content)
    try:
        read(path)
    except FileError as error:
        return str(error)
    return ""


def one_line(path: Path, content: bytes, read: Callable[[Path], object]) -> None:
    message = taken_or_refused(path, content, read)
    assert "\n" not in message
    assert len(message) < 3000
    assert message.startswith(str(path)) or not message


@holds_for(FEW, MANY, content=damaged(TEXT, GLOVE))
def test_a_damaged_word_set_in_text_is_taken_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    one_line(tmp_path / "words.txt", content, Vocabulary.load)


@holds_for(FEW, MANY, content=damaged(BINARY))
def test_a_damaged_binary_word_set_is_taken_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    one_line(tmp_path / "words.bin", content, Vocabulary.load)


@holds_for(FEW, MANY, content=damaged(TEXT, GLOVE, BINARY))
def test_damaged_vectors_are_searched_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    def search(path: Path) -> object:
        return list(vectors.read(path, lambda name: name in (b"tea", b"no")))

    one_line(tmp_path / "some.vectors", content, search)


@holds_for(FEW, MANY, content=damaged(LIST, TEXT))
def test_a_damaged_list_of_words_is_taken_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    one_line(tmp_path / "words.list", content, read_list)


@holds_for(FEW, MANY, content=damaged(TABLE, TABLE.replace(b",", b";"), TABLE.replace(b"\n", b"\r\n")))
def test_a_damaged_csv_of_numbers_is_taken_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    def finite(path: Path) -> None:
        assert np.isfinite(datasets.load(None, path).table).all()

    one_line(tmp_path / "table.csv", content, finite)


@holds_for(FEW, MANY, content=damaged(*NPY))
def test_a_damaged_npy_is_taken_or_refused_with_one_line(tmp_path: Path, content: bytes) -> None:
    def finite(path: Path) -> None:
        assert np.isfinite(datasets.load(None, path).table).all()

    one_line(tmp_path / "table.npy", content, finite)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> LoadedStudy:
    folder = tmp_path_factory.mktemp("study")
    return load(write(folder, small()))


@holds_for(FEW, MANY, content=damaged(ANSWERS, ANSWERS.replace(b"\n", b"\r")))
def test_a_damaged_table_of_answers_is_taken_or_refused_with_one_line(
    tmp_path: Path, study: LoadedStudy, content: bytes
) -> None:
    one_line(tmp_path / "answers.csv", content, lambda path: read(path, study))


@holds_for(FEW, MANY, content=damaged(STUDY))
def test_a_damaged_study_is_taken_or_refused_with_a_line_for_each_fault(
    tmp_path: Path, content: bytes
) -> None:
    message = taken_or_refused(tmp_path / "study.yaml", content, load)
    first, *faults = message.split("\n")
    assert first.startswith(str(tmp_path)) or not message
    assert all(fault.startswith(("  line ", "  and ")) for fault in faults)
