"""The question on the screen: when it appeared, and what the participant has done about it."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.session.questions import Asked

__all__ = ["OpenQuestion"]


@dataclass
class OpenQuestion:
    """A question that waits for its answer.  Times are seconds on the app's clock."""

    asked: Asked
    number: int
    shown: float
    shown_at: str  # the same moment as a date
    delay: float  # from the key before it to its appearance
    late: bool  # was it still being computed when it was due?
    chosen: bool | None = None
    last_choice_yes: bool | None = None  # the last choice, even if it was taken back
    first_choice: float = 0.0
    last_choice: float = 0.0
    changes: int = 0
    stray_keys: int = 0
    away: float = 0.0  # how long something covered it

    def choose(self, yes: bool, at: float) -> None:
        self.changes += self.last_choice_yes is (not yes)
        if self.last_choice_yes is None:
            self.first_choice = at
        self.chosen, self.last_choice_yes, self.last_choice = yes, yes, at

    def take_back(self) -> None:
        self.chosen = None
