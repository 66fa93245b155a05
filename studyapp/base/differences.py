"""Where two records differ: nested dictionaries and lists, as JSON or YAML gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class _Absent:
    """The value of what is in only one of the records."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()


@dataclass(frozen=True)
class Difference:
    """One place where two records differ."""

    path: str  # "dataset.rows", "models[2].teacher"; lists are counted from 1
    before: Any  # ABSENT where the place is new
    now: Any  # ABSENT where the place is gone


def differences(before: Any, now: Any, path: str = "") -> Iterator[Difference]:
    """Every place where ``now`` differs from ``before``, in the order of ``before``, then new places.

    Lists of different lengths count as one difference, since their items don't line up.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*before, *(name for name in now if name not in before)]:
            inner = f"{path}.{name}" if path else str(name)
            yield from differences(before.get(name, ABSENT), now.get(name, ABSENT), inner)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, (one, other) in enumerate(zip(before, now, strict=True), start=1):
            yield from differences(one, other, f"{path}[{number}]")
    elif before != now:
        yield Difference(path, before, now)
