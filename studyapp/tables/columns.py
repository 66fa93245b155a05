"""The building blocks of tidy tables: columns, each declared once, and how their cells are written.

A column for a field of the log takes its meaning and its type from the declaration of that field.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    TextIO,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from studyapp.session.events import Count, Milliseconds, Moment, Number, Reward

__all__ = ["GUARDED", "Column", "Described", "Table", "Value", "Variable", "field_column", "total", "write"]

# "word": a word or an ID.  "name": any other text from a fixed set.  "text": what people may type freely.
Kind = Literal["truth", "count", "number", "reward", "moment", "word", "name", "text"]
Value = str | int | float | bool | None
Row = TypeVar("Row")  # the object that holds the values of a row

# An apostrophe keeps spreadsheets from running these texts as formulas.
RUN_BY_SPREADSHEETS: Final = (*"=+-@", *"＝＋－＠", "\t", "\r")  # noqa: RUF001 (full-width forms count too)
GUARDED: Final = (
    "text that begins with = + - @ (also full-width), a tab or a carriage return is preceded by an apostrophe"
)

TRUTH: Final = ("TRUE", "FALSE")


@dataclass(frozen=True)
class Variable:
    """What a column holds: its name, its meaning, and its type, unit and limits."""

    name: str
    meaning: str
    kind: Kind
    unit: str | None = field(default=None, kw_only=True)
    least: float | None = field(default=None, kw_only=True)
    most: float | None = field(default=None, kw_only=True)
    levels: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def description(self) -> str:
        """The meaning, as the dataset description has it."""
        return f"{self.meaning} ({GUARDED})" if self.kind == "text" else self.meaning

    @property
    def type(self) -> str:
        """The type, as the data dictionary has it."""
        return _TYPES[self.kind]

    def written(self, value: Value) -> str:
        """A value as a cell."""
        return "" if value is None else _CELLS[self.kind](value)


@dataclass(frozen=True)
class Column(Variable, Generic[Row]):
    """A column of a table: what it holds, and where its values come from."""

    value: Callable[[Row], Value]

    def cell(self, row: Row) -> str:
        """The value in a row, as it is written."""
        return self.written(self.value(row))


@dataclass(frozen=True)
class Described:
    """What a data dictionary says of a table as a whole."""

    name: str
    row_is: str  # what one row describes
    key: tuple[str, ...]  # the columns that together identify a row
    note: str = field(default="", kw_only=True)  # what else there is to know


@dataclass(frozen=True)
class Table(Described, Generic[Row]):
    """A table: its columns, and how a session (or another source) becomes rows."""

    columns: tuple[Column[Row], ...]
    entries: Callable[[Any], Iterable[Row]]

    @property
    def header(self) -> list[str]:
        """The names of all columns."""
        return [column.name for column in self.columns]

    def rows(self, source: Any) -> list[list[str]]:
        """The rows of a session, as they are written."""
        return [[column.cell(entry) for column in self.columns] for entry in self.entries(source)]


def total(rewards: Iterable[float]) -> float:
    """The sum of rewards as their decimals add up: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(repr(reward)) for reward in rewards), Decimal(0)))


def write(file: TextIO, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as CSV with the line endings of RFC 4180, like the published data."""
    csv.writer(file).writerows(rows)


def _reward(value: float) -> str:
    """Six decimals, as in the published data; more if six would not be exact."""
    text = f"{value:.6f}"
    return text if float(text) == value else format(Decimal(repr(value)), "f")


def _guarded(value: str | int) -> str:
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(RUN_BY_SPREADSHEETS) else text


_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "truth": lambda value: "TRUE" if value else "FALSE",  # R takes these for logical
    "count": str,
    "number": repr,
    "reward": _reward,
    "moment": str,
    "word": _guarded,
    "name": _guarded,
    "text": _guarded,
}
_TYPES: Mapping[Kind, str] = {
    "truth": "TRUE or FALSE",
    "count": "whole number",
    "number": "number",
    "reward": "number",
    "moment": "time",
    "word": "text",
    "name": "text",
    "text": "free text",
}
_KINDS: Mapping[Any, Kind] = {
    bool: "truth",
    int: "count",
    Count: "count",
    Number: "count",
    Milliseconds: "number",
    Reward: "number",
    str: "name",
    Moment: "moment",
}


def field_column(declared: type, name: str, value: Callable[[Row], Value], **more: Any) -> Column[Row]:
    """The column of a field of the log, with the meaning and the type of its declaration."""
    base, *annotations = get_args(_hints(declared)[name])
    meaning = annotations.pop().description
    given: Any = Annotated[(base, *annotations)] if annotations else base
    parts = (given,) if given in _KINDS else get_args(given)
    kinds: list[Kind] = [_KINDS[part] for part in parts if part in _KINDS]
    # A choice of texts is a name.  A field that may hold a number or a text is free text.
    kind: Kind = "name" if get_origin(given) is Literal else kinds[0] if len(kinds) == 1 else "text"
    known: dict[str, Any] = {"kind": kind}
    if kind == "truth":
        known["levels"] = TRUTH
    elif get_origin(given) is Literal:
        known["levels"] = get_args(given)
    elif kind in ("count", "number"):
        known["least"] = 0
    if name.endswith("_ms"):
        known["unit"] = "ms"
    return Column(name, meaning, value=value, **(known | more))


@lru_cache
def _hints(declared: type) -> dict[str, Any]:
    return get_type_hints(declared, include_extras=True)
