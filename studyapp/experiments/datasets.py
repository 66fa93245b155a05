"""Where arms are drawn from: tables of numbers, by name or from a file."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError, SettingError
from core.files import explained
from core.simulation import prepared
from core.vocabulary import Vocabulary

__all__ = ["LEAF_SHAPE", "LIKE_LEAF", "NAMES", "Dataset", "load", "wine"]

NAMES = ("word", "wine", "leaf")
WINE = "winequality-white.csv"
LEAF_SHAPE = (340, 14)
GOOD_WINE = 7  # the quality from which a wine counts as good
BYTES = 1 << 28  # of a file; more is no table of arms
COLUMNS = 1000
LARGEST = 1e100

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of numbers, as it came."""

    name: str
    table: Array  # (N, M)

    @property
    def sha256(self) -> str:
        """Of the shape and the numbers, whatever file they came from."""
        digest = hashlib.sha256(f"{self.table.shape[0]} {self.table.shape[1]}\n".encode())
        digest.update(np.ascontiguousarray(self.table, dtype="<f8").tobytes())
        return digest.hexdigest()


LIKE_LEAF = Dataset("leaf", np.zeros(LEAF_SHAPE))  # its size, where the data themselves do not matter


def load(name: str | None, path: Path | None) -> Dataset:
    """The dataset that goes by ``name``, or the one in the file ``path``, checked to be fit for arms."""
    if path is None:
        return _named(name or "word")
    if name not in (None, "leaf"):
        raise SettingError(
            f"--dataset {name} comes with studyapp and --data names a file; give only one of them"
        )
    table = _read(path)
    if name == "leaf" and table.shape != LEAF_SHAPE:
        raise FileError(
            path,
            f"the Leaf data has {LEAF_SHAPE[0]} rows of {LEAF_SHAPE[1]} columns (the features alone, without "
            f"species and specimen), and this has {table.shape[0]} of {table.shape[1]}; "
            "for other data leave out --dataset",
        )
    try:
        prepared(table)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return Dataset(name or path.name.encode(errors="backslashreplace").decode(), table)


def _named(name: str) -> Dataset:
    if name == "word":
        return Dataset(name, Vocabulary.load("words10k").vectors)
    if name == "wine":
        return Dataset(name, wine()[0])
    if name == "leaf":
        raise SettingError(
            "the Leaf data may not be passed on; bring its 14 features of 340 leaves as a .npy or .csv file: "
            "--data FILE (they are at the UCI Machine Learning Repository under 'Leaf')"
        )
    raise SettingError(f"there is no dataset {name!r}; it must be one of {', '.join(NAMES)}, or --data FILE")


def wine() -> tuple[Array, NDArray[np.bool_]]:
    """White wines (Cortez et al. 2009): 11 measurements of each, and whether its quality is 7 or more."""
    place = resources.files("studyapp.experiments").joinpath("data", WINE)
    rows = list(csv.reader(io.StringIO(place.read_text(encoding="ascii")), delimiter=";"))
    numbers = np.array(rows[1:], dtype=np.float64)
    return numbers[:, :-1], numbers[:, -1] >= GOOD_WINE


def _read(path: Path) -> Array:
    with explained(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileError(path, "this is no ordinary file; put the table into one")
        with path.open("rb") as file:
            raw = file.read(BYTES + 1)
    if len(raw) > BYTES:
        raise FileError(path, f"it has more than {BYTES:,} bytes; take a part of its rows")
    table = _npy(path, raw) if raw.startswith(b"\x93NUMPY") else _csv(path, raw)
    if len(table) < 2:
        raise FileError(path, "it has fewer than two rows of numbers, and arms are drawn from rows")
    if table.shape[1] > COLUMNS:
        raise FileError(
            path, f"it has {table.shape[1]:,} columns; at most {COLUMNS:,} are possible, so reduce them first"
        )
    if np.abs(table).max() > LARGEST:
        raise FileError(path, f"it has numbers beyond {LARGEST:g}; take smaller units")
    return table


def _npy(path: Path, raw: bytes) -> Array:
    try:
        array = np.load(io.BytesIO(raw), allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise FileError(path, f"it cannot be read as a NumPy array of numbers: {error}") from None
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.size:
        raise FileError(
            path,
            f"it is an array of shape {array.shape} and type {array.dtype}; "
            "a table of real numbers is needed, a row for each arm",
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
            path, "it is neither a NumPy file (.npy) nor text (.csv)", where=f"byte {error.start}"
        ) from None
    rows: list[list[float]] = []
    for line, cells in _lines(path, text):
        if not rows and not any(_is_number(cell) for cell in cells):
            continue  # names of columns
        rows.append([_number(path, line, column, cell) for column, cell in enumerate(cells, start=1)])
        if len(rows[-1]) != len(rows[0]):
            raise FileError(
                path,
                f"{len(rows[-1])} columns, where the rows before have {len(rows[0])}",
                where=f"line {line}",
            )
    return np.array(rows, dtype=np.float64)


def _lines(path: Path, text: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The cells of every line in which there is anything, with its number."""
    first = text.lstrip().partition("\n")[0]
    delimiter = next((each for each in ";\t" if each in first), ",")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(
            path, f"it cannot be read as a table: {error}", where=f"line {reader.line_num}"
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(path: Path, line: int, column: int, cell: str) -> float:
    try:
        value = float(cell if "_" not in cell else "no")  # Python would take 1_0 for 10
    except ValueError:
        told = f"{cell.strip()!r} is no number" if cell.strip() else "a number is missing"
        if re.fullmatch(r"\s*-?\d+,\d+\s*", cell):
            told += " (decimals need a point)"
        raise FileError(
            path,
            f"column {column}: {told}; leave out columns of text, and rows that lack a number",
            where=f"line {line}",
        ) from None
    if not math.isfinite(value):
        raise FileError(path, _not_finite(column), where=f"line {line}")
    return value


def _not_finite(column: int) -> str:
    return f"column {column}: the number is not finite; leave out rows that lack a number"
