"""Read a table of numbers from a .npy or .csv file; every fault is an error with its place and its cure.

A file is read piece by piece into numbers of eight bytes.  What is limited is the number of these: a small
file can hold many (a byte each), and text that is split into cells needs far more memory than its size.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import warnings
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import ordinary, text_lines
from core.wording import printable

__all__ = ["read_table"]

MOST_ROWS = 500_000
MOST_COLUMNS = 1000
MOST_NUMBERS = 5_000_000
LARGEST_FILE = 1 << 27  # bytes: 25 for each number
LONGEST_LINE = 100_000  # bytes: 100 for each column
MOST_NAMES = 10  # lines of column names
LARGEST = 1e100
MAGIC = b"\x93NUMPY"
HEADER = 1 << 14  # bytes: more than NumPy takes for safe
BLOCK = 1 << 20  # numbers that are converted at once

Array = NDArray[np.float64]


def read_table(path: Path) -> Array:
    """The numbers in a file, one row per arm."""
    with ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            problem = f"the file is larger than {LARGEST_FILE:,} bytes; keep only some of its rows"
            raise FileError(path, problem)
        is_npy = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        table = _npy(path, file) if is_npy else _csv(path, file)
    if len(table) < 2:
        raise FileError(path, "the table has fewer than two rows of numbers; arms are drawn from its rows")
    if max(table.max(), -table.min()) > LARGEST:
        raise FileError(path, f"the table has numbers beyond {LARGEST:g}; change the unit")
    return table


def _check_size(path: Path, rows: int, columns: int, where: str | None = None) -> None:
    if columns > MOST_COLUMNS:
        problem = f"the table has {columns:,} columns; reduce them to {MOST_COLUMNS:,} or fewer"
    elif rows > MOST_ROWS:
        problem = f"the table has more than {MOST_ROWS:,} rows; keep only some of them"
    elif rows * columns > MOST_NUMBERS:
        problem = f"the table has more than {MOST_NUMBERS:,} numbers; keep only some of its rows or columns"
    else:
        return
    raise FileError(path, printable(problem), where=where)


# NumPy


def _npy(path: Path, file: BinaryIO) -> Array:
    shape, by_columns, kind = _header(path, file)
    if len(shape) != 2 or kind.kind not in "fiu" or min(shape) < 1:
        raise FileError(
            path,
            f"this is an array of shape {printable(str(shape))} and type {printable(str(kind))}; "
            "it must be a table of real numbers, one row per arm",
        )
    _check_size(path, *shape)
    table = np.empty(shape[0] * shape[1])
    for begin in range(0, table.size, BLOCK):
        part = table[begin : begin + BLOCK]
        raw = file.read(part.size * kind.itemsize)
        if len(raw) < part.size * kind.itemsize:
            problem = f"the file ends before the {shape[0]:,} x {shape[1]:,} numbers that it promises"
            raise FileError(path, f"{problem}: it was cut off (fetch or copy it again)")
        with np.errstate(all="ignore"):  # a longer float may become infinite, which is refused below
            part[:] = np.frombuffer(raw, kind)
    if file.read(1):
        raise FileError(path, "the file continues after its table of numbers: it is damaged (fetch it again)")
    table = table.reshape(shape, order="F" if by_columns else "C")
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.unravel_index(int(np.argmin(finite)), table.shape)
        raise FileError(path, _not_finite(int(column) + 1), where=f"row {row + 1}")
    return np.ascontiguousarray(table)


def _header(path: Path, file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype]:
    """The shape, whether the numbers go column by column, and their type."""
    head = io.BytesIO(file.read(HEADER))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a damaged header may be deprecated Python
            version = np.lib.format.read_magic(head)
            if version == (1, 0):
                found = np.lib.format.read_array_header_1_0(head)
            elif version == (2, 0):
                found = np.lib.format.read_array_header_2_0(head)
            else:
                raise ValueError(f"version {version[0]}.{version[1]} of the format is not for numbers")
    except Exception as error:  # NumPy reads the header as Python, so damage can raise almost anything
        reason = printable(str(error) or type(error).__name__)
        raise FileError(path, f"this can't be read as a NumPy array of numbers: {reason}") from None
    file.seek(head.tell())
    shape, by_columns, kind = found
    return shape, by_columns, kind


# Text


def _csv(path: Path, file: BinaryIO) -> Array:
    numbers = array("d")
    rows = columns = names = 0
    for line, cells in _lines(path, file):
        where = f"line {line}"
        if not rows and not any(_is_number(cell) for cell in cells):
            names += 1
            if names > MOST_NAMES:
                raise FileError(path, f"there are no numbers in the first {names} lines", where=where)
            continue
        rows += 1
        columns = columns or len(cells)
        _check_size(path, rows, len(cells), where)
        numbers.extend(_numbers(path, line, cells))
        if len(cells) != columns:
            problem = f"this row has {len(cells)} columns, but the rows above have {columns}"
            raise FileError(path, problem, where=where)
    return np.array(numbers).reshape(rows, columns)


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, Sequence[str]]]:
    """The number and the cells of every line that isn't empty."""
    delimiter = None
    for number, text in text_lines(path, file, longest=LONGEST_LINE, most=2 * MOST_ROWS):
        if not text.strip():
            continue
        delimiter = delimiter or next((character for character in ";\t" if character in text), ",")
        try:
            cells = next(csv.reader([text], delimiter=delimiter, strict=True))
        except csv.Error as error:
            problem = f"this can't be read as a table: {error}"
            raise FileError(path, problem, where=f"line {number}") from None
        if any(cell.strip() for cell in cells):
            yield number, cells


def _numbers(path: Path, line: int, cells: Sequence[str]) -> list[float]:
    """The numbers of a row; if there is any fault, cell by cell, to find it."""
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = []
    if values and all(map(math.isfinite, values)) and not any("_" in cell for cell in cells):
        return values
    return [_number(path, line, column, cell) for column, cell in enumerate(cells, start=1)]


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
        given = printable(repr(cell.strip()))
        problem = f"{given} is not a number" if cell.strip() else "a number is missing"
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
