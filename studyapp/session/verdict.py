"""The verdict on a log: what ``studyapp verify`` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Verdict = Literal[
    "verified", "different", "changed", "unreadable", "imported", "deleted", "missing", "other version"
]
EXIT_CODES: dict[Verdict, int] = {
    "verified": 0,
    "imported": 0,
    "deleted": 0,
    "different": 1,
    "changed": 1,
    "missing": 1,  # there is a receipt, but no log
    "unreadable": 2,
    "other version": 2,
}


class DifferentError(Exception):
    """The first difference between a log and what it should be."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True)
class Replayed:
    """How many questions of a model came out in the replay of an imported session."""

    questions: int  # after the first of each round
    rederived: int
    draws: bool  # does the model depend on random draws, which a table does not have?


@dataclass(frozen=True)
class Result:
    """The verdict on one log."""

    path: Path
    verdict: Verdict
    message: str
    questions: int = 0  # in the log
    rederived: int = 0  # of them, computed again with the same result
    not_rederived: str | None = None  # why the rest were not
    notes: list[str] = field(default_factory=list)
    chain: str | None = None  # the last link of the log
    receipt: str | None = None  # of a finished session that ran in studyapp
    models: dict[str, Replayed] | None = None  # of an imported session with a study

    @property
    def participant(self) -> str:
        """A log is named after its participant."""
        return self.path.stem

    @property
    def code(self) -> int:
        """The exit code: 0 if the log passed, 1 if it did not, 2 if it could not be read."""
        return EXIT_CODES[self.verdict]

    def as_mapping(self) -> dict[str, Any]:
        """The result as ``verify --json`` prints it."""
        return {
            "log": self.path.name,
            "verdict": self.verdict,
            "questions": self.questions,
            "rederived": self.rederived,
            "not_rederived": self.not_rederived,
            "message": self.message,
            "notes": self.notes,
            "chain": self.chain,
            "receipt": self.receipt,
            "models": self.models and {name: vars(replayed) for name, replayed in self.models.items()},
            "path": str(self.path),
        }
