"""Results files: appended to, torn, locked, of another design, or broken."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from result_chains import chained, contents
from small_experiments import read, rewards

from core.errors import FileError
from studyapp.experiments.designs import Record, TeachingExample
from studyapp.experiments.designs.teaching_example import ADVANTAGE
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


HEAD = {"schema": 2, "design": {"kind": "teaching example", "arms": 10, "seed": 0}, "software": {}}


def head(**changes: Any) -> bytes:
    return chained([{**HEAD, **changes}])


def design(**changes: Any) -> bytes:
    return head(design={**HEAD["design"], **changes})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("content", "where", "problem"),
    [
        (b"{}\n", "line 1", "this isn't a results file"),
        (b"some text\n", "line 1", "this isn't a results file"),
        (b"my precious notes", "line 1", "this isn't a results file"),
        (b"\0" * 5000, "line 1", "this isn't a results file"),
        (head(schema=99), "line 1", "comes from another version"),
        (head(schema=[2]), "line 1", "comes from another version"),
        (head().replace(b'"arms":10', b'"arms":11'), "line 1", "was changed after it was written"),
        (design(kind="x"), "line 1", "the design in this file is unknown"),
        (design(kind=["teaching example"]), "line 1", "the design in this file is unknown"),
        (design(kind={}), "line 1", "the design in this file is unknown"),
        (head(design=[]), "line 1", "the design in this file is unknown"),
        (design(arms="ten"), "line 1", "'arms' must be a whole number from 1 to 10,000"),
        (design(arms=10**9), "line 1", "'arms' must be a whole number from 1 to 10,000"),
        (design(seed="0"), "line 1", "'seed' must be a whole number"),
        (design(seed=10**30), "line 1", "'seed' must be a whole number"),
        (head(software="all"), "line 1", "the versions of the software"),
        (head(software={"numpy": ["2"]}), "line 1", "the versions of the software"),
        (head(software={"numpy": "\x1b[2J"}), "line 1", "the versions of the software"),
        (head() + b"not json\n{}\n", "line 2", "was changed after it was written"),
        (head() + b"[1]\n", "line 2", "was changed after it was written"),
        (head() + b"[" * 100_000 + b"\n", "line 2", "was changed after it was written"),
        (chained([HEAD, "no json"]), "line 2", "this line isn't JSON"),
        (chained([HEAD, '{"series":' + "[" * 100_000]), "line 2", "this line isn't JSON"),
        (chained([HEAD, {"series": "a"}]), "line 2", "replication must be"),
        (head() + b"x" * 3_000_000, "line 2", "this line is too long"),
        (b'{"schema":' + b"1" * 3_000_000, "line 1", "this line is too long"),
    ],
)
def test_a_file_that_holds_no_results_is_refused_at_its_line_and_left_alone(
    tmp_path: Path, content: bytes, where: str, problem: str
) -> None:
    path = tmp_path / "results"
    path.write_bytes(content)
    for look in (read_results, lambda path: open_results(path, DESIGN).__enter__()):
        with pytest.raises(FileError) as caught:
            look(path)
        assert caught.value.where == where
        assert problem in caught.value.problem
        assert caught.value.problem.isprintable()
    assert path.read_bytes() == content


def broken(**changes: Any) -> Record:
    return {name: value for name, value in (record(3) | changes).items() if value != "gone"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"replication": -1}, "replication must be a whole number from 0 to 999,999"),
        ({"replication": True}, "replication must be a whole number from 0"),
        ({"replication": [0]}, "replication must be a whole number from 0"),
        ({"replication": 10**30}, "replication must be a whole number from 0"),
        ({"replication": 1}, "replication 1 of teacher is there twice"),
        ({"series": None}, "series must be a name"),
        ({"series": ["teacher"]}, "series must be a name"),
        ({"series": {"teacher": 1}}, "series must be a name"),
        ({"series": "x" * 101}, "series must be a name of at most 100 characters"),
        ({"series": "\x1b[2J"}, "series must be a name"),
        ({"advantage": "gone"}, "advantage is missing"),
        ({"advantage": None}, "advantage must be a list of 1 number"),
        ({"advantage": {}}, "advantage must be a list of 1 number"),
        ({"advantage": ["0.1"]}, "advantage must be a list of 1 number"),
        ({"advantage": [[0.1]]}, "advantage must be a list of 1 number"),
        ({"advantage": [float("nan")]}, "advantage must be a list of 1 number"),
        ({"advantage": [float("inf")]}, "advantage must be a list of 1 number"),
        ({"advantage": [10**400]}, "advantage must be a list of 1 number"),
        ({"advantage": [True]}, "advantage must be a list of 1 number"),
        ({"after_no": [0.1] * 9}, "after_no must be a list of 10 numbers from 0 to 1"),
        ({"after_no": [0.1] * 9 + [1.5]}, "after_no must be a list of 10 numbers from 0 to 1"),
        ({"\x1b[2J": 1}, "there is no field '\\\\x1b[2J' in a record of teacher"),
    ],
)
def test_a_broken_record_is_refused_at_its_line_even_with_a_new_chain(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    path = tmp_path / "results"
    path.write_bytes(chained([*contents(filled(path)), broken(**changes)]))
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.where == "line 5"
    assert problem in caught.value.problem
    cure = "delete this line and all after it, and run the command again to replace them"
    assert cure in caught.value.problem


def test_a_line_that_was_changed_removed_inserted_or_moved_is_found_and_can_be_simulated_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "results"
    whole = filled(path, 5)
    lines = whole.splitlines(keepends=True)
    other = filled(tmp_path / "other", 9).splitlines(keepends=True)
    for number, damaged in {
        3: [*lines[:2], lines[2].replace(b"0.1,", b"0.2,", 1), *lines[3:]],
        4: [*lines[:3], *lines[4:]],
        5: [*lines[:4], lines[2], *lines[4:]],
        2: [lines[0], lines[2], lines[1], *lines[3:]],
        6: [*lines[:5], other[7]],
    }.items():
        path.write_bytes(b"".join(damaged))
        with pytest.raises(
            FileError, match=r"or one before it, was changed after .*; delete this line and"
        ) as e:
            read(path)
        assert e.value.where == f"line {number}"
        path.write_bytes(b"".join(damaged[: number - 1]))  # as the message says
        with open_results(path, DESIGN) as file:
            file.add([record(missing) for missing in file.missing(("teacher",), 5)["teacher"]])
        assert path.read_bytes() == whole


def test_a_pipe_a_link_or_a_folder_in_place_of_a_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe, link, folder = tmp_path / "pipe", tmp_path / "link", tmp_path / "folder"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "target")
    folder.mkdir()
    for path, problem in (
        (pipe, "a pipe or a device"),
        (link, "this is a link"),
        (folder, "this is a folder"),
    ):
        with pytest.raises(FileError, match=problem), open_results(path, DESIGN):
            pass
    for path in (pipe, folder):
        for look in (read_results, read_design):
            with pytest.raises(FileError):
                look(path)
    assert not (tmp_path / "target").exists()


def test_results_of_another_version_are_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "results"
    first, *others = contents(filled(path))
    for name in ("studyapp", "learners", "numpy"):
        path.write_bytes(chained([first | {"software": first["software"] | {name: "9.9"}}, *others]))
        with (
            pytest.raises(FileError, match=rf"made by other versions: {name} 9\.9 instead of") as caught,
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


@pytest.mark.parametrize("torn", ["", "{", '{"schema":2,"design":{"kind"'])
def test_a_file_that_was_torn_before_its_first_line_ended_has_no_results_yet(
    tmp_path: Path, torn: str
) -> None:
    path = tmp_path / "results"
    path.write_text(torn)
    assert read_results(path) is None
    assert read_design(path) is None
