"""Tables to draw arms from: by name, from a file, or refused with the place and the cure."""

from __future__ import annotations

import hashlib
import os
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from core import Vocabulary
from core.errors import FileError, SettingError
from studyapp.experiments.datasets import LEAF_SHAPE, Dataset, load, wine

GOOD = "a,b,c\n1,2,3\n4,5,7\n-1,0.5,2e1\n"


def file(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_the_word_data_are_the_words_for_simulations() -> None:
    np.testing.assert_array_equal(load("word", None).table, Vocabulary.load("words10k").vectors)
    assert load(None, None).name == "word"


def test_the_wine_data_are_the_released_file_without_its_quality() -> None:
    released = resources.files("studyapp.experiments").joinpath("data", "winequality-white.csv").read_bytes()
    sha256 = "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836"
    assert hashlib.sha256(released).hexdigest() == sha256
    assert load("wine", None).table.shape == (4898, 11)
    assert load("wine", None).table[0].tolist() == [7, 0.27, 0.36, 20.7, 0.045, 45, 170, 1.001, 3, 0.45, 8.8]
    features, good = wine()
    assert (len(features), int(good.sum())) == (4898, 1060)


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
def test_a_csv_is_read_with_or_without_names_and_whatever_parts_it(tmp_path: Path, content: str) -> None:
    found = load(None, file(tmp_path, content))
    assert found.table.tolist() == [[1, 2, 3], [4, 5, 7], [-1, 0.5, 20]]
    assert found.name == "table.csv"


@pytest.mark.parametrize("kind", ["float64", "float32", "int16", ">f8"])
def test_an_npy_is_the_same_dataset_whatever_its_numbers_are_kept_as(tmp_path: Path, kind: str) -> None:
    table = np.arange(12.0).reshape(4, 3) ** 2
    path = tmp_path / "table.npy"
    np.save(path, table.astype(kind))
    assert load(None, path).sha256 == Dataset("other name", table).sha256


def test_numbers_tell_datasets_apart_and_shapes_too() -> None:
    table = np.arange(12.0)
    all_of_them = {
        Dataset("", each).sha256 for each in (table.reshape(3, 4), table.reshape(4, 3), table[None])
    }
    assert len(all_of_them) == 3


@pytest.mark.parametrize(
    ("content", "where", "problem"),
    [
        ("1,2\n3,four\n5,6\n", "line 2", "column 2: 'four' is no number; leave out columns of text"),
        ("a,b\n1,2\n3,\n5,6\n", "line 3", "column 2: a number is missing"),
        ("1,2\nnan,4\n5,6\n", "line 2", "column 1: the number is not finite"),
        ("1,2\n1e999,4\n5,6\n", "line 2", "column 1: the number is not finite"),
        ("1,2\n3,4,5\n6,7\n", "line 2", "3 columns, where the rows before have 2"),
        ("a,b\n1,2\n", None, "fewer than two rows"),
        ("1;2\n3,5;4\n", "line 2", "column 1: '3,5' is no number (decimals need a point)"),
        ("1,2\n1_0,4\n", "line 2", "column 1: '1_0' is no number"),
        ("1,2\n1e200,4\n5,6\n", None, "numbers beyond 1e+100"),
        (",".join("12" * 600) + "\n" + ",".join("34" * 600) + "\n", None, "it has 1,200 columns"),
        ("", None, "fewer than two rows"),
        ("only,names\n", None, "fewer than two rows"),
        ("1,2\n1,3\n1,4\n", None, "column 1 has the same number in every row"),
        (b"\xff\xfe\x00\x01", "byte 0", "neither a NumPy file"),
        (b"\x93NUMPY\x01\x00garbage", None, "cannot be read as a NumPy array"),
        ('1,2\n3,"4\n', "line 2", "cannot be read as a table"),
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
        (np.array([["a", "b"], ["c", "d"]]), "a table of real numbers is needed"),
        (np.zeros((0, 3)), "a table of real numbers is needed"),
        (np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]]), "column 1: the number is not finite"),
        (np.array([[1 + 2j, 2], [3, 4]]), "a table of real numbers is needed"),
    ],
)
def test_a_bad_npy_is_refused(tmp_path: Path, array: np.ndarray, problem: str) -> None:
    path = tmp_path / "table.npy"
    np.save(path, array)
    with pytest.raises(FileError) as caught:
        load(None, path)
    assert problem in caught.value.problem


def test_an_npy_with_pickled_objects_is_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    np.save(path, np.array([[{"a": 1}, 2], [3, 4]], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="cannot be read as a NumPy array"):
        load(None, path)


def test_what_is_no_ordinary_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(FileError, match="this is no ordinary file"):
            load(None, path)
    with pytest.raises(FileError, match="this is a folder"):
        load(None, tmp_path)


def test_an_npy_that_claims_more_than_there_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    np.save(path, np.zeros((3, 3)))
    path.write_bytes(
        path.read_bytes().replace(b"(3, 3)", b"(3000000000, 3000000)").replace(b" " * 15, b"", 1)
    )
    with pytest.raises(FileError, match="cannot be read as a NumPy array"):
        load(None, path)


def test_names_that_are_none_and_files_that_are_not_there_are_told() -> None:
    with pytest.raises(SettingError, match="there is no dataset 'wines'; it must be one of word, wine, leaf"):
        load("wines", None)
    with pytest.raises(SettingError, match="bring its 14 features of 340 leaves"):
        load("leaf", None)
    with pytest.raises(SettingError, match="--dataset wine comes with studyapp"):
        load("wine", Path("other.csv"))
    with pytest.raises(FileError, match="there is no such file"):
        load(None, Path("nowhere.csv"))


def test_the_leaf_data_are_known_by_their_shape(tmp_path: Path) -> None:
    path = tmp_path / "leaf.npy"
    np.save(path, np.random.default_rng(0).normal(size=LEAF_SHAPE))
    assert load("leaf", path).name == "leaf"
    np.save(path, np.random.default_rng(0).normal(size=(340, 16)))
    with pytest.raises(FileError, match=r"340 rows of 14 columns .*, and this has 340 of 16"):
        load("leaf", path)
