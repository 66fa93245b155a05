"""A person at a terminal: reads the screen of a real session, and presses keys.

The session runs in a child process on a pseudo-terminal of its own.  The child is forked from this
process, which has loaded everything already, so a session starts in a moment: run this from a
process without threads.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence

import pyte

__all__ = ["Terminal", "answer_to", "key_for", "preload"]

PATIENCE = 20.0  # seconds for a session to end
QUESTION = re.compile(r"Is (\S+) relevant\?")
TITLE = re.compile(r"((?:Practice|Round) \d+) of \d+ +Question (\d+) of \d+")


def preload() -> None:
    """Load what a session needs, once."""
    import core.learner
    import studyapp.cli
    import studyapp.screens.app

    assert core.learner
    assert studyapp.cli
    assert studyapp.screens.app


class Terminal:
    """One run of ``studyapp``, until it ends or is killed."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            code = 1
            try:
                os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
                if prepare:
                    prepare()
                from studyapp.cli import main

                code = main(list(arguments))
            finally:
                os._exit(code)
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.resize(columns, rows)
        self.code: int | None = None
        self.written = b""  # all that came, control codes too

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def look(self, seconds: float = 0.0) -> str:
        """The screen as text, once nothing more has been written to it for so long."""
        until = time.monotonic() + seconds
        while self.code is None:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                break
            try:
                written = os.read(self._fd, 1 << 16)
            except OSError:  # the other end is closed
                self._ended()
                break
            self.written += written
            self._stream.feed(written)
            until = time.monotonic() + seconds
        return "\n".join(self._screen.display)

    def press(self, key: str) -> None:
        """A key, or what a keyboard sends for it."""
        if self.code is None:
            os.write(self._fd, {"enter": "\r", "ctrl+q": "\x11"}.get(key, key).encode())

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        os.kill(self._pid, number)
        self._ended()

    def close(self) -> None:
        """Close the terminal's window: the session gets SIGHUP."""
        os.close(self._fd)
        self._fd = -1
        self._ended()

    def _ended(self) -> None:
        """Wait for the end, reading on: a process whose output nobody reads cannot end."""
        until = time.monotonic() + PATIENCE
        while self.code is None:
            if self._fd >= 0 and select.select([self._fd], [], [], 0.01)[0]:
                with contextlib.suppress(OSError):
                    self._stream.feed(os.read(self._fd, 1 << 16))
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                os.kill(self._pid, signal.SIGKILL)
                raise TimeoutError(f"the session did not end:\n{self._screen.display}")
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def answer_to(title: str, question: int, word: str) -> bool:
    """A fixed opinion on everything, so that two sessions can be compared."""
    return hashlib.sha256(f"{title} {question} {word}".encode()).digest()[0] % 3 == 0


def key_for(screen: str) -> str | None:
    """What a participant would press now; None to wait."""
    question, title = QUESTION.search(screen), TITLE.search(screen)
    if question and title:
        if "Your answer:" in screen:
            return "enter"
        return "y" if answer_to(title[1], int(title[2]), question[1]) else "n"
    if "Do you agree to take part?" in screen:
        return "enter" if "● y" in screen else "y"
    if "Type 1 to 7" in screen:
        return "enter" if "●" in screen else "5"
    if "Press a number" in screen:
        return "enter" if "●" in screen else "2"
    if "Type your answer" in screen:
        return "enter"
    if "Press Enter" in screen:
        return "enter"
    return None
