"""A folder of results: each file is parsed once, and files that don't belong together are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.experiments import results_file, results_folder
from studyapp.experiments.designs import ActiveExample, Design, TeachingExample
from studyapp.experiments.results_file import open_results
from studyapp.experiments.results_folder import ResultsFolder


def saved(folder: Path, key: str, design: Design) -> Path:
    path = folder / f"{key}.jsonl"
    with open_results(path, design):
        return path


def test_a_file_is_parsed_once_however_often_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path, "a.converged", TeachingExample())
    parsed: list[Path] = []
    read = results_file.read_results
    monkeypatch.setattr(results_folder, "read_results", lambda path: parsed.append(path) or read(path))
    folder = ResultsFolder(tmp_path)
    folder.check(seed=0)
    assert folder.get("a.converged") is folder.get("a.converged") is not None
    assert folder.get("b") is folder.get("b") is None
    assert parsed == [tmp_path / "a.converged.jsonl"]


def test_results_of_different_seeds_are_refused(tmp_path: Path) -> None:
    saved(tmp_path, "a", TeachingExample(seed=0))
    ResultsFolder(tmp_path).check(seed=None)
    for later in ((), ("a",)):
        with pytest.raises(FileError, match=r"a\.jsonl: these results have seed 0 .* seed 1; choose another"):
            ResultsFolder(tmp_path).check(seed=1, later=later)
    saved(tmp_path, "b", ActiveExample(seed=1))
    with pytest.raises(FileError, match=r"b\.jsonl: these results have seed 1 .* seed 0; choose another"):
        ResultsFolder(tmp_path).check(seed=None)


def test_a_broken_file_is_reported_unless_it_is_opened_later_anyway(tmp_path: Path) -> None:
    with saved(tmp_path, "a", TeachingExample()).open("a") as file:
        file.write("nonsense\n")
    with pytest.raises(FileError, match=r"a\.jsonl, line 2: this line, or one before it, was changed"):
        ResultsFolder(tmp_path).check(seed=0)
    ResultsFolder(tmp_path).check(seed=0, later=["a"])


def test_a_file_that_was_torn_before_its_first_line_ended_counts_as_absent(tmp_path: Path) -> None:
    path = saved(tmp_path, "a", TeachingExample())
    for size in (0, 5, 40):
        path.write_bytes(path.read_bytes()[:size])
        folder = ResultsFolder(tmp_path)
        folder.check(seed=3)
        assert folder.get("a") is None
        path = saved(tmp_path, "a", TeachingExample())
