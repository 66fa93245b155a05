"""What changed in a study since a session began, in words, for resuming the session."""

from __future__ import annotations

from typing import Any

from studyapp.base.differences import ABSENT, Difference, differences

__all__ = ["study_changes"]

LONGEST_VALUE = 60  # characters of a value that a message quotes


def study_changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """One line for each setting that differs between two study records."""
    changes = list(differences(before, now))
    people = [difference for difference in changes if difference.path.split(".")[0] == "people"]
    lines = [_line(difference) for difference in changes if difference not in people]
    return [*lines, "people: not the same as when the session began"] if people else lines


def _line(difference: Difference) -> str:
    path = difference.path
    if difference.now is ABSENT:
        return f"{path}: was set when the session began, and is missing now"
    if difference.before is ABSENT:
        return f"{path}: was not set when the session began"
    before, now = repr(difference.before), repr(difference.now)
    shorter = min(len(before), len(now))
    first = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    return f"{path}: {_excerpt(before, first)} when the session began, {_excerpt(now, first)} now"


def _excerpt(text: str, place: int) -> str:
    """A short text as it is; of a long one, the part around a place."""
    if len(text) <= LONGEST_VALUE:
        return text
    begin = max(0, place - LONGEST_VALUE // 4)
    end = begin + LONGEST_VALUE
    return f"{'...' if begin else ''}{text[begin:end]}{'...' if end < len(text) else ''}"
