"""Tables on their way to disk: each session adds its rows, and columns without any value are left out."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from types import TracebackType
from typing import Any

from core.files import explained, replacing, scratch
from studyapp.tables.columns import Described, Table, Variable, write

__all__ = ["Part", "TableFile", "Written", "part_of"]


@dataclass(frozen=True)
class Part:
    """The rows that a session adds to a table."""

    rows: int
    used: list[bool]  # for every column: does it have a value?
    packed: bytes  # the lines, compressed so that a thousand sessions fit in memory


@dataclass(frozen=True)
class Written:
    """A table that was written, with the columns that have values."""

    table: Described
    columns: Sequence[Variable]
    rows: int
    name: str  # of the file


def part_of(table: Table[Any], source: object) -> Part:
    """The rows of a session, built in the process that read its log."""
    rows = table.rows(source)
    text = io.StringIO(newline="")
    write(text, rows)
    used = [any(row[column] for row in rows) for column in range(len(table.columns))]
    lines = text.getvalue().encode("utf-8", errors="backslashreplace")
    return Part(len(rows), used, zlib.compress(lines, level=1))


class TableFile:
    """A table on its way to a file.  Only when it is complete is it known which columns have values."""

    def __init__(self, table: Table[Any], folder: Path) -> None:
        self.table = table
        self._folder = folder
        self._used = [False] * len(table.columns)
        self._rows = 0

    def __enter__(self) -> TableFile:
        self._stack = ExitStack()
        self._whole = self._stack.enter_context(scratch(self._folder))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)

    def add(self, part: Part) -> None:
        """Append the rows of a session."""
        self._whole.write(zlib.decompress(part.packed))
        self._rows += part.rows
        self._used = [before or now for before, now in zip(self._used, part.used, strict=True)]

    def finish(self, name: str) -> Written | None:
        """Write the table under its name, without empty columns; returns None if it has no rows."""
        path = self._folder / name
        if not self._rows:
            with explained(path):
                path.unlink(missing_ok=True)
            return None
        self._whole.seek(0)
        whole = io.TextIOWrapper(self._whole, encoding="utf-8", newline="")
        with replacing(path, overwrite=True) as raw:
            file = io.TextIOWrapper(raw, encoding="utf-8", newline="")
            write(file, [list(compress(self.table.header, self._used))])
            write(file, (list(compress(row, self._used)) for row in csv.reader(whole)))
            file.detach()  # flushes, and leaves the file to whoever opened it
        whole.detach()
        columns = [column for column, used in zip(self.table.columns, self._used, strict=True) if used]
        return Written(self.table, columns, self._rows, name)
