"""Pages about one round: its number in the heading, its target in large letters."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.large_letters import large
from studyapp.screens.pages.base import Line, Page
from studyapp.study.plan import Round

__all__ = ["TargetPage"]


class TargetPage(Page):
    """What the pages before a round and during it share."""

    def __init__(self, round_: Round) -> None:
        super().__init__()
        self.round_ = round_

    def say(self, text: str, **values: str | int) -> str:
        return super().say(text, target=self.round_.target, **values)

    def heading(self) -> str:
        number, practice = self.round_.round, self.sitting.session.rounds_of_practice()
        if self.round_.practice:
            return self.say(self.texts.practice_round, round=number)
        return self.say(self.texts.real_round, round=number - practice)

    def target(self, label: str) -> ComposeResult:
        """The target under its label."""
        yield Line(label, classes="label")
        yield Line(large(self.round_.target), classes="target")
