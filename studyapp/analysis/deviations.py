"""Differences between what was registered and what was done, as a report lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.wording import counted
from studyapp.office.events import Preregistered
from studyapp.office.preregistration import RECORD

__all__ = ["Deviation", "Registered"]

PARTS = {  # of the comparison, in the order of the report
    "files": "Registration",
    "study": "Study file",
    "sessions": "Sessions",
    "sample": "Participants",
    "analysis": "Analysis",
    "program": "Program",
}


@dataclass(frozen=True)
class Deviation:
    """One difference between what was registered and what was done."""

    part: str  # of PARTS
    what: str
    registered: str
    actual: str
    is_wording: bool = False  # only a text that people read


@dataclass(frozen=True)
class Registered:
    """What a report says about the registration of a study."""

    registrations: list[Preregistered]  # all of them, in their order
    primary: str | None  # the outcome that decides
    deviations: list[Deviation]

    @property
    def last(self) -> Preregistered:
        return self.registrations[-1]

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        day = self.last.at[:10]
        if not self.deviations:
            return f"Everything was run and analysed as registered on {day}."
        return (
            f"Not everything is as registered on {day}: there {'is' if len(self.deviations) == 1 else 'are'} "
            f"{counted(len(self.deviations), 'difference')}."
        )

    @property
    def parts(self) -> list[tuple[str, Deviation]]:
        """The differences, each with the title of its part."""
        return [(title, one) for part, title in PARTS.items() for one in self.deviations if one.part == part]

    def as_json(self) -> dict[str, Any]:
        return {
            "as_registered": not self.deviations,
            "registrations": [
                {"at": event.at, "folder": event.folder, "sha256": event.files.get(RECORD)}
                for event in self.registrations
            ],
            "primary": self.primary,
            "differences": [vars(one) for _, one in self.parts],
        }
