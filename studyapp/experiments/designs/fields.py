"""Fields of records, and how they are checked.

Records come from other processes and machines, or from a file that someone may have edited.  A number that is
missing, of the wrong type or out of bounds is reported at its place before it can enter a mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["LARGE", "Field", "Flag", "Numbers", "Points", "Rows"]

LARGE = 1e12
MOST_NUMBERS = 10_000  # in one list: as many as a bandit can have arms
ROW_OVERHEAD = 10  # a list in a list takes the memory of so many numbers more


def _fault_of_count(name: str, settings: Mapping[str, Any]) -> str | None:
    """What is wrong with a setting that counts something."""
    value = settings.get(name)
    if type(value) is int and 0 < value <= MOST_NUMBERS:
        return None
    return f"the setting {name!r} must be a whole number from 1 to {MOST_NUMBERS:,}"


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

    def size(self, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """How many numbers it takes the memory of."""
        return 1

    def compact(self, value: Any) -> Any:
        """A value that was checked, in less memory."""
        return value


@dataclass(frozen=True, kw_only=True)
class Numbers(Field):
    """A list of numbers."""

    length: str | int  # a count, or the setting that gives it
    more: int = 0  # numbers beyond that length
    least: float = 0.0
    most: float = 1.0
    below: str | None = None  # the setting that all numbers are below; it replaces ``most``
    whole: bool = False

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        length = self.size(settings)
        least, most = self.least, self.most if self.below is None else settings[self.below] - 1
        types = {int} if self.whole else {int, float}  # so no truth values
        if (
            isinstance(value, list)
            and len(value) == length
            and set(map(type, value)) <= types
            and all(least <= number <= most for number in value)  # NaN is not
        ):
            return None
        kind = f"{'whole ' if self.whole else ''}{'number' if length == 1 else 'numbers'}"
        return f"must be a list of {length} {kind} from {least:g} to {most:g}"

    def fault_of_settings(self, settings: Mapping[str, Any]) -> str | None:
        for name in (self.length, self.below):
            if isinstance(name, str) and (problem := _fault_of_count(name, settings)):
                return problem
        return None

    def size(self, settings: Mapping[str, Any]) -> int:
        return (settings[self.length] if isinstance(self.length, str) else self.length) + self.more

    def compact(self, value: Any) -> array[Any]:
        return array("q" if self.whole else "d", value)


@dataclass(frozen=True, kw_only=True)
class Rows(Field):
    """A list of lists of numbers, all alike: one for each round of a person."""

    count: str  # the setting that gives how many
    row: Numbers

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        count = settings[self.count]
        if not isinstance(value, list) or len(value) != count:
            return f"must be a list of {count} lists"
        for number, row in enumerate(value, start=1):
            if problem := self.row.fault(row, settings):
                return f"{problem} in row {number}"
        return None

    def fault_of_settings(self, settings: Mapping[str, Any]) -> str | None:
        return _fault_of_count(self.count, settings) or self.row.fault_of_settings(settings)

    def size(self, settings: Mapping[str, Any]) -> int:
        return int(settings[self.count]) * (self.row.size(settings) + ROW_OVERHEAD)

    def compact(self, value: Any) -> list[array[Any]]:
        return [self.row.compact(row) for row in value]


@dataclass(frozen=True, kw_only=True)
class Points(Field):
    """A list of points in the plane."""

    count: int
    most: float  # how far from 0 a coordinate may be

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:
        point = Numbers(length=2, least=-self.most, most=self.most)
        if (
            isinstance(value, list)
            and len(value) == self.count
            and all(point.fault(item, settings) is None for item in value)
        ):
            return None
        return f"must be a list of {self.count} pairs of numbers from {-self.most:g} to {self.most:g}"

    def size(self, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        return 20 * self.count  # lists in a list, kept as they are


@dataclass(frozen=True, kw_only=True)
class Flag(Field):
    """True or false."""

    def fault(self, value: Any, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        return None if isinstance(value, bool) else "must be true or false"
