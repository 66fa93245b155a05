"""The page that welcomes a participant back to an unfinished session."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page

__all__ = ["WelcomeBackPage"]


class WelcomeBackPage(Page):
    def heading(self) -> str:
        return self.say(self.texts.resumed_title)

    def body(self) -> ComposeResult:
        yield Line(self.say(self.texts.resumed), classes="prose")
