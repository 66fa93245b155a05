"""Results on disk: added to, torn, locked, of another design, or broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_experiments import rewards, small_runs

from core.errors import FileError
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.designs import Record
from studyapp.experiments.records import fault
from studyapp.experiments.results import opened, read
from studyapp.experiments.teaching_example import TeachingExample

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


def filled(path: Path, many: int = 3) -> bytes:
    with opened(path, DESIGN) as file:
        file.add([record(number) for number in range(many)])
    return path.read_bytes()


def test_what_was_added_is_read_again_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "results.jsonl"
    filled(path)
    results = read(path)
    assert results.design == json.loads(json.dumps(DESIGN.told()))
    assert results.numbers("teacher") == [0, 1, 2]
    assert results.values("teacher", "advantage").tolist() == [[0.1], [1.1], [2.1]]
    assert "numpy" in results.software


def test_missing_are_the_first_ones_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with opened(path, DESIGN) as file:
        file.add([record(1), record(4)])
        assert file.missing(("teacher", "other"), 4) == {"teacher": [0, 2, 3], "other": [0, 1, 2, 3]}
        file.add([record(0), record(2), record(3)])
        assert file.missing(("teacher",), 5) == {}


def test_a_part_has_the_first_replications_of_its_series_alone(tmp_path: Path) -> None:
    filled(tmp_path / "results")
    part = read(tmp_path / "results").part(("teacher", "none"), 2)
    assert {name: sorted(found) for name, found in part.records.items()} == {"teacher": [0, 1], "none": []}


def test_wherever_a_last_line_was_torn_it_is_cut_off_and_nothing_else(tmp_path: Path) -> None:
    whole = filled(tmp_path / "whole")
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    path = tmp_path / "torn"
    close = {end + by for end in ends for by in (-2, -1, 0, 1)}
    for size in sorted({*range(0, len(whole), 13), *close} & set(range(len(whole)))):
        path.write_bytes(whole[:size])
        kept = sum(end <= size for end in ends)
        with opened(path, DESIGN) as file:
            assert file.missing(("teacher",), 3).get("teacher", []) == list(range(max(0, kept - 1), 3))
            file.add([record(number) for number in range(max(0, kept - 1), 3)])
        assert path.read_bytes() == whole


def test_results_of_other_settings_are_refused_and_the_difference_told(tmp_path: Path) -> None:
    before = filled(tmp_path / "results")
    with (
        pytest.raises(FileError, match=r"other settings: seed was 0 and is 7; choose another --out"),
        opened(tmp_path / "results", TeachingExample(seed=7)),
    ):
        pass
    assert (tmp_path / "results").read_bytes() == before


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with (
        opened(path, DESIGN),
        pytest.raises(FileError, match="another studyapp is adding to these results"),
        opened(path, DESIGN),
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
def test_what_is_no_results_file_is_refused_at_its_line(tmp_path: Path, content: str, where: str) -> None:
    path = tmp_path / "results"
    path.write_text(content)
    for look in (read, lambda path: opened(path, DESIGN).__enter__()):
        with pytest.raises(FileError) as caught:
            look(path)
        assert caught.value.where == where
    assert path.read_text() == content


def broken(**changes: Any) -> Record:
    return {name: value for name, value in (record(0) | changes).items() if value != "gone"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"replication": -1}, "a record must have a series and a replication from 0"),
        ({"replication": True}, "a record must have a series and a replication from 0"),
        ({"series": None}, "a record must have a series"),
        ({"advantage": "gone"}, "advantage is missing"),
        ({"advantage": None}, "advantage must be a list of 1 numbers"),
        ({"advantage": ["0.1"]}, "advantage must be a list of 1 numbers"),
        ({"advantage": [float("nan")]}, "advantage must be a list of 1 numbers"),
        ({"advantage": [10**400]}, "advantage must be a list of 1 numbers"),
        ({"advantage": [True]}, "advantage must be a list of 1 numbers"),
        ({"after_no": [0.1] * 9}, "after_no must be a list of 10 numbers from 0 to 1"),
        ({"after_no": [0.1] * 9 + [1.5]}, "after_no must be a list of 10 numbers from 0 to 1"),
    ],
)
def test_a_broken_record_is_refused_at_its_line(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    path = tmp_path / "results"
    filled(path)
    with path.open("a") as file:
        file.write(json.dumps(broken(**changes)) + "\n")
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.where == "line 5"
    assert told in caught.value.problem
    assert "delete this line, and it is worked out again" in caught.value.problem


@pytest.mark.parametrize("name", FIGURES)
def test_what_designs_record_is_what_is_asked_of_records(name: str) -> None:
    for results in small_runs(name).values():
        for series, found in results.records.items():
            for each in found.values():
                assert fault(results.design, each) is None
                for key in each.keys() - {
                    "series",
                    "replication",
                    "queries",
                    "answers",
                    "truth",
                    "converged",
                }:
                    assert fault(results.design, each | {key: None}), (series, key)


def test_results_of_another_version_are_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_bytes(filled(path).replace(b'"studyapp":"', b'"studyapp":"9.'))
    with pytest.raises(FileError, match=r"these results are of studyapp 9\.") as caught, opened(path, DESIGN):
        pass
    assert "choose another --out" in caught.value.problem


def test_shared_are_the_replications_that_all_series_have() -> None:
    results = rewards({"a": {0: 0.1, 1: 0.2, 3: 0.3}, "b": {1: 0.5, 3: 0.6, 4: 0.7}, "c": {9: 0.1}})
    assert {name: sorted(found) for name, found in results.shared(("a", "b")).records.items()} == {
        "a": [1, 3],
        "b": [1, 3],
    }
    assert results.shared(("a", "c")).records == {}
    assert results.shared(("a", "nothing")).records == {}
