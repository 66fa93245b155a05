"""A participant at a real terminal: reads its screen and presses keys.

The session runs in a child process, on a pseudo-terminal of its own.  The child is forked from this process,
which has loaded everything already, so a session starts quickly.  Use it only in a process without threads,
but for those of sittings that were closed: a lock that one of them holds would stay locked in the child.

The screen is recognised by the default texts of a study, whatever they say.
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
import string
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence

import pyte

from studyapp.study.texts import Texts

__all__ = ["TEXTS", "Terminal", "answer_to", "find", "key_for", "preload"]

PATIENCE = 300.0  # seconds for a session to end, however busy the machine is
TEXTS = Texts()


def preload() -> None:
    """Load everything that a session needs, once."""
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
        for thread in threading.enumerate():
            if thread.name.startswith("questions"):
                thread.join()
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            code = 1
            try:
                os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
                # This process's own streams may be files or pipes, and would behave as such.
                sys.stdin, sys.stdout, sys.stderr = (
                    os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww")
                )
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
        self.written = b""  # everything received, control codes included

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def look(self, seconds: float = 0.0) -> str:
        """The screen as text, once nothing has been written to it for this many seconds."""
        until = time.monotonic() + seconds
        while self.code is None:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, until - time.monotonic()))
            if not ready or not self._take():
                break
            until = time.monotonic() + seconds
        return "\n".join(self._screen.display)

    def moment_of(self, mark: bytes, patience: float) -> float | None:
        """When these bytes come from now on, by the monotonic clock; None if they do not."""
        seen, until = len(self.written), time.monotonic() + patience
        while self.code is None and time.monotonic() < until:
            if select.select([self._fd], [], [], 0.01)[0]:
                now = time.monotonic()
                if self._take() and mark in self.written[seen:]:
                    return now
        return None

    def _take(self) -> bool:
        """Read what has been written; False if the other end is closed."""
        try:
            written = os.read(self._fd, 1 << 16)
        except OSError:
            self._ended()
            return False
        self.written += written
        self._stream.feed(written)
        return True

    def press(self, key: str) -> None:
        """Press a key: its name, or the characters that a keyboard sends."""
        if self.code is None:
            os.write(self._fd, {"enter": "\r", "ctrl+q": "\x11"}.get(key, key).encode())

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        os.kill(self._pid, number)
        self._ended()

    def close(self) -> None:
        """Close the terminal: the session gets SIGHUP."""
        os.close(self._fd)
        self._fd = -1
        self._ended()

    def _ended(self) -> None:
        """Wait for the end while reading: a process whose output nobody reads cannot end."""
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


def find(text: str, screen: str) -> dict[str, str] | None:
    """The values that a text's placeholders have on the screen; None if the text is not there."""
    pattern, names = "", set[str]()
    for literal, name, forms, _ in string.Formatter().parse(text):
        pattern += re.escape(re.sub(r"\s+", " ", literal))
        if name is not None:
            # The first time, a placeholder names its value.  Forms, as in {rounds:round|rounds}, are words.
            pattern += r"\S+?" if forms or name in names else rf"(?P<{name}>\S+?)"
            names |= set() if forms else {name}
    words = " ".join(screen.split())  # a long text is wrapped
    match = re.search(pattern + r"(?!\w)", words)
    return match.groupdict() if match else None


def answer_to(practice: bool, round_: int, question: int, word: str) -> bool:
    """A fixed opinion on everything, so that two sessions can be compared."""
    kind = "Practice" if practice else "Round"
    return hashlib.sha256(f"{kind} {round_} {question} {word}".encode()).digest()[0] % 3 == 0


def key_for(screen: str) -> str | None:
    """The key that a participant would press now; None to wait."""

    def shows(*texts: str) -> bool:
        return any(find(text, screen) is not None for text in texts)

    asked, count = find(TEXTS.ask, screen), find(TEXTS.question, screen)
    practice, real = find(TEXTS.practice_round, screen), find(TEXTS.real_round, screen)
    if asked and count and (number := practice or real):
        if shows(TEXTS.confirm):
            return "enter"
        yes = answer_to(bool(practice), int(number["round"]), int(count["question"]), asked["word"])
        return "y" if yes else "n"
    if shows(TEXTS.who_hint):  # this is me
        return "enter"
    if shows(TEXTS.consent_ask):
        return "enter" if "● y" in screen else "y"
    if shows(TEXTS.more):
        return "\x1b[F"  # End
    if shows(TEXTS.confirm, TEXTS.text_confirm, TEXTS.item_given, TEXTS.text_given, TEXTS.check_confirm):
        return "enter"
    if shows(TEXTS.scale_hint):
        return "5"
    if shows(TEXTS.choice_hint):
        return "2"
    if shows(TEXTS.text_hint):
        return "\t"
    if shows(TEXTS.enter, TEXTS.begin_round, TEXTS.close, TEXTS.try_again):
        return "enter"
    return None
