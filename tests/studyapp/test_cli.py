"""The command line: what it prints, and the code it ends with."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from core.errors import SettingError
from studyapp import cli
from studyapp.cli import COMMANDS, main

REPOSITORY = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def test_without_a_command_it_lists_the_commands_on_one_screen(capsys: Capture) -> None:
    assert main([]) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith("usage: studyapp COMMAND ...")
    assert not [command for command in COMMANDS if command not in printed]
    assert len(printed.splitlines()) < 24
    assert error == ""


def test_the_version_is_that_of_the_source(capsys: Capture) -> None:
    try:
        installed = version("studyapp")
    except PackageNotFoundError:
        pytest.skip("studyapp is not installed")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"studyapp {installed}\n"
    assert f'\nversion = "{installed}"\n' in (REPOSITORY / "pyproject.toml").read_text()


def test_an_error_becomes_one_line_and_an_exit_code_and_a_bug_keeps_its_traceback(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, code, said in (
        (SettingError("tau must be above 0, not -1"), 2, "studyapp: tau must be above 0, not -1\n"),
        (KeyboardInterrupt(), 130, "studyapp: interrupted\n"),
        (ZeroDivisionError(), None, ""),
    ):

        def fail(_: object, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr(cli, "_run", fail)
        if code is None:
            with pytest.raises(ZeroDivisionError):
                main([])
        else:
            assert main([]) == code
            assert capsys.readouterr() == ("", said)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_an_output_that_is_gone_closed_or_on_a_full_disk_causes_no_traceback() -> None:
    command = [sys.executable, "-m", "studyapp.cli"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as app:
        assert app.stdout is not None
        assert app.stderr is not None
        app.stdout.close()
        assert app.stderr.read() == b""
    assert app.returncode == 141
    full = "studyapp: the output could not be written: the disk is full; free some space\n"
    for redirected, code, said in ((">&-", 0, ""), ("> /dev/full", 2, full)):
        if redirected == "> /dev/full" and not Path("/dev/full").exists():
            continue
        shell = ["sh", "-c", f"{sys.executable} -m studyapp.cli --version {redirected}"]
        done = subprocess.run(shell, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (code, said)


def test_numpy_gets_one_thread_before_it_is_loaded_unless_somebody_asked_for_more() -> None:
    code = "import os, sys, studyapp; print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, expected in ((others, "1"), (others | {"OPENBLAS_NUM_THREADS": "4"}, "4")):
        done = subprocess.run(
            [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == f"False {expected}"
