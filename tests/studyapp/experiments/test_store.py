"""The store of results: whole files, of one design, found out when damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_experiments import read, rewards

from core.errors import FileError
from studyapp.experiments import store
from studyapp.experiments.designs.design import Record
from studyapp.experiments.designs.examples import ADVANTAGE, TeachingExample
from studyapp.experiments.store import design_in, load, opened, save

DESIGN = TeachingExample()


def record(replication: int) -> Record:
    return {"series": "teacher", "replication": replication, "advantage": np.array([0.1 + replication])}


def filled(folder: Path, design: TeachingExample = DESIGN) -> list[Path]:
    """A folder with two files, of three replications and of one."""
    results = opened(folder, design)
    save(folder, results, [record(number) for number in range(3)])
    save(folder, results, [record(4)])
    return sorted(folder.iterdir())


def test_results_are_read_back_exactly_as_they_were_saved(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    files = filled(folder)
    results = read(folder)
    design = json.loads(json.dumps(DESIGN.settings()))
    assert results.design == design == opened(folder, DESIGN).design
    assert design_in(folder) == (files[0], design)
    assert results.numbers("teacher") == [0, 1, 2, 4]
    assert results.values("teacher", ADVANTAGE).tolist() == [[0.1], [1.1], [2.1], [4.1]]
    assert results.missing(("teacher", "other"), 3) == {"other": [0, 1, 2]}
    assert results.missing(("teacher",), 6) == {"teacher": [3, 5]}
    assert load(tmp_path / "nowhere") is design_in(tmp_path / "nowhere") is None


def test_a_file_that_was_damaged_in_any_byte_or_cut_anywhere_is_refused_with_the_cure(tmp_path: Path) -> None:
    _, path = filled(tmp_path)
    whole = path.read_bytes()
    damaged = [whole[:size] for size in range(0, len(whole), 7)]
    damaged += [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(0, len(whole), 5)]
    for content in [*damaged, whole + b"\n", b"my notes"]:
        path.write_bytes(content)
        for look in (load, lambda folder: opened(folder, DESIGN)):
            with pytest.raises(FileError, match=r"changed or damaged after .*; delete it, and run the") as e:
                look(tmp_path)
            assert e.value.path == str(path)
    path.unlink()  # as the message says
    assert opened(tmp_path, DESIGN).missing(("teacher",), 5) == {"teacher": [3, 4]}


def test_a_copy_or_a_renamed_file_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)[0]
    (tmp_path / "copy.json").write_bytes(path.read_bytes())
    with pytest.raises(FileError, match=rf"copy\.json: this is a copy of {path.name}, or was renamed"):
        load(tmp_path)


def test_results_of_other_settings_are_refused_with_the_differences(tmp_path: Path) -> None:
    filled(tmp_path)
    with pytest.raises(FileError, match=r"other settings: seed was 0 and is now 7\. Choose another folder"):
        opened(tmp_path, TeachingExample(seed=7))
    filled(tmp_path / "other", TeachingExample(arms=9))
    for path in (tmp_path / "other").iterdir():
        path.rename(tmp_path / path.name)
    with pytest.raises(FileError, match=r"other settings: arms was"):
        load(tmp_path)


def test_results_of_another_version_are_not_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    for name in store.DEPENDS_ON:
        with monkeypatch.context() as patch:
            patch.setattr(store, "software", lambda name=name: read(tmp_path).software | {name: "9.9"})
            with pytest.raises(FileError, match=rf"by other versions: {name} .* instead of 9\.9; .* --out"):
                opened(tmp_path, DESIGN)


def test_the_first_replications_and_those_that_all_series_have_can_be_taken(tmp_path: Path) -> None:
    filled(tmp_path)
    first = read(tmp_path).first(("teacher", "none"), 2)
    assert {name: sorted(records) for name, records in first.records.items()} == {
        "teacher": [0, 1],
        "none": [],
    }
    results = rewards({"a": {0: 0.1, 1: 0.2, 3: 0.3}, "b": {1: 0.5, 3: 0.6, 4: 0.7}, "c": {9: 0.1}})
    assert {name: sorted(records) for name, records in results.shared(("a", "b")).records.items()} == {
        "a": [1, 3],
        "b": [1, 3],
    }
    assert results.shared(("a", "c")).records == results.shared(("a", "nothing")).records == {}
