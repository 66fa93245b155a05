"""A short list of choices: arrow keys and Enter, or a click."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click
from textual.message import Message

from studyapp.screens.pages.base import Line

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp

__all__ = ["Choices"]


class Choices(Vertical):
    """Choices, one below the other, of which the arrow keys have reached one.

    The page or dialog that has them passes its keys on.
    """

    app: StudyApp

    class Clicked(Message):
        """A choice was clicked: it is now the one that was reached."""

    def __init__(self, choices: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._choices = choices
        self._lines = [Line() for _ in choices]
        self.at = 0

    def compose(self) -> ComposeResult:
        self.offer(self._choices)
        yield from self._lines

    def offer(self, choices: Sequence[str]) -> None:
        """Offer these choices, not more than there were at first, and start again at the first."""
        self._choices, self.at = choices, 0
        self._draw()

    def press(self, key: str) -> bool:
        """React to a key; False if it does nothing here."""
        if key not in ("down", "up"):
            return False
        self.at = (self.at + (1 if key == "down" else -1)) % len(self._choices)
        self._draw()
        return True

    def _draw(self) -> None:
        for place, (line, choice) in enumerate(zip_longest(self._lines, self._choices)):
            line.display = choice is not None
            line.update(f"{'▸' if place == self.at else ' '} {choice}")

    def on_click(self, event: Click) -> None:
        event.stop()
        # A double click must not choose from what its first click has brought up.
        if isinstance(event.widget, Line) and self.app.keys.meant("click", event.time):
            self.at = self._lines.index(event.widget)
            self._draw()
            self.post_message(self.Clicked())
