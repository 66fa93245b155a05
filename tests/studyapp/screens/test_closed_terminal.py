"""A terminal that goes without a signal ends the program, and nothing is lost."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.session.events import Interrupted
from studyapp.session.log import read

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)

PATIENCE = 300.0  # seconds


def without_a_signal(arguments: list[str], folder: Path, ready: Callable[[bytes], bool], key: bytes) -> int:
    """Run studyapp at a terminal that does not control it, press a key, and close the terminal."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "studyapp.cli", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"TERM": "xterm-256color"},
    )
    os.close(theirs)
    try:
        seen, until = b"", time.monotonic() + PATIENCE
        while not ready(seen):
            assert time.monotonic() < until, seen
            if select.select([ours], [], [], 0.5)[0]:
                seen += os.read(ours, 1 << 16)
            elif b"new ID" in seen:
                os.write(ours, key)
        os.close(ours)
        return process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()


def test_a_session_whose_terminal_goes_without_a_signal_ends_and_says_so_in_its_log(tmp_path: Path) -> None:
    arguments = ["run", "--study", "short", "--participant", "P01"]
    code = without_a_signal(arguments, tmp_path, lambda seen: b"Taking part" in seen, b"\r")
    assert code == 129
    last = read(tmp_path / "sessions" / "P01.yaml").events[-1]
    assert isinstance(last, Interrupted)
    assert last.signal == "SIGHUP"


@pytest.mark.prove
def test_an_office_whose_terminal_goes_without_a_signal_ends(tmp_path: Path) -> None:
    made = subprocess.run([sys.executable, "-m", "studyapp.cli", "new", "lab"], cwd=tmp_path, check=False)
    assert made.returncode == 0
    assert without_a_signal([], tmp_path / "lab", lambda seen: b"Nobody has taken part" in seen, b"") == 129
