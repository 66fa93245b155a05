"""No file makes a command take more than a gigabyte of memory: what is too much is refused on the way.

The short versions are a little more than is allowed; the long proofs are as large as an attack.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # seconds, on a busy machine
MOST_MEMORY = 1 << 20  # kilobytes

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it is measured in /proc")

# The most memory that the process had.  (What the system reports about children begins with the parent's.)
MEASURED = """
import sys
from pathlib import Path
from studyapp.cli import main
code = main(sys.argv[1:])
status = Path("/proc/self/status").read_text()
print(f"\\nVmHWM {status.partition('VmHWM:')[2].split()[0]}")
sys.exit(code)
"""
STUDY = "title: T\nwords: words.vec\nmodels: {a: {teacher: naive}, b: {teacher: mixture}}\n"
HEADER = "participant,round,practice,model,target,question,word,answer,reward\n"


def binary_vectors(path: Path, words: int) -> None:
    numbers = np.linspace(1, 2, 300, dtype="<f4").tobytes()
    with path.open("wb") as file:
        file.write(f"{words} 300\n".encode())
        file.writelines(b"w%d %s\n" % (number, numbers) for number in range(words))


def text_vectors(path: Path, words: int) -> None:
    numbers = " 0.123456" * 300
    with path.open("w") as file:
        file.writelines(f"w{number}{numbers}\n" for number in range(words))


def bytes_of_npy(path: Path, rows: int) -> None:
    np.save(path, np.ones((rows, 1000), dtype=np.uint8))


def wide_csv(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.writelines(",".join("1" * 1000) + "\n" for _ in range(rows))


def long_csv(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.writelines("1,2\n" * 1000 for _ in range(rows // 1000))


def one_line(path: Path, cells: int) -> None:
    path.write_bytes(b"1," * cells)


def one_quote(path: Path, lines: int) -> None:
    path.write_bytes(b'1,2\n"' + b'a\n","' * lines)


def answers(path: Path, people: int) -> None:
    with path.open("w") as file:
        file.write(HEADER)
        for person in range(people):
            file.writelines(
                f"P{person},{round_},false,naive,tea,{question},cat,y,0.{person:04}{round_:02}\n"
                for round_ in range(1, 41)
                for question in range(1, 16)
            )


def participants(path: Path, people: int) -> None:
    rows = "".join(f"P{person},1,false,naive,tea,1,cat,y,0.5\n" for person in range(people))
    path.write_text(HEADER + rows)


class Case(NamedTuple):
    make: Callable[[Path, int], None]
    name: str  # of the file
    small: int
    large: int
    arguments: str
    problem: str


DATA = "simulate --data {file} --out {folder}/out"
BUILD = "words build --vectors {vectors} --words {words} --out {folder}/out.txt"
CASES = {
    "a binary word set": Case(
        binary_vectors, "words.vec", 2001, 300_000, "check {folder}/study.yaml", "more than 2,000 words"
    ),
    "a word set in text": Case(
        text_vectors, "words.vec", 2001, 100_000, "check {folder}/study.yaml", "more than 2,000 words"
    ),
    "the words of logs": Case(
        binary_vectors, "words.vec", 2001, 300_000, "verify {log} --words {file}", "more than 2,000 words"
    ),
    "swapped arguments": Case(
        binary_vectors,
        "words.vec",
        2000,
        300_000,
        BUILD.format(vectors="{study20}", words="{file}", folder="{folder}"),
        "line 1: the word '2000 300' ends with a number",
    ),
    "swapped arguments in text": Case(
        text_vectors,
        "words.vec",
        2000,
        100_000,
        BUILD.format(vectors="{study20}", words="{file}", folder="{folder}"),
        "line 1: this line has more than 1,000 bytes",
    ),
    "numbers of one byte": Case(bytes_of_npy, "table.npy", 5001, 120_000, DATA, "5,000,000 numbers"),
    "a wide csv": Case(wide_csv, "table.csv", 5001, 60_000, DATA, "5,000,000 numbers"),
    "a long csv": Case(long_csv, "table.csv", 501_000, 30_000_000, DATA, "more than 500,000 rows"),
    "a csv of one line": Case(one_line, "table.csv", 51_000, 60_000_000, DATA, "more than 100,000 bytes"),
    "a csv of one row": Case(one_quote, "table.csv", 30_000, 20_000_000, DATA, "can't be read as a table"),
    "a huge csv": Case(one_line, "table.csv", 68_000_000, 120_000_000, DATA, "larger than 134,217,728"),
    "answers": Case(
        answers,
        "answers.csv",
        834,
        3000,
        "import {file} --sessions {folder}/logs",
        "more than 500,000 answers",
    ),
    "participants": Case(
        participants,
        "answers.csv",
        10_001,
        2_000_000,
        "import {file} --sessions {folder}/logs",
        "more than 10,000 participants",
    ),
    "a huge table to import": Case(
        one_line, "answers.csv", 51_000_000, 100_000_000, "import {file}", "larger than 100,000,000 bytes"
    ),
}


@pytest.mark.parametrize("size", ["small", pytest.param("large", marks=pytest.mark.prove)])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_file_that_is_too_large_is_refused_with_little_memory(
    tmp_path: Path, case: Case, size: str
) -> None:
    case.make(tmp_path / case.name, getattr(case, size))
    (tmp_path / "study.yaml").write_text(STUDY)
    places = {
        "file": tmp_path / case.name,
        "folder": tmp_path,
        "log": ROOT / "sessions" / "example" / "person-001.yaml",
        "study20": ROOT / "words" / "study20.txt",
    }
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *(part.format(**places) for part in case.arguments.split())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    (tmp_path / case.name).unlink()  # pytest keeps the folders of a few runs
    assert done.returncode == 2, done.stdout + done.stderr
    assert case.problem in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert int(done.stdout.split()[-1]) < MOST_MEMORY
