"""The building blocks of tidy tables: columns, each declared once, and how tables are written.

A column for a field of the log takes its meaning and its type from the declaration of that field.  A row is
a mapping from the names of columns to values.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from core.files import explained, replacing
from studyapp.session.events import Count, Milliseconds, Moment, Number, Reward

# "word": a word or an ID.  "name": any other text from a fixed set.  "text": what people may type freely.
Kind = Literal["truth", "count", "number", "reward", "moment", "word", "name", "text"]
Value = str | int | float | bool | None

# An apostrophe keeps spreadsheets from running these texts as formulas.
RUN_BY_SPREADSHEETS: Final = (*"=+-@", *"＝＋－＠", "\t", "\r")  # noqa: RUF001 (full-width forms count too)
GUARDED: Final = (
    "text that begins with = + - @ (also full-width), a tab or a carriage return is preceded by an apostrophe"
)
TRUTH: Final = ("TRUE", "FALSE")


@dataclass(frozen=True)
class Column:
    """A column: its name, its meaning, and its type, unit and limits."""

    name: str
    meaning: str
    kind: Kind
    unit: str | None = field(default=None, kw_only=True)
    least: float | None = field(default=None, kw_only=True)
    most: float | None = field(default=None, kw_only=True)
    levels: tuple[str, ...] = field(default=(), kw_only=True)  # of a name

    @property
    def choices(self) -> tuple[str, ...]:
        """What a cell may hold, where that is fixed."""
        return TRUTH if self.kind == "truth" else self.levels

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
        return "" if value is None else _CELLS.get(self.kind, str)(value)


@dataclass(frozen=True)
class Described:
    """What a data dictionary says of a table as a whole."""

    name: str
    row_is: str  # what one row describes
    key: tuple[str, ...]  # the columns that together identify a row
    note: str = field(default="", kw_only=True)  # what else there is to know


@dataclass(frozen=True)
class Table(Described):
    """A table: its columns, and how a session (or another source) becomes rows."""

    columns: tuple[Column, ...]
    entries: Callable[[Any], Iterable[Mapping[str, Any]]]

    @property
    def header(self) -> list[str]:
        """The names of all columns."""
        return [column.name for column in self.columns]

    def rows(self, source: Any) -> list[list[str]]:
        """The rows of a session, as they are written."""
        return [[column.written(row[column.name]) for column in self.columns] for row in self.entries(source)]


def total(rewards: Iterable[float]) -> float:
    """The sum of rewards as their decimals add up: 0.1 and 0.2 are 0.3."""
    return float(sum((Decimal(repr(reward)) for reward in rewards), Decimal(0)))


def _reward(value: float) -> str:
    """Six decimals, as in the published data; more if six would not be exact."""
    text = f"{value:.6f}"
    return text if float(text) == value else format(Decimal(repr(value)), "f")


def _guarded(value: str | int) -> str:
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(RUN_BY_SPREADSHEETS) else text


_CELLS: Mapping[Kind, Callable[[Any], str]] = {
    "truth": lambda value: "TRUE" if value else "FALSE",  # R takes these for logical
    "number": repr,
    "reward": _reward,
    **dict.fromkeys(("word", "name", "text"), _guarded),
}
_TYPES: Mapping[Kind, str] = {
    "truth": "TRUE or FALSE",
    "count": "whole number",
    "moment": "time",
    "text": "free text",
    **dict.fromkeys(("number", "reward"), "number"),
    **dict.fromkeys(("word", "name"), "text"),
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


def field_column(declared: type, name: str, **more: Any) -> Column:
    """The column of a field of the log, with the meaning and the type of its declaration."""
    base, *annotations = get_args(_hints(declared)[name])
    meaning = annotations.pop().description
    given: Any = Annotated[(base, *annotations)] if annotations else base
    parts = (given,) if given in _KINDS else get_args(given)
    kinds: list[Kind] = [_KINDS[part] for part in parts if part in _KINDS]
    # A choice of texts is a name.  A field that may hold a number or a text is free text.
    kind: Kind = "name" if get_origin(given) is Literal else kinds[0] if len(kinds) == 1 else "text"
    known: dict[str, Any] = {"kind": kind}
    if get_origin(given) is Literal:
        known["levels"] = get_args(given)
    elif kind in ("count", "number"):
        known["least"] = 0
    if name.endswith("_ms"):
        known["unit"] = "ms"
    return Column(name, meaning, **(known | more))


@lru_cache
def _hints(declared: type) -> dict[str, Any]:
    return get_type_hints(declared, include_extras=True)


# Files


@dataclass(frozen=True)
class Part:
    """The rows that one session adds to a table, packed so that a thousand sessions fit in memory."""

    rows: int
    packed: bytes


@dataclass(frozen=True)
class Written:
    """A table in a file."""

    table: Described
    columns: Sequence[Column]
    rows: int
    name: str  # of the file


def part_of(table: Table, source: object) -> Part:
    """The rows of a session, built in the process that read its log."""
    rows = table.rows(source)
    return Part(len(rows), zlib.compress(_csv(rows), level=1))


def write_table(table: Table, parts: Sequence[Part], folder: Path, name: str) -> Written | None:
    """Write a table with all its columns; one without rows is removed instead, and None returned."""
    path, rows = folder / name, sum(part.rows for part in parts)
    if not rows:
        with explained(path):
            path.unlink(missing_ok=True)
        return None
    with replacing(path, overwrite=True) as file:
        file.write(_csv([table.header]))
        for part in parts:
            file.write(zlib.decompress(part.packed))
    return Written(table, table.columns, rows, name)


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    """CSV with the line endings of RFC 4180, like the published data."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode(errors="backslashreplace")
