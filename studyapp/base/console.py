"""The console for tables and progress bars: it sends codes of its own, and none that a text contains."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import rich.console
from rich.segment import Segment
from rich.text import Text

from core.wording import visible_lines
from studyapp.base.terminal import protected_stream

__all__ = ["Console"]


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
