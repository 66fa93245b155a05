"""What a record of each kind of design must hold.

Results are read a year later, by other programs and after who knows what; a number that is missing, of
another kind or out of its bounds is found where it stands, before it can enter a mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["fault", "fault_of_design"]


@dataclass(frozen=True)
class _Numbers:
    """A list of numbers, as long as some settings of the design say, or of any length."""

    length: str | int | None = None  # the name of a setting, or a count
    more: int = 0  # than that
    least: float = 0.0
    most: float = 1.0
    whole: bool = False
    without: tuple[str, ...] = ()  # series that do not have it

    def fault(self, value: Any, design: Mapping[str, Any]) -> str | None:
        length = design[self.length] + self.more if isinstance(self.length, str) else self.length
        told = f"{length if length is not None else 'some'} {'whole ' if self.whole else ''}numbers"
        bounds = f" from {self.least:g} to {self.most:g}" if math.isfinite(self.most) else ""
        if (
            not isinstance(value, list)
            or (length is not None and len(value) != length)
            or not all(map(self._is_one, value))
        ):
            return f"must be a list of {told}{bounds}"
        return None

    def _is_one(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        return self.least <= value <= self.most and math.isfinite(value)


@dataclass(frozen=True)
class _Rows:
    """Points in the plane."""

    without = ()

    def fault(self, value: Any, _: Mapping[str, Any]) -> str | None:
        points = _Numbers(2, least=-LARGE, most=LARGE)
        if isinstance(value, list) and all(points.fault(each, {}) is None for each in value):
            return None
        return "must be a list of pairs of numbers"


@dataclass(frozen=True)
class _Flag:
    without = ()

    def fault(self, value: Any, _: Mapping[str, Any]) -> str | None:
        return None if isinstance(value, bool) else "must be true or false"


LARGE = 1e12
_LABELS = _Numbers(whole=True)
_SHARES = _Numbers("arms")

FIELDS: dict[str, dict[str, _Numbers | _Rows | _Flag]] = {
    "bandits": {
        "reward": _Numbers("questions"),
        "concordance": _Numbers("questions"),
        "asked": _Numbers("questions", whole=True, most=LARGE),
        "answers": _Numbers("questions", whole=True),
        "converged": _Flag(),
        "alpha": _Numbers("questions", without=("N-N", "N-P", "P-N", "P-P")),
        "contrast": _Numbers("questions", most=LARGE, without=("N-N",)),
    },
    "profile": {"probability": _SHARES},
    "teaching example": {
        "probability": _SHARES,
        "after_no": _SHARES,
        "after_yes": _SHARES,
        "advantage": _Numbers(1, least=-LARGE, most=LARGE),
    },
    "active example": {
        "accuracy": _Numbers("steps", 1),
        "queries": _Numbers("steps", whole=True, most=59),
        "answers": _Numbers("steps", whole=True),
        "truth": _Numbers("steps", whole=True),
        "converged": _Flag(),
        "weights": _Numbers(3, least=-LARGE, most=LARGE),
        "pool": _Rows(),
        "labels": _LABELS,
        "start": _Rows(),
        "start_labels": _LABELS,
    },
    "active wine": {"accuracy": _Numbers("steps", 1)},
}


def fault(design: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """What is wrong with a record of results of this design; None if nothing is."""
    number = record.get("replication")
    if not isinstance(record.get("series"), str) or type(number) is not int or number < 0:
        return "a record must have a series and a replication from 0"
    for name, field in FIELDS[design["kind"]].items():
        if record["series"] not in field.without:
            if name not in record:
                return f"{name} is missing"
            if wrong := field.fault(record[name], design):
                return f"{name} {wrong}"
    return None


def fault_of_design(design: Any) -> str | None:
    """The same for what the first line of a results file tells of its design."""
    if not isinstance(design, dict) or design.get("kind") not in FIELDS:
        return "it tells no design that this studyapp knows"
    for field in FIELDS[design["kind"]].values():
        name = getattr(field, "length", None)
        if isinstance(name, str) and (type(design.get(name)) is not int or not 0 < design[name] <= LARGE):
            return f"{name} of its design must be a whole number"
    return None
