"""The console for tables and progress bars: it sends codes of its own, and none that a text contains.

Bars are for whoever is waiting at the terminal; where there is none, they are silent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import rich.console
from rich.segment import Segment
from rich.text import Text

from core.wording import visible, visible_lines
from studyapp.base.terminal import protect, protected_stream


class Console(rich.console.Console):
    """A console of Rich that shows every text as it is, and treats a closed pipe as all commands do."""

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        stream = sys.stderr if stderr else sys.stdout
        file = None if stream is None else protected_stream(stream)
        super().__init__(file=file, stderr=stderr, highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Texts become visible before they are measured, so that columns fit."""
        return super().render_str(visible_lines(text), **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Nothing leaves that is neither visible text nor a code of Rich."""
        return super()._render_buffer(
            Segment(segment.text if segment.control else visible_lines(segment.text), *segment[1:])
            for segment in buffer
        )

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@contextmanager
def bar(label: str, total: float | None, console: Console | None = None) -> Iterator[Callable[[float], None]]:
    """A bar that disappears when the block ends; yields a function to call with how much is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = console or Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(separator=" of "),
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
