"""The datasets that arms are drawn from.

Each is one class that describes itself: its name, a sentence about it, its size, where the table comes from,
and whether studyapp may ship it.  A user's own table is read from a file instead.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError, SettingError
from core.files import ordinary, text_lines
from core.kinds import Kinds
from core.vocabulary import Vocabulary
from core.wording import printable

Array = NDArray[np.float64]
Labels = NDArray[np.bool_]

MOST_ROWS, MOST_COLUMNS, MOST_NUMBERS = 500_000, 1000, 5_000_000
LARGEST_FILE = 1 << 27  # bytes: 25 for each number
LONGEST_LINE = 100_000  # bytes: 100 for each column
LARGEST = 1e100
MAGIC = b"\x93NUMPY"  # how a .npy file begins


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of numbers with a name."""

    name: str
    table: Array  # (N, M)

    @property
    def sha256(self) -> str:
        """A hash of the shape and the numbers; the file they came from makes no difference."""
        digest = hashlib.sha256(f"{self.table.shape[0]} {self.table.shape[1]}\n".encode())
        digest.update(np.ascontiguousarray(self.table, dtype="<f8").tobytes())
        return digest.hexdigest()


class DatasetKind:
    """A dataset known by name.  A subclass that studyapp ships says how to make its table."""

    name: ClassVar[str]  # as users write it
    sentence: ClassVar[str]  # what its rows are, for help and errors
    rows: ClassVar[int]
    columns: ClassVar[int]
    shipped: ClassVar[bool] = True  # with studyapp; otherwise the user brings the file
    source: ClassVar[str] = ""  # where to get a dataset that is not shipped
    labelled: ClassVar[bool] = False  # does every row have a class, for the active learner?

    @classmethod
    def table(cls) -> Array:
        """The numbers, (rows, columns), of a dataset that is shipped."""
        raise NotImplementedError

    @classmethod
    def labels(cls) -> Labels:
        """The class of each row, of a dataset that is labelled."""
        raise NotImplementedError

    @classmethod
    def load(cls) -> Dataset:
        """The dataset itself; an error with the cure where the user has to bring it."""
        if not cls.shipped:
            raise SettingError(
                f"the {cls.name} data ({cls.sentence}) can't be shipped with studyapp. "
                f"Get them from {cls.source} and pass the {cls.columns} feature columns "
                "as a .npy or .csv file: --data FILE"
            )
        return Dataset(cls.name, cls.table())

    @classmethod
    def read(cls, path: Path) -> Dataset:
        """The dataset from a file that the user brings."""
        if cls.shipped:
            raise SettingError(
                f"studyapp ships the {cls.name} data, and --data names a file; "
                "leave out --dataset to use the file, or --data to use the shipped data"
            )
        table = read_table(path)
        if table.shape != (cls.rows, cls.columns):
            raise FileError(
                path,
                f"the {cls.name} data have {cls.rows} rows and {cls.columns} columns ({cls.sentence}), but "
                f"this file has {table.shape[0]} rows and {table.shape[1]} columns; "
                "for other data, leave out --dataset",
            )
        return Dataset(cls.name, _usable(path, table))

    @classmethod
    def blank(cls) -> Dataset:
        """A table of the same size without the data, to plan a run."""
        return Dataset(cls.name, np.zeros((cls.rows, cls.columns)))


DATASETS: Kinds[type[DatasetKind]] = Kinds("dataset")


@DATASETS.add
class Word(DatasetKind):
    name = "word"
    sentence = "10 principal components of 10,000 word vectors"
    rows, columns = 10_000, 10

    @classmethod
    def table(cls) -> Array:
        return Vocabulary.load("words10k").vectors


