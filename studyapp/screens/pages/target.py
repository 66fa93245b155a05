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

    def heading(self) -> str:
        session = self.sitting.session
        number, practice = self.round_.round, session.rounds_of_practice()
        if self.round_.practice:
            return self.texts.practice_round.format(round=number, rounds=practice)
        return self.texts.real_round.format(round=number - practice, rounds=session.rounds())

    def target(self, label: str) -> ComposeResult:
        """The target under its label."""
        yield Line(label, classes="label")
        yield Line(large(self.round_.target), classes="target")
