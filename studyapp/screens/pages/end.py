"""The last page."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page

__all__ = ["EndPage"]


class EndPage(Page):
    """The last page, however the session ended: a heading, some paragraphs, and perhaps a receipt."""

    def __init__(self, heading: str, *paragraphs: str, receipt: str | None = None) -> None:
        super().__init__()
        self._heading = heading
        self._paragraphs = paragraphs
        self._receipt = receipt

    def heading(self) -> str:
        return self._heading

    def body(self) -> ComposeResult:
        for paragraph in filter(None, self._paragraphs):
            yield Line(paragraph, classes="prose")
        if self._receipt is not None:
            yield Line(self.say(self.texts.receipt), classes="caption-left")
            yield Line(self._receipt, classes="receipt")
            yield Line(self.say(self.texts.receipt_note), classes="prose")

    def hint(self) -> str:
        return self.say(self.texts.close)

    def always(self) -> str:
        return ""  # there's nothing left to leave
