"""The verdict on a log: what ``studyapp verify`` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Result", "Verdict"]

Verdict = Literal["verified", "different", "changed", "unreadable", "imported", "deleted"]
EXIT_CODES: dict[Verdict, int] = {
    "verified": 0,
    "imported": 0,
    "deleted": 0,
    "different": 1,
    "changed": 1,
    "unreadable": 2,
}


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
            "path": str(self.path),
        }
