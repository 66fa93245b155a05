r"""Lends the terminal to another program: a participant's session, or the experimenter's editor.

Meanwhile the office neither draws nor reads keys.  Ctrl+C, Ctrl+\ and Ctrl+Z reach every program at the
terminal, as signals, whenever the borrower has not switched that off: while it starts and ends.  The office
ignores them, and the borrower begins by ignoring them too, so no key ends the office or stops it.  A
borrower that was killed leaves the terminal in disorder; it is put back as it was.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from textual.app import App

from studyapp.base.terminal import blank_screen, flush, reset_screen, say

if sys.platform != "win32":
    import termios

    KEYS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)  # that a keyboard sends
else:
    KEYS = (signal.SIGINT,)

FAILED = (1, 2)  # exit codes of a command that has said what went wrong


def lend(
    app: App[Any], command: Sequence[str], folder: Path, *, pause_after: Collection[int] = FAILED
) -> int:
    """Run a program in the terminal of an app and return its exit code; an OSError if it can't be started.

    After some exit codes, what it has said stays on the screen until somebody presses Enter.
    """
    problem: OSError | None = None
    code = 0
    with app.suspend(), _keys_ignored(), _attributes_kept():  # nothing may be raised in here
        blank_screen()
        try:
            code = subprocess.run(command, cwd=folder, check=False).returncode
        except OSError as error:
            problem = error
        if code < 0:
            reset_screen()
        if code in pause_after:
            say("", "Press Enter.")
            flush()
            sys.stdin.readline()
    if problem is not None:
        raise problem
    return code


@contextlib.contextmanager
def _keys_ignored() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_IGN) for number in KEYS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextlib.contextmanager
def _attributes_kept() -> Iterator[None]:
    """Put the terminal's attributes back, and forget the keys that nobody has read."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    yield
    termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
