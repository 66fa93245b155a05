"""Results files: appended to, torn, locked, of another design, or broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_experiments import rewards

from core.errors import FileError
from studyapp.experiments.designs import Record, TeachingExample
from studyapp.experiments.designs.teaching_example import ADVANTAGE
from studyapp.experiments.results import Results
from studyapp.experiments.results_file import open_results, read_design, read_results

DESIGN = TeachingExample()


def record(replication: int, series: str = "teacher") -> Record:
    shares = [0.1] * DESIGN.arms
    return {
        "series": series,
        "replication": replication,
        "probability": shares,
        "after_no": shares,
        "after_yes": shares,
        "advantage": [0.1 + replication],
    }


def read(path: Path) -> Results:
    results = read_results(path)
    assert results is not None
    return results


def filled(path: Path, count: int = 3) -> bytes:
    with open_results(path, DESIGN) as file:
        file.add([record(number) for number in range(count)])
    return path.read_bytes()


def test_results_are_read_back_exactly_as_they_were_added(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "results.jsonl"
    filled(path)
    results = read(path)
    assert results.design == read_design(path) == json.loads(json.dumps(DESIGN.settings()))
    assert results.numbers("teacher") == [0, 1, 2]
    assert results.values("teacher", ADVANTAGE).tolist() == [[0.1], [1.1], [2.1]]
    assert "numpy" in results.software


def test_missing_replications_are_found_below_the_number_wanted(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with open_results(path, DESIGN) as file:
        file.add([record(1), record(4)])
        assert file.missing(("teacher", "other"), 4) == {"teacher": [0, 2, 3], "other": [0, 1, 2, 3]}
        file.add([record(0), record(2), record(3)])
        assert file.missing(("teacher",), 5) == {}


def test_the_first_replications_of_some_series_can_be_taken(tmp_path: Path) -> None:
    filled(tmp_path / "results")
    first = read(tmp_path / "results").first(("teacher", "none"), 2)
    assert {name: sorted(records) for name, records in first.records.items()} == {
        "teacher": [0, 1],
        "none": [],
    }


def test_a_torn_last_line_is_cut_off_and_nothing_else_wherever_it_was_torn(tmp_path: Path) -> None:
    whole = filled(tmp_path / "whole")
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    path = tmp_path / "torn"
    close = {end + by for end in ends for by in (-2, -1, 0, 1)}
    for size in sorted({*range(0, len(whole), 29), *close} & set(range(len(whole)))):
        path.write_bytes(whole[:size])
        kept = sum(end <= size for end in ends)
        with open_results(path, DESIGN) as file:
            assert file.missing(("teacher",), 3).get("teacher", []) == list(range(max(0, kept - 1), 3))
            file.add([record(number) for number in range(max(0, kept - 1), 3)])
        assert path.read_bytes() == whole


def test_results_of_other_settings_are_refused_with_the_differences(tmp_path: Path) -> None:
    before = filled(tmp_path / "results")
    with (
        pytest.raises(FileError, match=r"other settings: seed was 0 and is now 7\. Choose another"),
        open_results(tmp_path / "results", TeachingExample(seed=7)),
    ):
        pass
    assert (tmp_path / "results").read_bytes() == before


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with (
        open_results(path, DESIGN),
        pytest.raises(FileError, match="another studyapp is writing to these results"),
        open_results(path, DESIGN),
    ):
        pass


HEAD = '{"schema":1,"design":{"kind":"teaching example","arms":10},"software":{}}\n'


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("{}\n", "line 1"),
        ("some text\n", "line 1"),
        ("my precious notes", "line 1"),
        (HEAD.replace("1,", "99,", 1), "line 1"),
        (HEAD.replace("teaching example", "x"), "line 1"),
        (HEAD.replace("10", '"ten"'), "line 1"),
        (HEAD.replace('"software":{}', '"software":"all"'), "line 1"),
        (HEAD + "not json\n{}\n", "line 2"),
        (HEAD + '{"series":"a"}\n', "line 2"),
        (HEAD + "[1]\n", "line 2"),
        (HEAD + "[" * 100_000 + "\n", "line 2"),
    ],
)
def test_a_file_that_holds_no_results_is_refused_at_its_line_and_left_alone(
    tmp_path: Path, content: str, where: str
) -> None:
    path = tmp_path / "results"
    path.write_text(content)
    for look in (read_results, lambda path: open_results(path, DESIGN).__enter__()):
        with pytest.raises(FileError) as caught:
            look(path)
        assert caught.value.where == where
    assert path.read_text() == content


def broken(**changes: Any) -> Record:
    return {name: value for name, value in (record(0) | changes).items() if value != "gone"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"replication": -1}, "a record must have a series and a replication number from 0"),
        ({"replication": True}, "a record must have a series and a replication number from 0"),
        ({"series": None}, "a record must have a series"),
        ({"advantage": "gone"}, "advantage is missing"),
        ({"advantage": None}, "advantage must be a list of 1 number"),
        ({"advantage": ["0.1"]}, "advantage must be a list of 1 number"),
        ({"advantage": [float("nan")]}, "advantage must be a list of 1 number"),
        ({"advantage": [10**400]}, "advantage must be a list of 1 number"),
        ({"advantage": [True]}, "advantage must be a list of 1 number"),
        ({"after_no": [0.1] * 9}, "after_no must be a list of 10 numbers from 0 to 1"),
        ({"after_no": [0.1] * 9 + [1.5]}, "after_no must be a list of 10 numbers from 0 to 1"),
    ],
)
def test_a_broken_record_is_refused_at_its_line(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    path = tmp_path / "results"
    filled(path)
    with path.open("a") as file:
        file.write(json.dumps(broken(**changes)) + "\n")
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.where == "line 5"
    assert problem in caught.value.problem
    assert "delete this line and run the command again to replace it" in caught.value.problem


def test_results_of_another_version_are_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_bytes(filled(path).replace(b'"studyapp":"', b'"studyapp":"9.'))
    with (
        pytest.raises(FileError, match=r"these results were made by studyapp 9\.") as caught,
        open_results(path, DESIGN),
    ):
        pass
    assert "choose another folder with --out" in caught.value.problem


def test_shared_results_keep_the_replications_that_all_series_have() -> None:
    results = rewards({"a": {0: 0.1, 1: 0.2, 3: 0.3}, "b": {1: 0.5, 3: 0.6, 4: 0.7}, "c": {9: 0.1}})
    assert {name: sorted(records) for name, records in results.shared(("a", "b")).records.items()} == {
        "a": [1, 3],
        "b": [1, 3],
    }
    assert results.shared(("a", "c")).records == {}
    assert results.shared(("a", "nothing")).records == {}


@pytest.mark.parametrize("torn", ["", "{", '{"schema":1,"design":{"kind"'])
def test_a_file_that_was_torn_before_its_first_line_ended_has_no_results_yet(
    tmp_path: Path, torn: str
) -> None:
    path = tmp_path / "results"
    path.write_text(torn)
    assert read_results(path) is None
    assert read_design(path) is None
