"""The last page."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page

__all__ = ["EndPage"]


class EndPage(Page):
    """The last page, however the session ended: a heading and some paragraphs."""

    def __init__(self, heading: str, *paragraphs: str) -> None:
        super().__init__()
        self._heading = heading
        self._paragraphs = paragraphs

    def heading(self) -> str:
        return self._heading

    def body(self) -> ComposeResult:
        for paragraph in filter(None, self._paragraphs):
            yield Line(paragraph, classes="prose")

    def hint(self) -> str:
        return self.say(self.texts.close)

    def leave_hint(self) -> str:
        return ""  # there's nothing left to leave
