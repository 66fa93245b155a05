"""Tables are read from files, or refused with the place and the cure."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import FileError
from studyapp.experiments.datasets import Dataset, load

GOOD = "a,b,c\n1,2,3\n4,5,7\n-1,0.5,2e1\n"


def file(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.removeprefix("a,b,c\n"),
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n").rstrip(),
        GOOD.replace("1,2,3", '"1", 2 ,3'),
    ],
)
def test_a_csv_is_read_with_or_without_column_names_and_with_any_delimiter(
    tmp_path: Path, content: str
) -> None:
    dataset = load(None, file(tmp_path, content))
    assert dataset.table.tolist() == [[1, 2, 3], [4, 5, 7], [-1, 0.5, 20]]
    assert dataset.name == "table.csv"


@pytest.mark.parametrize("kind", ["float64", "float32", "int16", ">f8"])
def test_an_npy_gives_the_same_dataset_whatever_its_number_type(tmp_path: Path, kind: str) -> None:
    table = np.arange(12.0).reshape(4, 3) ** 2
    path = tmp_path / "table.npy"
    np.save(path, table.astype(kind))
    assert load(None, path).sha256 == Dataset("other name", table).sha256


@pytest.mark.parametrize(
    ("content", "where", "problem"),
    [
        ("1,2\n3,four\n5,6\n", "line 2", "column 2: 'four' is not a number; remove columns of text"),
        ("a,b\n1,2\n3,\n5,6\n", "line 3", "column 2: a number is missing"),
        ("1,2\nnan,4\n5,6\n", "line 2", "column 1: the number is not finite"),
        ("1,2\n1e999,4\n5,6\n", "line 2", "column 1: the number is not finite"),
        ("1,2\n3,4,5\n6,7\n", "line 2", "this row has 3 columns, but the rows above have 2"),
        ("a,b\n1,2\n", None, "fewer than two rows"),
        ("1;2\n3,5;4\n", "line 2", "column 1: '3,5' is not a number (write decimals with a point)"),
        ("1,2\n1_0,4\n", "line 2", "column 1: '1_0' is not a number"),
        ("1,2\n1e200,4\n5,6\n", None, "numbers beyond 1e+100"),
        (",".join("12" * 600) + "\n" + ",".join("34" * 600) + "\n", "line 1", "the table has 1,200 columns"),
        ("a,b\n" * 11, "line 11", "there are no numbers in the first 11 lines"),
        ("1,2\n" + "1" * 100_001, "line 2", "this line has more than 100,000 bytes"),
        (b"1,2\n3,\xff\n", "line 2", "this is not UTF-8 text"),
        (b"1,2\n3,\x00\n", "line 2", "this line has a NUL byte"),
        ('1,2\n"3\n",4\n', "line 2", "can't be read as a table"),
        ("", None, "fewer than two rows"),
        ("only,names\n", None, "fewer than two rows"),
        ("1,2\n1,3\n1,4\n", None, "column 1 has the same number in every row"),
        (b"\xff\xfe\x00\x01", "line 1", "this is not UTF-8 text"),
        (b"\x93NUMPY\x01\x00garbage", None, "can't be read as a NumPy array"),
        ('1,2\n3,"4\n', "line 2", "can't be read as a table"),
    ],
)
def test_a_bad_file_is_refused_with_the_place_and_the_cure(
    tmp_path: Path, content: str | bytes, where: str | None, problem: str
) -> None:
    path = file(tmp_path, content)
    with pytest.raises(FileError) as caught:
        load(None, path)
    assert caught.value.path == str(path)
    assert caught.value.where == where
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (np.arange(5.0), "shape (5,)"),
        (np.array([["a", "b"], ["c", "d"]]), "it must be a table of real numbers"),
        (np.zeros((0, 3)), "it must be a table of real numbers"),
        (np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]]), "column 1: the number is not finite"),
        (np.array([[1 + 2j, 2], [3, 4]]), "it must be a table of real numbers"),
    ],
)
def test_a_bad_npy_is_refused_with_the_problem(tmp_path: Path, array: np.ndarray, problem: str) -> None:
    path = tmp_path / "table.npy"
    np.save(path, array)
    with pytest.raises(FileError) as caught:
        load(None, path)
    assert problem in caught.value.problem


def test_an_npy_with_pickled_objects_is_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    np.save(path, np.array([[{"a": 1}, 2], [3, 4]], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="type object; it must be a table of real numbers"):
        load(None, path)


def test_pipes_devices_and_folders_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(FileError, match="this is a pipe or a device"):
            load(None, path)
    with pytest.raises(FileError, match="this is a folder"):
        load(None, tmp_path)


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ("(3000000000, 3000000)", "the table has 3,000,000 columns; reduce them to 1,000 or fewer"),
        ("(3000000000, 3)", "the table has more than 500,000 rows; keep only some of them"),
        ("(100000, 51)", "the table has more than 5,000,000 numbers; keep only some of its rows or columns"),
        ("(4, 3)", "the file ends before the 4 x 3 numbers that it promises: it was cut off"),
        ("(2, 3)", "the file continues after its table of numbers: it is damaged"),
        ("(-3, -3)", "it must be a table of real numbers"),
    ],
)
def test_an_npy_that_declares_another_size_than_it_has_is_refused(
    tmp_path: Path, shape: str, problem: str
) -> None:
    raw = _npy(np.zeros((3, 3)))
    raw = raw.replace(b"(3, 3)", shape.encode()).replace(b" " * (len(shape) - 6), b"", 1)
    with pytest.raises(FileError, match=problem):
        load(None, file(tmp_path, raw, "table.npy"))


def test_an_npy_may_go_column_by_column(tmp_path: Path) -> None:
    table = np.arange(12.0).reshape(4, 3) ** 2
    path = file(tmp_path, _npy(np.asfortranarray(table)), "table.npy")
    assert load(None, path).table.tolist() == table.tolist()


def _npy(array: Any) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()
