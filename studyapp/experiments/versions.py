"""Which versions of the software results depend on: results of different ones are never mixed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.wording import printable

__all__ = ["fault_of_software", "other_versions"]

DEPENDS_ON = ("studyapp", "learners", "python", "numpy", "scipy")
MOST_NAMES = 20
LONGEST = 100


def other_versions(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Where theirs differ from ours, in words: "numpy 1.26 instead of 2.1"; empty if they don't."""
    return ", ".join(
        f"{name} {printable(str(theirs.get(name, '(unknown)')))} instead of {ours[name]}"
        for name in DEPENDS_ON
        if theirs.get(name) != ours[name]
    )


def fault_of_software(software: Any) -> str | None:
    """What is wrong with the versions in the first line of a results file; None if they are fine."""
    if isinstance(software, dict) and len(software) <= MOST_NAMES:
        texts = [*software.keys(), *software.values()]
        if all(isinstance(text, str) and len(text) <= LONGEST and text.isprintable() for text in texts):
            return None
    return "the versions of the software that made these results are missing"
