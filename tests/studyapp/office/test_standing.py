"""Two machines, whose sessions and decisions are joined; and what is missing from a study's log."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up import quick_analysis
from study_files import loaded, run, small
from study_folders import Lab, make

from studyapp.study.folder import StudyFolder

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Iterator[Lab]:
    with quick_analysis():
        yield Lab(make(tmp_path / "mine", "P01", "P02", "P03", blind=True), capsys)


@pytest.fixture
def there(lab: Lab, tmp_path: Path, capsys: Capture) -> Lab:
    """The folder on another machine, as it was copied there, where another participant came."""
    shutil.copytree(lab.folder.path, tmp_path / "theirs")
    folder = StudyFolder(tmp_path / "theirs")
    run(loaded(folder.path, small(blind=True)), folder.sessions, "P31")
    return Lab(folder, capsys)


def analysed(lab: Lab) -> dict[str, Any]:
    """The numbers of an analysis of both folders."""
    assert lab("analyse", ".", "../theirs") == 0, lab.err
    summary: dict[str, Any] = json.loads((lab.folder.path / "analysis" / "summary.json").read_text())
    return summary


def test_sessions_and_decisions_of_two_folders_are_analysed_together(lab: Lab, there: Lab) -> None:
    assert analysed(lab)["participants"] == 4, "the copies of three count once"
    everybody = ["P01", "P02", "P03", "P31"]
    assert [one.events[-1].participants for one in (lab, there)] == [everybody] * 2  # type: ignore[union-attr]
    lab("exclude", "P01", "--reason", "slept")
    shutil.copy(lab.folder.log, there.folder.log)
    there("exclude", "P31", "--reason", "left early")
    there("delete", "P02", "--yes")
    assert analysed(lab)["participants"] == 1, "whoever was excluded or deleted in one of them is left out"
    report = (lab.folder.path / "analysis" / "report.html").read_text()
    assert "slept" in report
    assert "left early" in report
    there("exclude", "P01", "--undo", "--reason", "it was P31")
    assert analysed(lab)["participants"] == 2, "what was decided last counts, in whichever folder"


def test_models_have_their_names_only_if_both_folders_were_unblinded(lab: Lab, there: Lab) -> None:
    for one, models in ((lab, ["A", "B"]), (there, ["both", "plain"])):
        assert one("unblind", "--reason", "all are in", "--yes") == 0
        assert analysed(lab)["models"] == models


# --- what is missing


def test_a_whole_log_gives_no_warning_and_one_that_lost_its_end_or_is_lost_is_missed(lab: Lab) -> None:
    whole = lab.folder.log.read_bytes()
    assert lab("exclude", "P01", "--reason", "slept") == 0
    assert lab("delete", "P02", "--yes") == 0
    assert lab("status") == 0
    assert lab.err == ""
    lab.folder.log.write_bytes(whole)
    for command in ("status", "analyse", "export"):
        lab(command)
        assert "the answers of P02 were deleted on request, but study.log.yaml does not say so" in lab.err
    for command in ("status", "analyse", "export"):
        lab.folder.log.unlink(missing_ok=True)
        lab(command)
        assert "there are sessions here, but no study.log.yaml: restore it from a backup" in lab.err


def test_part_of_an_event_that_was_set_aside_is_named(lab: Lab) -> None:
    with lab.folder.log.open("ab") as file:
        file.write(b'--- {"event": "exclude", "partic')
    assert lab("note", "P01", "on time") == 0
    assert lab("status") == 0
    assert "has part of an event that was never completed" in lab.err
