"""Pages on which a line of text is typed."""

from __future__ import annotations

import unicodedata

from textual.widgets import Input

from core.wording import is_visible
from studyapp.screens.pages.base import Page

__all__ = ["EntryPage", "Field"]


class Field(Input):
    """A field to type in, which leaves out what can't be seen: a paste may contain it."""

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace("".join(filter(is_visible, text)), start, end)


class EntryPage(Page):
    """A page with an input; Enter submits what was typed."""

    _submitted = ""

    def on_up(self) -> None:
        super().on_up()
        self.query_one(Input).focus()

    def hint(self) -> str:
        """Enter leads on from what was typed, unless it was refused; the page says what to type."""
        typed = self.query_one(Input).value if self.is_mounted else ""
        return super().hint() if typed.strip() and typed != self._submitted else ""

    def passes_on(self, key: str) -> bool:
        return key != "enter"  # the page checks Enter itself: it may be held down since the page before

    def enter(self) -> None:
        self._submitted = self.query_one(Input).value
        typed = [" " if unicodedata.category(c) == "Zs" else c for c in self._submitted]
        self.submit("".join(typed).strip())
        self.prompt()

    def on_input_changed(self) -> None:
        # News of a change may arrive after Enter; it must not wipe the note that Enter brought up.
        if self.query_one(Input).value != self._submitted:
            self.note("")
        self.prompt()

    def submit(self, text: str) -> None:
        """React to what was typed."""
        raise NotImplementedError
