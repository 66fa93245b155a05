"""Two machines: ``analyse A B`` joins the sessions and the decisions of both folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from study_files import loaded, run, small
from study_folders import Lab, make

from studyapp.study.folder import StudyFolder

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02", "P03"), capsys)


@pytest.fixture
def there(here: Lab, tmp_path: Path, capsys: Capture) -> Lab:
    """The folder on another machine, as it was copied there, where another participant came."""
    shutil.copytree(here.folder.path, tmp_path / "theirs")
    folder = StudyFolder(tmp_path / "theirs")
    run(loaded(folder.path, small()), folder.sessions, "P31")
    return Lab(folder, capsys)


def analysed(lab: Lab) -> dict[str, Any]:
    assert lab("analyse", ".", "../theirs", "--out", "analysis") == 0, lab.err
    summary: dict[str, Any] = json.loads((lab.folder.path / "analysis" / "summary.json").read_text())
    return summary


def test_sessions_of_two_folders_are_analysed_together(here: Lab, there: Lab) -> None:
    assert analysed(here)["participants"] == 4, "the copies of three count once"
    assert [event.participants for event in (here.events[-1], there.events[-1])] == [  # type: ignore[union-attr]
        ["P01", "P02", "P03", "P31"]
    ] * 2


def test_whoever_was_excluded_or_deleted_in_one_folder_is_left_out_of_both(here: Lab, there: Lab) -> None:
    here("exclude", "P01", "--reason", "slept")
    there("exclude", "P31", "--reason", "left early")
    there("delete", "P02", "--yes")
    summary = analysed(here)
    assert summary["participants"] == 1
    report = (here.folder.path / "analysis" / "report.html").read_text()
    assert "slept" in report
    assert "left early" in report


def test_an_exclusion_that_was_undone_later_in_the_other_folder_counts_again(here: Lab, there: Lab) -> None:
    here("exclude", "P01", "--reason", "slept")
    shutil.copy(here.folder.log, there.folder.log)
    there("exclude", "P01", "--undo", "--reason", "it was P31")
    assert analysed(here)["participants"] == 4
