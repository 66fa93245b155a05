"""Read a table of numbers from a .npy or .csv file; every fault is an error with its place and its cure."""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import ordinary
from core.wording import printable

__all__ = ["read_table"]

MOST_BYTES = 1 << 28
MOST_COLUMNS = 1000
LARGEST = 1e100

Array = NDArray[np.float64]


def read_table(path: Path) -> Array:
    """The numbers in a file, one row per arm."""
    with ordinary(path) as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise FileError(path, f"the file is larger than {MOST_BYTES:,} bytes; keep only some of its rows")
    table = _npy(path, raw) if raw.startswith(b"\x93NUMPY") else _csv(path, raw)
    if len(table) < 2:
        raise FileError(path, "the table has fewer than two rows of numbers; arms are drawn from its rows")
    if table.shape[1] > MOST_COLUMNS:
        raise FileError(
            path, f"the table has {table.shape[1]:,} columns; reduce them to {MOST_COLUMNS:,} or fewer"
        )
    if np.abs(table).max() > LARGEST:
        raise FileError(path, f"the table has numbers beyond {LARGEST:g}; change the unit")
    return table


def _npy(path: Path, raw: bytes) -> Array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a damaged header may be deprecated Python
            array = np.load(io.BytesIO(raw), allow_pickle=False)
    except Exception as error:  # NumPy reads the header as Python, so damage can raise almost anything
        reason = printable(str(error) or type(error).__name__)
        raise FileError(path, f"this can't be read as a NumPy array of numbers: {reason}") from None
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.size:
        raise FileError(
            path,
            f"this is an array of shape {array.shape} and type {array.dtype}; "
            "it must be a table of real numbers, one row per arm",
        )
    table = np.asarray(array, dtype=np.float64)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0] + 1
        raise FileError(path, _not_finite(column), where=f"row {row}")
    return table


def _csv(path: Path, raw: bytes) -> Array:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            path, "this is neither a NumPy file (.npy) nor a text file (.csv)", where=f"byte {error.start}"
        ) from None
    rows: list[list[float]] = []
    for line, cells in _lines(path, text):
        if not rows and not any(_is_number(cell) for cell in cells):
            continue  # the names of the columns
        rows.append([_number(path, line, column, cell) for column, cell in enumerate(cells, start=1)])
        if len(rows[-1]) != len(rows[0]):
            raise FileError(
                path,
                f"this row has {len(rows[-1])} columns, but the rows above have {len(rows[0])}",
                where=f"line {line}",
            )
    return np.array(rows, dtype=np.float64)


def _lines(path: Path, text: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The number and the cells of every line that isn't empty."""
    first = text.lstrip().partition("\n")[0]
    delimiter = next((character for character in ";\t" if character in first), ",")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(
            path, f"this can't be read as a table: {error}", where=f"line {reader.line_num}"
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(path: Path, line: int, column: int, cell: str) -> float:
    try:
        value = float(cell if "_" not in cell else "no")  # Python would read 1_0 as 10
    except ValueError:
        problem = f"{cell.strip()!r} is not a number" if cell.strip() else "a number is missing"
        if re.fullmatch(r"\s*-?\d+,\d+\s*", cell):
            problem += " (write decimals with a point)"
        raise FileError(
            path,
            f"column {column}: {problem}; remove columns of text, and rows with missing numbers",
            where=f"line {line}",
        ) from None
    if not math.isfinite(value):
        raise FileError(path, _not_finite(column), where=f"line {line}")
    return value


def _not_finite(column: int) -> str:
    return f"column {column}: the number is not finite; remove rows with missing numbers"
