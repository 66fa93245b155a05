"""What pages are made of: lines of text, lists of choices, answers, and fields to type in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Key
from textual.message import Message
from textual.style import Style
from textual.widgets import Input, Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from core.wording import is_visible, visible, visible_lines

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp
    from studyapp.study.study import Answers


ON, OFF = "●", "○"
GAP = 6  # columns between two answers


class Line(Static):
    """Text shown as it is: nothing in it is taken for markup, or for a code by the terminal."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(visible_lines(text), markup=False, id=id, classes=classes)

    def update(self, text: str, *, layout: bool = True) -> None:  # type: ignore[override]
        super().update(visible_lines(text), layout=layout)


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


class YesOrNo(Static):
    """The answers yes and no with their keys, the chosen one marked.  A click on one stands for its key."""

    def __init__(self, keys: Answers, yes: str, no: str, *, shown: bool = True) -> None:
        super().__init__(markup=False, id="choices")
        self._answers = ((True, keys.yes, yes), (False, keys.no, no))
        if shown:
            self.mark(None)

    def mark(self, chosen: bool | None) -> None:
        """Show both answers, with this one marked."""
        parts: list[Content] = []
        for answer, key, text in self._answers:
            drawn = f"{ON if chosen is answer else OFF} {visible(key)}  {visible(text)}"
            parts.append(Content.styled(drawn, Style.from_meta({"key": key})))
        self.update(Content(" " * GAP).join(parts))

    def hide(self) -> None:
        self.update("")


class Field(Input):
    """A field to type in, which leaves out what can't be seen: a paste may contain it."""

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace("".join(filter(is_visible, text)), start, end)


class TextEntry(TextArea):
    """Text of several lines, up to a length.  It leaves out what can't be seen: a paste may contain it."""

    app: StudyApp

    def __init__(self, text: str, *, longest: int, id: str) -> None:
        super().__init__(text, id=id, soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False)
        self._longest = longest  # 0: any length
        self.move_cursor(self.document.end)

    def edit(self, edit: Edit) -> EditResult:
        text = "".join(c for c in edit.text.replace("\r\n", "\n") if c == "\n" or is_visible(c))
        if self._longest:
            replaced = len(self.get_text_range(edit.from_location, edit.to_location))
            text = text[: max(0, self._longest - len(self.text) + replaced)]
        return super().edit(replace(edit, text=text))

    async def _on_key(self, event: Key) -> None:
        # Enter may be held down since the page before.
        if event.key == "enter" and not self.app.keys.meant("enter", event.time):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)
