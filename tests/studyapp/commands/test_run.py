"""What ``studyapp run`` does around a session."""

from __future__ import annotations

import io
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
from studyapp.commands import run
from studyapp.screens.app import StudyApp
from studyapp.session.events import Left
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loading import load
from studyapp.study.texts import Texts

if sys.platform != "win32":
    import pty

ROOT = Path(__file__).parents[3]
PATIENCE = 300.0  # seconds for something to appear
CTRL_Q = "\x11"


def test_without_a_terminal_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--participant", "P07"]) == 2
    assert "a session needs a terminal" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_report_of_a_fault_has_the_whole_traceback_and_is_for_its_owner_only(tmp_path: Path) -> None:
    try:
        raise ZeroDivisionError("in a round of the mixture model")
    except ZeroDivisionError as error:
        report = run._report(error, tmp_path)
    text = report.read_text(encoding="utf-8")
    assert text.startswith("Traceback (most recent call last):")
    assert "in test_the_report_of_a_fault" in text
    assert text.endswith("ZeroDivisionError: in a round of the mixture model\n")
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    with pytest.raises(StudyappError, match="fault-"):
        run._report(ZeroDivisionError(), tmp_path / "missing")


# Around the app: in this process, with an app that shows nothing


class Nobody(StudyApp):
    """Leaves as soon as the session is open; with no ID, or one that is not confirmed, at once."""

    confirms = True

    def run(self, *_: object, **__: object) -> int:
        if self._named is not None and self.confirms:
            who = Participant(self._named[0], pilot=self.pilot)
            self.sitting = Sitting.open(self.loaded, who, self.sessions)
            self.sitting.record(Left(self.sitting.at()))
        return 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "is_interactive", lambda: True)
    monkeypatch.setattr(run, "StudyApp", Nobody)
    return tmp_path


def test_outside_a_study_folder_it_says_what_it_would_start_and_asks(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for answer, starts in (("n\n", False), ("", False), ("\n", False), ("y\n", True)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert main(["run"]) == 0
        said = capsys.readouterr().out
        for text in (
            "the bundled study 'paper'",
            load().study.title,
            "38 rounds of 15 questions, about 75 minutes",
            f"logs in {folder / 'sessions'}",
            "Start it? [y/n]",
        ):
            assert text in said
        assert ("Nothing was started." in said) != starts
    assert main(["run", "--study", "paper"]) == 0  # a study that was named starts at once
    assert "Start it?" not in capsys.readouterr().out
    assert not list(folder.iterdir())


def test_an_id_that_nobody_confirms_leaves_no_log_and_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, small(texts={"who_no": "Not me, in {rounds} rounds"}), "study.yaml")
    monkeypatch.setattr(Nobody, "confirms", False)
    assert main(["run", "--participant", "P07"]) == 0
    assert capsys.readouterr().out == "P07 was not confirmed; nothing was written.\n"
    begin = Nobody.run
    monkeypatch.setattr(Nobody, "run", lambda app: setattr(app, "not_me", True) or begin(app))
    assert main(["run", "--participant", "P07"]) == 0
    said = "The participant chose “Not me, in 4 rounds” for P07; nothing was written.\n"
    assert capsys.readouterr().out == said
    assert not (folder / "sessions").exists()


def test_what_keeps_a_session_from_being_opened_is_said_before_the_app_starts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = load(write(folder, small(), "study.yaml"))
    sitting = Sitting.open(study, Participant("P01"), folder / "sessions")
    for participant, problem in (("P01", "already open"), ("p01", "differ only in upper and lower case")):
        assert main(["run", "--participant", participant]) == 2
        assert problem in capsys.readouterr().err
    sitting.withdraw(delete=False)
    sitting.close()
    assert main(["run", "--participant", "P01"]) == 2
    assert "P01 withdrew on" in capsys.readouterr().err


def test_after_a_session_one_line_says_how_it_ended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, small(), "study.yaml")
    for options in ([], ["--pilot"]):
        assert main(["run", "--participant", "P07", "--sessions", "logs", *options]) == 0
        said = capsys.readouterr().out
        assert said.startswith("P07 left for now (the consent).")
        given = " ".join(["--sessions logs", *options])
        assert said.endswith(f"To continue: studyapp run {given} --participant P07\n")


# At a real terminal


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

    def until(self, text: str | None, key: str = "") -> None:
        """Wait for a text, or the end; press a key until then: a page can be seen before keys count."""
        self.output, until = "", time.monotonic() + PATIENCE
        while text is None or text not in self.output:
            assert time.monotonic() < until, self.output
            if not select.select([self._ours], [], [], 0.5)[0]:
                self.type(key)
                continue
            try:
                self.output += os.read(self._ours, 1 << 16).decode(errors="replace")
            except OSError:  # the other end is closed
                assert text is None, self.output
                return

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self, key: str = "") -> int:
        """Wait for the end; returns the exit code."""
        self.until(None, key)
        os.close(self._ours)
        return self._process.wait(PATIENCE)


@pytest.mark.prove
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_at_a_terminal_it_asks_starts_and_says_how_the_session_ended(tmp_path: Path) -> None:
    for keys, said in (("n\r", "Nothing was started."), ("\x04", "Nothing was started.")):
        shell = Shell(tmp_path)
        shell.until("Start it? [y/n]")
        shell.type(keys)
        assert shell.end() == 0
        assert said in shell.output
    shell = Shell(tmp_path)
    shell.until("Start it? [y/n]")
    shell.type("y\r")
    shell.until(Texts().id_ask[:20])
    shell.type(CTRL_Q)
    assert shell.end() == 0
    assert not list(tmp_path.iterdir())
    write(tmp_path, small(), "study.yaml")
    shell = Shell(tmp_path, "--participant", "P07", "--sessions", "logs")
    shell.until("P07 is a new ID.")
    shell.until(Texts().consent_ask[:20], "\r")
    shell.until(Texts().leave_title, CTRL_Q)
    shell.until(f"▸ {Texts().leave_for_now[:20]}", "\x1b[B")
    shell.until(Texts().left_title, "\r")
    assert shell.end("\r") == 0
    last = shell.output.rstrip().split("\n")[-1]
    assert "P07 left for now (" in last
    assert last.endswith("To continue: studyapp run --sessions logs --participant P07")
