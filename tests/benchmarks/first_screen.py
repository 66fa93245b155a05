"""How long it takes from the command to the first page, in a real terminal.

For comparison: the same if what learners need were loaded first, and an empty Textual app, which is the
minimum for any app of this kind.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

from studyapp.study.loading import load
from studyapp.study.studies import DEFAULT

RUNS = 10
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("READY")
Empty().run()
"""
LEARNER_FIRST = "import sys, core.learner; from studyapp.cli import main; sys.exit(main())"


def seconds_until(shown: bytes, command: list[str]) -> float:
    """Start a command on a terminal, wait until it shows a text, and kill it."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    )
    os.close(theirs)
    written = b""
    while shown not in written:
        if not select.select([ours], [], [], 30)[0]:
            raise TimeoutError(written.decode(errors="replace"))
        written += os.read(ours, 1 << 16)
    seconds = time.perf_counter() - began
    process.kill()
    process.wait()
    os.close(ours)
    return seconds


def main() -> None:
    os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24")
    with tempfile.TemporaryDirectory() as folder:
        run, title = ["run", "--study", DEFAULT, "--sessions", folder], load().study.title.encode()
        commands = {
            "studyapp run": (title, [sys.executable, "-m", "studyapp.cli", *run]),
            "the same, learner first": (title, [sys.executable, "-c", LEARNER_FIRST, *run]),
            "an empty Textual app": (b"READY", [sys.executable, "-c", EMPTY]),
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, (shown, command) in commands.items():
                times[name].append(seconds_until(shown, command))
    least = statistics.median(times["an empty Textual app"])
    for name, seconds in times.items():
        median = statistics.median(seconds)
        result = f"{median:.2f} s (worst of {RUNS}: {max(seconds):.2f} s)"
        print(f"{name:24} {result}, {median / least:.1f} times an empty app")


if __name__ == "__main__":
    main()
