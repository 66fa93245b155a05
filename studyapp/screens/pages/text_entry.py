"""A field for text of several lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.events import Key
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from core.wording import is_visible

if TYPE_CHECKING:
    from studyapp.screens.app import StudyApp

__all__ = ["TextEntry"]


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
