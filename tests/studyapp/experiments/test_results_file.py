"""Results on disk: added to, torn, locked, of another design, or broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.experiments.designs import Record
from studyapp.experiments.results import opened, read
from studyapp.experiments.teaching_example import TeachingExample

DESIGN = TeachingExample()


def record(replication: int, series: str = "teacher") -> Record:
    return {"series": series, "replication": replication, "advantage": [0.1 + replication]}


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
    for size in range(len(whole)):
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


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("{}\n", "line 1"),
        ("some text\n", "line 1"),
        ('{"schema":99,"design":{}}\n', "line 1"),
        ('{"schema":1,"design":{"kind":"x"}}\nnot json\n{"series":"a","replication":0}\n', "line 2"),
        ('{"schema":1,"design":{"kind":"x"}}\n{"series":"a"}\n', "line 2"),
        ('{"schema":1,"design":{"kind":"x"}}\n[1]\n', "line 2"),
    ],
)
def test_what_is_no_results_file_is_refused_at_its_line(tmp_path: Path, content: str, where: str) -> None:
    path = tmp_path / "results"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.where == where
