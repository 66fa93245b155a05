"""What is missing from a study's log is said, as far as it can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_folders import Lab, make


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02", blind=True), capsys)


def test_a_whole_log_gives_no_warning(lab: Lab) -> None:
    assert lab("exclude", "P01", "--reason", "slept") == 0
    assert lab("delete", "P02", "--yes") == 0
    assert lab("status") == 0
    assert lab.err == ""


@pytest.mark.parametrize("command", ["status", "analyse", "export"])
def test_a_lost_log_is_missed(lab: Lab, command: str) -> None:
    assert lab("exclude", "P01", "--reason", "slept") == 0
    lab.folder.log.unlink()
    lab(command)
    assert "there are sessions here, but no study.log.yaml: restore it from a backup" in lab.err


@pytest.mark.parametrize("command", ["status", "analyse", "export"])
def test_a_log_that_lost_its_end_does_not_know_of_a_deletion_that_can_be_seen(lab: Lab, command: str) -> None:
    whole = lab.folder.log.read_bytes()
    assert lab("delete", "P02", "--yes") == 0
    lab.folder.log.write_bytes(whole)
    lab(command)
    assert "the answers of P02 were deleted on request, but study.log.yaml does not say so" in lab.err


def test_part_of_an_event_that_was_set_aside_is_named(lab: Lab) -> None:
    with lab.folder.log.open("ab") as file:
        file.write(b'--- {"event": "exclude", "partic')
    assert lab("note", "P01", "on time") == 0
    assert lab("status") == 0
    assert "has part of an event that was never completed" in lab.err


@pytest.mark.parametrize("given", [["note", "P01", "  "], ["exclude", "P01", "--reason", " "]])
def test_a_remark_of_spaces_is_refused(lab: Lab, given: list[str]) -> None:
    assert lab(*given) == 2
    assert "it is empty; say it in a few words" in lab.err
    assert lab.names == ["study"]
