"""Every dataset describes itself, and what it says is true."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from core import Vocabulary
from core.errors import FileError, SettingError
from studyapp.experiments.datasets import DATASETS, Dataset, DatasetKind, Leaf, Wine, load

KINDS = pytest.mark.parametrize("kind", DATASETS, ids=DATASETS.names)


@KINDS
def test_a_dataset_has_the_size_and_the_labels_that_it_says(kind: type[DatasetKind]) -> None:
    assert kind.sentence
    assert kind.blank().table.shape == (kind.rows, kind.columns)
    if kind.shipped:
        dataset = kind.load()
        assert (dataset.name, dataset.table.shape) == (kind.name, (kind.rows, kind.columns))
        assert not kind.source
    if kind.labelled:
        assert kind.labels().shape == (kind.rows,)
    else:
        with pytest.raises(NotImplementedError):
            kind.labels()


@KINDS
def test_a_dataset_is_either_shipped_or_brought_as_a_file(kind: type[DatasetKind], tmp_path: Path) -> None:
    path = tmp_path / "table.npy"
    np.save(path, np.random.default_rng(0).normal(size=(kind.rows, kind.columns)))
    if kind.shipped:
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


def test_an_unknown_name_and_a_missing_file_are_reported() -> None:
    with pytest.raises(SettingError, match=r"there is no dataset 'wines' \(did you mean 'wine'\?\)"):
        load("wines", None)
    with pytest.raises(FileError, match="there is no such file"):
        load(None, Path("nowhere.csv"))
