"""The one place that prints to people.

Names and texts come from files that someone else may have written.  A terminal obeys what it is sent: an
escape code in a name could set the clipboard, hide a line or forge one.  Whatever is printed here is text:
a character that could do more is shown as a visible escape, such as ``\\x1b`` (``core.wording.visible``).

Commands ``say`` their results and ``report`` what went wrong.  Tables and progress bars, which need colours,
have the console of ``studyapp.base.console``.  ``protect`` takes care of whatever else may print: Python's
tracebacks and warnings, and the logs of libraries.
"""

from __future__ import annotations

import argparse
import io
import os
import select
import sys
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from core.wording import visible, visible_lines

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


def say(*lines: str) -> None:
    """Print lines on stdout.  A line break within a line is not meant, and is shown as an escape."""
    _print(sys.stdout, lines)


def report(*lines: str) -> None:
    """Print lines on stderr, likewise."""
    _print(sys.stderr, lines)


def _print(stream: TextIO | None, lines: tuple[str, ...]) -> None:
    if stream is not None:  # None where it was closed
        stream.write("".join(f"{visible(line)}\n" for line in lines))


def confirmed(question: str) -> bool:
    """Ask a person at the terminal; only y or yes is a yes."""
    return ask(f"{question} [y/n]").lower() in ("y", "yes")


def is_interactive() -> bool:
    """Is there a person at a terminal, who can read and type?"""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def is_gone() -> bool:
    """Has the terminal been closed?  Where it does not control a program, no signal says so."""
    if sys.platform == "win32" or sys.stdin is None:
        return False
    look = select.poll()
    look.register(sys.stdin.fileno(), 0)
    return any(event & select.POLLHUP for _, event in look.poll(0))


def ask(question: str) -> str:
    """The line that the person at the terminal types after a question; empty if there is none."""
    sys.stdout.write(f"{visible(question)} ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):  # the end of the input, which has moved to no new line
        say("")
    return answer.strip()


def flush() -> None:
    """Write out what was said: a reader that has gone, or a full disk, shows here and not at exit."""
    if sys.stdout is not None:
        sys.stdout.flush()


def blank_screen() -> None:
    """Clear the screen, so that the next one at this terminal does not read what was on it."""
    _send("\x1b[H\x1b[2J")


def reset_screen() -> None:
    """Undo what a full-screen program that was killed has left on: its screen, mouse, paste and key modes."""
    _send("\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?1049l\x1b[?25h")


def _send(codes: str) -> None:
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout.write(codes)
        sys.stdout.flush()


def stop_output() -> None:
    """Discard what is still to be written, so that Python can close stdout without a second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Protected(io.TextIOBase):
    """A stream on which everything is text."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(visible_lines(text))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def fileno(self) -> int:
        return self.stream.fileno()

    def isatty(self) -> bool:
        return self.stream.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.stream.encoding

    def close(self) -> None:
        """The stream is Python's, not ours to close."""


def protect() -> None:
    """From now on, what any library writes to stderr is text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character the terminal lacks is no reason to stop
    if sys.stderr is not None and not isinstance(sys.stderr, _Protected):
        sys.stderr = _Protected(sys.stderr)


def protected_stream(stream: TextIO) -> TextIO:
    """The stream itself, for a console that takes care of its text and sends codes of its own."""
    return stream.stream if isinstance(stream, _Protected) else stream


class Parser(argparse.ArgumentParser):
    """A parser of arguments whose messages are text, whatever the arguments are."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.color = False  # newer Pythons would send codes of their own

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse an option whose value is two dashes, which some Pythons take for no value at all."""
        for given in args or ():
            if given == "--":  # what follows is no option
                break
            option, _, value = given.partition("=")
            if option.startswith("--") and value == "--":
                self.error(f"argument {option}: '--' is not a value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        super().error(visible(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        if file is not None:  # None where it was closed
            file.write(visible_lines(message))
