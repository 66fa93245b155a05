"""How far a long work has come, for whoever sits in front of the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from core.files import explained

__all__ = ["Progress", "bar", "reading"]

QUIET = 1.0  # seconds before anything is shown: most work is done by then
PAUSE = 0.2  # seconds between two showings
MB = 1_000_000


class Progress:
    """Tells the bytes read so far on one line of a terminal; silent where there is none."""

    def __init__(self, name: str, size: int, terminal: TextIO) -> None:
        self._name = name
        self._size = size  # 0 where it is not known, as with a pipe
        self._terminal = terminal if terminal.isatty() else None
        self._next = time.monotonic() + QUIET
        self._shown = ""

    def __call__(self, done: int) -> None:
        if self._terminal is None or (now := time.monotonic()) < self._next:
            return
        self._next = now + PAUSE
        of_all = f" of {self._size / MB:,.0f} MB, {done / self._size:.0%}" if self._size else " MB"
        self._show(f"reading {self._name}: {done / MB:,.0f}{of_all}")

    def clear(self) -> None:
        if self._shown:
            self._show("")

    def _show(self, text: str) -> None:
        assert self._terminal is not None
        blank = " " * (len(self._shown) - len(text))
        self._terminal.write(f"\r{text}{blank}" if text else f"\r{blank}\r")
        self._terminal.flush()
        self._shown = text


@contextmanager
def reading(path: Path, terminal: TextIO | None = None) -> Iterator[Progress]:
    """Progress through the file ``path``; the line is gone when the block ends, however it ends."""
    with explained(path):
        size = path.stat().st_size if path.is_file() else 0
    progress = Progress(path.name, size, sys.stderr if terminal is None else terminal)
    try:
        yield progress
    finally:
        progress.clear()


@contextmanager
def bar(telling: str, total: int) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal, gone when the block ends; yields a function to tell how many are done."""
    from rich import progress
    from rich.console import Console

    with progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.completed:.0f} of {task.total:.0f}"),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # what is printed meanwhile stands above the bar
        disable=not sys.stderr.isatty(),
    ) as shown:
        task = shown.add_task(telling, total=total)
        yield lambda done: shown.update(task, completed=done)
