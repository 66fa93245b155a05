"""What ``studyapp run`` does around a session."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small

from core.errors import StudyappError
from studyapp.base.clock import SimulatedClock
from studyapp.cli import main
from studyapp.commands.run import _report, _say_receipt
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.verification import verify


def test_without_a_terminal_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--participant", "P07"]) == 2
    assert "a session needs a terminal" in capsys.readouterr().err


def fail() -> None:
    raise ZeroDivisionError("in a round of the mixture model")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_report_of_a_fault_has_the_whole_traceback_and_is_for_its_owner_only(tmp_path: Path) -> None:
    try:
        fail()
    except ZeroDivisionError as error:
        report = _report(error, tmp_path)
    text = report.read_text(encoding="utf-8")
    assert text.startswith("Traceback (most recent call last):")
    assert "in fail" in text
    assert text.endswith("ZeroDivisionError: in a round of the mixture model\n")
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_report_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(StudyappError, match="fault-"):
        _report(ZeroDivisionError(), tmp_path / "missing")


def test_after_a_finished_session_the_terminal_has_its_receipt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    _say_receipt(sitting)
    assert capsys.readouterr().out == ""
    assert isinstance(sitting.clock, SimulatedClock)
    attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock)
    sitting.close()
    _say_receipt(sitting)
    receipt = verify(sitting.path).receipt
    assert receipt is not None
    assert capsys.readouterr().out == f"P01 finished. Receipt: {receipt} (please write both down)\n"
