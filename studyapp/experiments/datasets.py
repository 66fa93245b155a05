"""The datasets that arms are drawn from.

Each is one class that describes itself: its name, a sentence about it, its size, where the table comes from,
and whether studyapp may ship it.  A user's own table is read from a file instead.
"""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError, SettingError
from core.kinds import Kinds
from core.vocabulary import Vocabulary
from studyapp.experiments.tables import read_table

__all__ = ["DATASETS", "DEFAULT", "Dataset", "DatasetKind", "load"]

Array = NDArray[np.float64]
Labels = NDArray[np.bool_]


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


def _usable(path: Path, table: Array) -> Array:
    from core.worlds import prepared  # loads SciPy, which the command line's help need not wait for

    try:
        prepared(table)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return table
