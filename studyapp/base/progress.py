"""Progress bars for whoever is waiting at the terminal; silent where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.files import explained
from core.wording import visible
from studyapp.base.terminal import protect

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from studyapp.base.console import Console

__all__ = ["bar", "reading"]


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[float], None]]:
    """A bar that disappears when the block ends; yields a function to call with the number of items done."""
    from rich.progress import TextColumn

    counted = TextColumn("{task.completed:.0f} of {task.total:.0f}")
    with _shown(label, total, counted, None) as update:
        yield update


@contextmanager
def reading(path: Path, console: Console | None = None) -> Iterator[Callable[[float], None]]:
    """A bar for the bytes read from ``path``; for a pipe, it only counts them."""
    from rich.progress import DownloadColumn

    with explained(path):
        size = path.stat().st_size if path.is_file() else None
    with _shown(f"reading {path.name}", size, DownloadColumn(), console) as update:
        yield update


@contextmanager
def _shown(
    label: str, total: int | None, counted: ProgressColumn, console: Console | None
) -> Iterator[Callable[[float], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from studyapp.base.console import Console

    console = console or Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        counted,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=sys.stdout is not None
        and sys.stdout.isatty(),  # what is printed meanwhile goes above the bar
        disable=not console.is_terminal,
    ) as progress:
        if not progress.disable:
            protect()  # what is written to stderr meanwhile, before the bar takes its codes for colours
        task = progress.add_task(visible(label), total=total)
        yield lambda done: progress.update(task, completed=done)
