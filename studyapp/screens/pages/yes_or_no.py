"""The two answers yes and no, with their keys, on one line.  A click on one of them stands for its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from core.wording import visible

if TYPE_CHECKING:
    from studyapp.study.study import Answers

__all__ = ["YesOrNo"]

ON, OFF = "●", "○"
GAP = 6  # columns between the two


class YesOrNo(Static):
    """Both answers; the chosen one is marked."""

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
