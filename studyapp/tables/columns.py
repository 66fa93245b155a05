"""What tidy tables are made of: columns, each declared once, and the cells that stand in them.

What a field of the log means is taken from where the field itself is declared.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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

from studyapp.session.events import Moment
from studyapp.session.saved import SavedSession

__all__ = ["GUARDED", "Column", "Table", "Value", "field_column", "write"]

# "word" is a word or an ID, limited where it is given; "name" any other text that nobody types freely.
Kind = Literal["truth", "count", "number", "reward", "moment", "word", "name", "text"]
Value = str | int | float | bool | None
Row = TypeVar("Row")  # what the values of a row are found in

# What a spreadsheet could run stands behind an apostrophe.
RUN_BY_SPREADSHEETS: Final = ("=", "+", "-", "@", "\t", "\r")
GUARDED: Final = "a text that begins with = + - @, a tab or a carriage return has an apostrophe before it"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """What a column is called, what it means, and where its values come from."""

    name: str
    meaning: str
    kind: Kind
    value: Callable[[Row], Value]
    unit: str | None = None
    least: float | None = None
    most: float | None = None
    levels: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return f"{self.meaning} ({GUARDED})" if self.kind == "text" else self.meaning

    @property
    def type(self) -> str:
        return _TYPES[self.kind]

    def cell(self, row: Row) -> str:
        value = self.value(row)
        return "" if value is None else _CELLS[self.kind](value)


@dataclass(frozen=True)
class Table(Generic[Row]):
    """One row for each thing of a kind."""

    name: str
    each: str  # what a row is
    key: tuple[str, ...]  # the columns that tell every row from every other
    columns: tuple[Column[Row], ...]
    entries: Callable[[SavedSession], Iterable[Row]]

    @property
    def header(self) -> list[str]:
        return [column.name for column in self.columns]

    def rows(self, opened: SavedSession) -> list[list[str]]:
        """The rows of a session, as they are written."""
        return [[column.cell(entry) for column in self.columns] for entry in self.entries(opened)]


def write(file: TextIO, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as CSV, with the line ends of RFC 4180, which the published data have too."""
    csv.writer(file).writerows(rows)


def _reward(value: float) -> str:
    """Six decimals, as in the published data; more only where these would not be exact."""
    told = f"{value:.6f}"
    return told if float(told) == value else format(Decimal(repr(value)), "f")


def _guarded(value: str | int) -> str:
    told = str(value)
    return f"'{told}" if isinstance(value, str) and told.startswith(RUN_BY_SPREADSHEETS) else told


_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "truth": lambda value: "true" if value else "false",
    "count": str,
    "number": repr,
    "reward": _reward,
    "moment": str,
    "word": _guarded,
    "name": _guarded,
    "text": _guarded,
}
_TYPES: Mapping[Kind, str] = {
    "truth": "true or false",
    "count": "whole number",
    "number": "number",
    "reward": "number",
    "moment": "time",
    "word": "text",
    "name": "text",
    "text": "free text",
}
_KINDS: Mapping[Any, Kind] = {bool: "truth", int: "count", float: "number", str: "name", Moment: "moment"}


def field_column(declared: type, name: str, value: Callable[[Row], Value], **more: Any) -> Column[Row]:
    """The column of a field of the log, with the meaning and the type that it is declared with."""
    base, *said = get_args(_hints(declared)[name])
    meaning = said.pop().description
    given: Any = Annotated[(base, *said)] if said else base
    parts = (given,) if given in _KINDS else get_args(given)
    kinds: list[Kind] = [_KINDS[part] for part in parts if part in _KINDS]
    # A choice of texts is a name; what may be a number or a text is free.
    kind: Kind = "name" if get_origin(given) is Literal else kinds[0] if len(kinds) == 1 else "text"
    known: dict[str, Any] = {"kind": kind}
    if kind == "truth":
        known["levels"] = ("true", "false")
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
