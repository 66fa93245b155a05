"""Fields of records, and how they are checked.

Results may be read a year later, or after someone edited them.  A number that is missing, of the wrong type
or out of bounds is reported at its line before it can enter a mean.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["LARGE", "Field", "Flag", "Numbers", "Points"]

LARGE = 1e12


@dataclass(frozen=True, kw_only=True)
class Field(ABC):
    """One field of a record."""

    has: Callable[[str], bool] = lambda _: True  # does a series have it?

    @abstractmethod
    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        """What is wrong with a value under the settings of a design; None if it is fine."""

    def fault_of_settings(self, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """What is wrong with the settings that this field depends on; None if they are fine."""
        return None


@dataclass(frozen=True, kw_only=True)
class Numbers(Field):
    """A list of numbers."""

    length: str | int | None = None  # the setting that gives it, or a count, or None for any length
    more: int = 0  # numbers beyond that length
    least: float = 0.0
    most: float = 1.0
    whole: bool = False

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        length = settings[self.length] + self.more if isinstance(self.length, str) else self.length
        if isinstance(value, list) and length in (None, len(value)) and all(map(self._allows, value)):
            return None
        count = "" if length is None else f"{length} "
        kind = f"{'whole ' if self.whole else ''}{'number' if length == 1 else 'numbers'}"
        return f"must be a list of {count}{kind} from {self.least:g} to {self.most:g}"

    def fault_of_settings(self, settings: Mapping[str, Any]) -> str | None:
        if isinstance(self.length, str):
            value = settings.get(self.length)
            if type(value) is not int or not 0 < value <= LARGE:
                return f"the setting {self.length!r} must be a whole number above 0"
        return None

    def _allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        return self.least <= value <= self.most and math.isfinite(value)


@dataclass(frozen=True, kw_only=True)
class Points(Field):
    """A list of points in the plane."""

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        point = Numbers(length=2, least=-LARGE, most=LARGE)
        if isinstance(value, list) and all(point.fault(item, settings) is None for item in value):
            return None
        return "must be a list of pairs of numbers"


@dataclass(frozen=True, kw_only=True)
class Flag(Field):
    """True or false."""

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        return None if isinstance(value, bool) else "must be true or false"
