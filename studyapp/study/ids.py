"""Participant IDs: what an ID may look like, and the scheme by which a study hands them out.

A scheme (``Study.ids``) is a pattern such as ``P{number:02}``, or a list of the lab's own IDs.  It also gives
every participant a place, on which a balanced order of the models depends.  The place follows from the ID,
so computers that share no files agree on it.  Upper and lower case are the same here: P07 and p07 would be
one file on some computers.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studyapp.study.study import Study

DEFAULT_IDS = "P{number:02}"
MOST_PARTICIPANTS = 100_000  # of a study
MOST_IDS = 1000  # in a list
ID_RULE = "use 1 to 64 letters, digits, hyphens and underscores"

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
PATTERN = re.compile(r"([A-Za-z0-9_-]*)\{number(?::0([1-9]))?\}([A-Za-z0-9_-]*)")


def is_id(text: str) -> bool:
    """Can this be an ID?  It is then safe as the name of a file."""
    return ID.fullmatch(text) is not None


def check_entry(entry: str) -> str:
    """Refuse an entry in a list of IDs that cannot be one."""
    if not is_id(entry):
        raise ValueError(f"{entry!r} can't be an ID; {ID_RULE}")
    return entry


def check_pattern(pattern: str) -> str:
    """Refuse a pattern that would not make IDs."""
    if not PATTERN.fullmatch(pattern):
        raise ValueError(
            f"is {pattern!r}; a pattern has {{number}} once, or {{number:02}} for at least two digits, and "
            "letters, digits, hyphens and underscores around it"
        )
    if not is_id(_Pattern.read(pattern).id(MOST_PARTICIPANTS)):
        raise ValueError(f"is {pattern!r}; its IDs would be too long: {ID_RULE}")
    return pattern


def next_id(study: Study, taken: Collection[str], here: Collection[str] = ()) -> str | None:
    """The ID of the next participant, if these are taken; None if the study has no more.

    A pattern goes on after the highest number, since a gap may be someone whose log is elsewhere: the highest
    of those who began ``here``, on this machine, if anyone did.  So machines with IDs of their own, whose
    sessions were brought together, keep to them.
    """
    used = {participant.lower() for participant in taken}
    if isinstance(study.ids, list):
        return next((entry for entry in study.ids if entry.lower() not in used), None)
    pattern = _Pattern.read(study.ids)
    numbers, own = _numbers(pattern, used), _numbers(pattern, here)
    number = max(own or numbers, default=0) + 1
    while number in numbers:
        number += 1
    found = pattern.id(number)
    return found if is_id(found) else None


def _numbers(pattern: _Pattern, participants: Collection[str]) -> set[int]:
    found = (pattern.number(participant) for participant in participants)
    return {number for number in found if number is not None}


def first_ids(study: Study, count: int) -> list[str]:
    """The first IDs of the scheme: this many, or all of a shorter list."""
    if isinstance(study.ids, list):
        return study.ids[:count]
    pattern = _Pattern.read(study.ids)
    return [pattern.id(number) for number in range(1, count + 1)]


@dataclass(frozen=True)
class Place:
    """Where a participant comes in a series of participants."""

    number: int  # from 1 by the scheme
    series: str | None = None  # None: that of the scheme; other IDs have series of their own


def place_of(study: Study, participant: str) -> Place:
    """The place of a participant, by the scheme.

    IDs outside it that differ only in the number at their end, such as S01 and S02, are a series of their
    own.  So people from elsewhere, or IDs such as 0503-1, 0504-1, don't all take the first place.
    """
    if isinstance(study.ids, list):
        lowered = [entry.lower() for entry in study.ids]
        number = lowered.index(participant.lower()) + 1 if participant.lower() in lowered else None
    else:
        number = _Pattern.read(study.ids).number(participant)
    if number is not None:
        return Place(number)
    letters = participant.lower().rstrip("0123456789")
    return Place(int(participant[len(letters) :] or 1), letters)


@dataclass(frozen=True)
class _Pattern:
    """A pattern in parts: what comes before the number, its least width, and what comes after it."""

    before: str
    width: int
    after: str

    @classmethod
    def read(cls, pattern: str) -> _Pattern:
        match = PATTERN.fullmatch(pattern)
        assert match, "a study checks its pattern"
        return cls(match[1], int(match[2] or 1), match[3])

    def id(self, number: int) -> str:
        return f"{self.before}{number:0{self.width}}{self.after}"

    def number(self, participant: str) -> int | None:
        """The number in an ID of this pattern; None if the ID is not exactly of the pattern."""
        middle = participant[len(self.before) : len(participant) - len(self.after)]
        if not re.fullmatch("[0-9]+", middle):
            return None
        number = int(middle)
        return number if self.id(number).lower() == participant.lower() else None