@DATASETS.add
class Wine(DatasetKind):
    """White wines (Cortez et al. 2009), labelled good from a quality of 7."""

    name = "wine"
    sentence = "11 measurements of 4,898 white wines"
    rows, columns = 4898, 11
    labelled = True

    FILE = "winequality-white.csv"
    GOOD = 7  # the lowest quality of a good wine

    @classmethod
    def table(cls) -> Array:
        return cls._numbers()[:, :-1]

    @classmethod
    def labels(cls) -> Labels:
        return cls._numbers()[:, -1] >= cls.GOOD

    @classmethod
    @cache
    def _numbers(cls) -> Array:
        text = resources.files("studyapp.experiments").joinpath("data", cls.FILE).read_text(encoding="ascii")
        rows = list(csv.reader(io.StringIO(text), delimiter=";"))
        return np.array(rows[1:], dtype=np.float64)


@DATASETS.add
class Leaf(DatasetKind):
    name = "leaf"
    sentence = "14 features of 340 leaves, without species and specimen"
    rows, columns = 340, 14
    shipped = False
    source = "the UCI Machine Learning Repository, under 'Leaf',"


DEFAULT = Word.name


def load(name: str | None, path: Path | None) -> Dataset:
    """The dataset called ``name``, or the one in the file ``path`` if arms can be drawn from it."""
    if path is None:
        return DATASETS[name or DEFAULT].load()
    if name is not None:
        return DATASETS[name].read(path)
    return Dataset(path.name.encode(errors="backslashreplace").decode(), _usable(path, read_table(path)))


def read_table(path: Path) -> Array:
    """The numbers in a .npy or .csv file, one row per arm."""
    with ordinary(path) as file, warnings.catch_warnings(action="ignore"):
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            problem = f"the file is larger than {LARGEST_FILE:,} bytes; keep only some of its rows"
            raise FileError(path, problem)
        try:
            is_npy = file.peek(len(MAGIC)).startswith(MAGIC)
            table = np.load(file, allow_pickle=False) if is_npy else _text(path, file)
        except FileError:
            raise
        except Exception as error:  # damage can raise almost anything
            raise FileError(
                path,
                f"NumPy can't read this as a table of numbers ({printable(str(error))}); remove text and "
                "rows with missing numbers, and write decimals with a point",
            ) from None
    if table.ndim != 2 or table.dtype.kind not in "fiu" or not table.shape[1]:
        problem = printable(f"this is an array of shape {table.shape} and type {table.dtype}")
        raise FileError(path, f"{problem}; it must be a table of real numbers, one row per arm")
    rows, columns = table.shape
    if rows < 2:
        raise FileError(path, "the table has fewer than two rows of numbers; arms are drawn from its rows")
    if rows > MOST_ROWS or columns > MOST_COLUMNS or table.size > MOST_NUMBERS:
        raise FileError(
            path,
            f"the table has {rows:,} rows and {columns:,} columns; keep at most {MOST_ROWS:,} rows, "
            f"{MOST_COLUMNS:,} columns and {MOST_NUMBERS:,} numbers",
        )
    with np.errstate(over="ignore"):  # a longer float may become infinite
        table = np.ascontiguousarray(table, dtype=np.float64)
    bad = np.argwhere(~(np.abs(table) <= LARGEST))
    if len(bad):
        row, column = bad[0] + 1
        problem = f"this number is missing, infinite or beyond {LARGEST:g}; remove such rows"
        raise FileError(path, problem, where=f"row {row} of numbers, column {column}")
    return table


def _text(path: Path, file: BinaryIO) -> Array:
    """A table of text, with or without a line of column names, divided by commas, semicolons or tabs."""
    numbered = text_lines(path, file, longest=LONGEST_LINE, most=2 * MOST_ROWS)
    lines: Iterator[str] = (line for _, line in numbered if line.strip())
    first = next(lines, "")
    delimiter = next((character for character in ";\t" if character in first), ",")
    if any(map(_is_number, first.split(delimiter))):
        lines = chain([first], lines)
    return np.loadtxt(lines, delimiter=delimiter, ndmin=2, max_rows=MOST_ROWS + 1)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _usable(path: Path, table: Array) -> Array:
    from core.worlds import prepared  # loads SciPy, which the command line's help need not wait for

    try:
        prepared(table)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return table
