"""What ``studyapp run`` does around a session."""

from __future__ import annotations

import os
import select
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from study_files import small, write

from core.errors import StudyappError
from studyapp.cli import main
from studyapp.commands.run import _report
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loading import load
from studyapp.study.texts import Texts

if sys.platform != "win32":
    import pty

needs_terminals = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)
ROOT = Path(__file__).parents[3]
PATIENCE = 30.0  # seconds for something to appear
CTRL_Q = "\x11"
ALTERNATE_SCREEN = "\x1b[?1049h"


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


class Shell:
    """``studyapp run`` on a terminal of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "studyapp.cli", "run", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"},
        )
        os.close(theirs)
        self.output = ""

    def until(self, text: str) -> None:
        while text not in self.output:
            assert self._more(), self.output

    def _more(self) -> bool:
        if not select.select([self._ours], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._ours, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.output += data.decode(errors="replace")
        return bool(data)

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def takes_keys(self) -> None:
        """Wait until keys count, by one without a meaning: a page can be seen a little earlier."""
        while "That key does nothing here." not in self.output:
            self.type("x")
            if select.select([self._ours], [], [], 0.2)[0]:
                assert self._more(), self.output

    def end(self) -> int:
        """Wait for the end; returns the exit code."""
        while self._more():
            pass
        os.close(self._ours)
        return self._process.wait(PATIENCE)


@needs_terminals
@pytest.mark.parametrize("answer", ["n\r", "\x04", "\r"])
def test_outside_a_study_folder_it_says_what_it_would_start_and_asks(tmp_path: Path, answer: str) -> None:
    shell = Shell(tmp_path)
    shell.until("Start it? [y/n]")
    said = shell.output
    assert "the bundled study 'paper'" in said
    assert load().study.title in said
    assert "38 rounds of 15 questions, about 75 minutes" in said
    assert f"logs in {tmp_path / 'sessions'}" in said
    shell.type(answer)
    assert shell.end() == 0
    assert "Nothing was started." in shell.output
    assert not list(tmp_path.iterdir())


@needs_terminals
def test_after_a_yes_it_starts_and_with_a_study_it_starts_at_once(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.until("Start it? [y/n]")
    shell.type("y\r")
    shell.until(Texts().id_ask[:20])
    shell.type(CTRL_Q)
    assert shell.end() == 0
    shell = Shell(tmp_path, "--study", "paper")
    shell.until(Texts().id_ask[:20])
    shell.type(CTRL_Q)
    assert shell.end() == 0
    assert "Start it?" not in shell.output


@needs_terminals
def test_an_id_that_nobody_confirms_leaves_no_log_and_one_line(tmp_path: Path) -> None:
    write(tmp_path, small(), "study.yaml")
    shell = Shell(tmp_path, "--participant", "P07")
    shell.until("P07 is a new ID.")
    shell.type(CTRL_Q)
    assert shell.end() == 0
    assert shell.output.endswith("P07 was not confirmed; nothing was written.\r\n")
    assert not (tmp_path / "sessions").exists()


@needs_terminals
def test_an_id_that_is_somebody_elses_leaves_no_log_and_one_line(tmp_path: Path) -> None:
    texts = {"who_no": "Not me, in {rounds} rounds"}
    write(tmp_path, small(texts=texts, pace={"pause": 0, "hold": 0}), "study.yaml")
    shell = Shell(tmp_path, "--participant", "P07")
    shell.until("P07 is a new ID.")
    shell.takes_keys()
    shell.type("\x1b[B")
    shell.until("▸ Not me")
    shell.type("\r")
    shell.until("Not you?")
    shell.type(CTRL_Q)
    assert shell.end() == 0
    assert shell.output.endswith(
        "The participant chose “Not me, in 4 rounds” for P07; nothing was written.\r\n"
    )
    assert not (tmp_path / "sessions").exists()


@needs_terminals
def test_what_keeps_a_session_from_being_opened_is_said_before_the_app_starts(tmp_path: Path) -> None:
    study, sessions = load(write(tmp_path, small(), "study.yaml")), tmp_path / "sessions"
    sitting = Sitting.open(study, Participant("P01"), sessions)
    for participant, problem in (("P01", "already open"), ("p01", "differ only in upper and lower case")):
        shell = Shell(tmp_path, "--participant", participant)
        assert shell.end() == 2
        assert problem in shell.output
        assert ALTERNATE_SCREEN not in shell.output
    sitting.withdraw(delete=False)
    sitting.close()
    shell = Shell(tmp_path, "--participant", "P01")
    assert shell.end() == 2
    assert "P01 withdrew on" in shell.output


@needs_terminals
@pytest.mark.parametrize("options", [[], ["--pilot"]])
def test_after_a_session_one_line_says_how_it_ended(tmp_path: Path, options: list[str]) -> None:
    write(tmp_path, small(), "study.yaml")
    shell = Shell(tmp_path, "--participant", "P07", "--sessions", "logs", *options)
    shell.until("P07 is a new ID.")
    while not (tmp_path / "logs" / "P07.yaml").exists():  # a key pressed too soon doesn't count
        shell.type("\r")
        time.sleep(0.2)
    time.sleep(1.0)
    shell.type(CTRL_Q)
    shell.until(Texts().leave_title)
    time.sleep(1.0)
    shell.type("\x1b[B")
    time.sleep(0.3)
    shell.type("\r")
    shell.until(Texts().left_title)
    time.sleep(1.0)
    shell.type("\r")
    assert shell.end() == 0
    last = shell.output.rstrip().split("\n")[-1]
    assert "P07 left for now (" in last
    given = " ".join(["--sessions logs", *options])
    assert last.endswith(f"To continue: studyapp run {given} --participant P07")
