"""Every dataset describes itself, and what it says is true."""

from __future__ import annotations

import hashlib
import io
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Vocabulary
from core.errors import FileError, SettingError
from studyapp.experiments.datasets import DATASETS, Dataset, DatasetKind, Leaf, Wine, load


@pytest.mark.parametrize("kind", DATASETS, ids=DATASETS.names)
def test_a_dataset_has_the_size_that_it_says_and_is_either_shipped_or_brought_as_a_file(
    kind: type[DatasetKind], tmp_path: Path
) -> None:
    assert kind.sentence
    assert kind.blank().table.shape == (kind.rows, kind.columns)
    assert not kind.labelled or kind.labels().shape == (kind.rows,)
    path = tmp_path / "table.npy"
    np.save(path, np.random.default_rng(0).normal(size=(kind.rows, kind.columns)))
    if kind.shipped:
        dataset = kind.load()
        assert (dataset.name, dataset.table.shape) == (kind.name, (kind.rows, kind.columns))
        with pytest.raises(SettingError, match=f"studyapp ships the {kind.name} data, and --data"):
            load(kind.name, path)
    else:
        assert load(kind.name, path).name == kind.name
        with pytest.raises(SettingError, match=rf"the {kind.name} data .* can't be shipped .*--data FILE"):
            load(kind.name, None)


def test_the_word_data_are_the_words_for_simulations_and_the_default() -> None:
    np.testing.assert_array_equal(load("word", None).table, Vocabulary.load("words10k").vectors)
    assert load(None, None).name == "word"


def test_the_wine_data_are_the_released_file_without_its_quality() -> None:
    released = resources.files("studyapp.experiments").joinpath("data", Wine.FILE).read_bytes()
    sha256 = "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836"
    assert hashlib.sha256(released).hexdigest() == sha256
    assert load("wine", None).table[0].tolist() == [7, 0.27, 0.36, 20.7, 0.045, 45, 170, 1.001, 3, 0.45, 8.8]
    assert int(Wine.labels().sum()) == 1060


def test_the_leaf_data_must_have_the_right_size(tmp_path: Path) -> None:
    path = tmp_path / "leaf.npy"
    np.save(path, np.zeros((340, 16)))
    with pytest.raises(FileError, match=r"340 rows and 14 columns .*, but this file has 340 rows and 16 col"):
        load("leaf", path)
    np.save(path, np.zeros((Leaf.rows, Leaf.columns)))
    with pytest.raises(FileError, match="column 1 has the same number in every row"):
        load("leaf", path)


def test_datasets_differ_by_their_numbers_and_by_their_shape() -> None:
    table = np.arange(12.0)
    tables = (table.reshape(3, 4), table.reshape(4, 3), table[None], table[None] + 1)
    assert len({Dataset("", other).sha256 for other in tables}) == 4


# Tables of one's own

GOOD = "a,b,c\n1,2,3\n4,5,7\n-1,0.5,2e1\n"


def file(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def npy(array: Any) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=True)
    return content.getvalue()


def test_a_csv_is_read_with_or_without_column_names_and_with_any_delimiter(tmp_path: Path) -> None:
    for content in (
        GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.removeprefix("a,b,c\n"),
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n").rstrip(),
    ):
        dataset = load(None, file(tmp_path, content))
        assert dataset.table.tolist() == [[1, 2, 3], [4, 5, 7], [-1, 0.5, 20]], content
        assert dataset.name == "table.csv"


def test_an_npy_gives_the_same_dataset_whatever_its_number_type_and_order(tmp_path: Path) -> None:
    table = np.arange(12.0).reshape(4, 3) ** 2
    for array in (*(table.astype(kind) for kind in ("f8", "f4", "i2", ">f8")), np.asfortranarray(table)):
        path = file(tmp_path, npy(array), "table.npy")
        assert load(None, path).sha256 == Dataset("other name", table).sha256


UNREADABLE = "NumPy can't read this as a table of numbers"
NO_TABLE = "it must be a table of real numbers"
SQUARES = npy(np.arange(9.0).reshape(3, 3) ** 2)
BAD: dict[str, tuple[str | bytes, str]] = {
    "text": ("1,2\n3,four\n5,6\n", f"{UNREADABLE} (could not convert string 'four'"),
    "a missing number": ("a,b\n1,2\n3,\n5,6\n", UNREADABLE),
    "NaN": ("1,2\nnan,4\n5,6\n", "row 2 of numbers, column 1: this number is missing, infinite or beyond"),
    "infinity": ("1,2\n3,1e999\n5,6\n", "row 2 of numbers, column 2: this number is missing, infinite"),
    "a huge number": ("1,2\n1e200,4\n5,6\n", "beyond 1e+100"),
    "rows of two lengths": ("1,2\n3,4,5\n6,7\n", "the number of columns changed from 2 to 3"),
    "one row": ("a,b\n1,2\n", "fewer than two rows"),
    "nothing": ("", "fewer than two rows"),
    "decimal commas": ("1;2\n3,5;4\n", "write decimals with a point"),
    "many columns": (",".join("12" * 600) + "\n" + ",".join("34" * 600), "2 rows and 1,200 columns; keep at"),
    "a long line": ("1,2\n" + "1" * 100_001, "line 2: this line has more than 100,000 bytes"),
    "no UTF-8": (b"1,2\n3,\xff\n", "line 2: this is not UTF-8 text"),
    "a column of one number": ("1,2\n1,3\n1,4\n", "column 1 has the same number in every row"),
    "a damaged header": (b"\x93NUMPY\x01\x00garbage", UNREADABLE),
    "another shape": (SQUARES.replace(b"(3, 3)", b"(4, 3)"), UNREADABLE),
    "an enormous shape": (SQUARES.replace(b"(3, 3), }" + b" " * 10, b"(3000000000, 3), } "), UNREADABLE),
    "one dimension": (npy(np.arange(5.0)), f"shape (5,) and type float64; {NO_TABLE}"),
    "no columns": (npy(np.zeros((3, 0))), NO_TABLE),
    "an array of text": (npy(np.array([["a", "b"], ["c", "d"]])), NO_TABLE),
    "complex numbers": (npy(np.array([[1 + 2j, 2], [3, 4]])), NO_TABLE),
    "objects, which are never unpickled": (npy(np.array([[{}, 2], [3, 4]])), "allow_pickle=False"),
    "many rows": (npy(np.ones((500_001, 2), np.int8)), "keep at most 500,000 rows, 1,000 columns"),
    "many numbers": (npy(np.ones((5001, 1000), np.int8)), "and 5,000,000 numbers"),
}


def test_a_bad_file_is_refused_with_the_cure(tmp_path: Path) -> None:
    for name, (content, problem) in BAD.items():
        path = file(tmp_path, content)
        with pytest.raises(FileError) as caught:
            load(None, path)
        assert str(caught.value).startswith(str(path)), name
        assert problem in str(caught.value), name
        assert str(caught.value).isprintable(), name
