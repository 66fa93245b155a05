"""No file makes a command take more than a gigabyte of memory: what is too much is refused on the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds, on a busy machine
MOST_MEMORY = 1 << 20  # kilobytes

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it is measured in /proc"),
]

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


def vectors(path: Path) -> None:
    numbers = np.linspace(1, 2, 300, dtype="<f4").tobytes()
    with path.open("wb") as file:
        file.write(b"100000 300\n")
        file.writelines(b"w%d %s\n" % (number, numbers) for number in range(100_000))


def array(path: Path) -> None:
    np.save(path, np.ones((100_000, 1000), dtype=np.uint8))


def long_csv(path: Path) -> None:
    path.write_bytes(b"1,2\n" * 20_000_000)


def one_line(path: Path) -> None:
    path.write_bytes(b"1," * 50_000_000)


def answers(path: Path) -> None:
    with path.open("w") as file:
        file.write("participant,round,practice,model,target,question,word,answer,reward\n")
        file.writelines(f"P{person},1,false,naive,tea,1,cat,y,0.5\n" for person in range(2_000_000))


@pytest.mark.parametrize(
    ("make", "name", "arguments"),
    [
        (vectors, "words.vec", "check {folder}/study.yaml"),
        (array, "table.npy", "simulate --data {folder}/table.npy --out {folder}/out"),
        (long_csv, "table.csv", "simulate --data {folder}/table.csv --out {folder}/out"),
        (one_line, "table.csv", "simulate --data {folder}/table.csv --out {folder}/out"),
        (
            one_line,
            "list.txt",
            "words build --vectors {study20} --words {folder}/list.txt --out {folder}/o.txt",
        ),
        (answers, "answers.csv", "import {folder}/answers.csv --sessions {folder}/logs"),
    ],
    ids=["vectors", "array", "long csv", "csv of one line", "list of one line", "answers"],
)
def test_a_file_that_is_too_large_is_refused_with_little_memory(
    make: Callable[[Path], None], name: str, arguments: str, tmp_path: Path
) -> None:
    make(tmp_path / name)
    (tmp_path / "study.yaml").write_text(STUDY)
    places = {"folder": tmp_path, "study20": ROOT / "words" / "study20.txt"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *(part.format(**places) for part in arguments.split())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    (tmp_path / name).unlink()  # pytest keeps the folders of a few runs
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert int(done.stdout.split()[-1]) < MOST_MEMORY
