"""Time and memory of ``studyapp words build`` on a large file of word vectors.

    python tests/benchmarks/words_build.py               400 MB of word2vec binary and of GloVe text
    python tests/benchmarks/words_build.py --size 4000 --forms binary

The file is generated in a temporary folder and removed afterwards.  It has 300 dimensions, and the 20 wanted
words are spread over it.  Memory is constant if the peak is the same for a larger file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

DIMENSIONS = 300
BLOCK = 500  # generated vectors; the file repeats them with new words
WANTED = 20
MB = 1_000_000
REPOSITORY = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and memory of studyapp words build.")
    parser.add_argument("--size", type=int, default=400, metavar="MB", help="size of each file")
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=list(FORMS))
    parser.add_argument("--folder", type=Path, help="folder for the temporary files")
    arguments = parser.parse_args()
    print(f"{'form':>7} {'file MB':>8} {'words':>9} {'seconds':>8} {'MB/s':>6} {'peak MB':>8}")
    for form in arguments.forms:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            measure(form, arguments.size * MB, Path(folder))


def measure(form: str, size: int, folder: Path) -> None:
    vectors, words = folder / "vectors", folder / "words.list"
    count = FORMS[form](vectors, size)
    words.write_text("".join(f"word{index}\n" for index in range(0, count, count // (WANTED - 1))))
    files = f"--vectors={vectors}", f"--words={words}", f"--out={folder / 'out.txt'}"
    command = [sys.executable, "-m", "studyapp.cli", "words", "build", *files]
    began = time.perf_counter()
    build = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(build.pid, 0)
    seconds = time.perf_counter() - began
    build.returncode = os.waitstatus_to_exitcode(status)
    if build.returncode:
        sys.exit(f"studyapp words build ended with {build.returncode}")
    read = vectors.stat().st_size / MB
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MB
    print(f"{form:>7} {read:8,.0f} {count:9,} {seconds:8.2f} {read / seconds:6,.0f} {peak:8,.0f}", flush=True)


def write_binary(path: Path, size: int) -> int:
    count = size // (4 * DIMENSIONS + 12)
    write(path, count, f"{count} {DIMENSIONS}\n", [row.tobytes() for row in block()])
    return count


def write_glove(path: Path, size: int) -> int:
    rows = [" ".join(f"{number:.5f}" for number in row).encode() for row in block()]
    count = size // (len(rows[0]) + 12)
    write(path, count, "", rows)
    return count


def block() -> np.ndarray:
    return np.random.default_rng(0).normal(0, 0.3, (BLOCK, DIMENSIONS)).astype("<f4")


def write(path: Path, count: int, header: str, rows: list[bytes]) -> None:
    with path.open("wb", buffering=1 << 20) as file:
        file.write(header.encode())
        for index in range(count):
            file.write(b"word%d " % index + rows[index % BLOCK] + b"\n")


FORMS: dict[str, Callable[[Path, int], int]] = {"binary": write_binary, "glove": write_glove}

if __name__ == "__main__":
    main()
