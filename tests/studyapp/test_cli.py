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
from studyapp.cli import main

REPOSITORY = Path(__file__).parents[2]


def test_without_a_command_it_lists_the_commands_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith("usage: studyapp COMMAND ...")
    assert "words" in printed
    assert len(printed.splitlines()) < 24
    assert error == ""


def test_version_prints_the_version(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: {"studyapp": "0.1.0"}[name])
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "studyapp 0.1.0\n"


def test_the_installed_version_is_that_of_the_source() -> None:
    try:
        installed = version("studyapp")
    except PackageNotFoundError:
        pytest.skip("studyapp is not installed")
    assert f'\nversion = "{installed}"\n' in (REPOSITORY / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    "arguments",
    [["check", "paper", "--participant=--"], ["export", "logs", "--out=--"], ["run", "--study=--"]],
)
def test_two_dashes_are_no_value_of_an_option(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "'--' is not a value" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["nonsense"], ["words"], ["words", "build"], ["--nonsense"]])
def test_an_unknown_command_or_option_ends_with_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (SettingError("tau must be above 0, not -1"), 2, "studyapp: tau must be above 0, not -1\n"),
        (KeyboardInterrupt(), 130, "studyapp: interrupted\n"),
    ],
)
def test_an_error_becomes_one_line_and_an_exit_code(
    error: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)
    assert main([]) == code
    assert capsys.readouterr() == ("", said)


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "_run", fail)
    with pytest.raises(ZeroDivisionError):
        main([])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_reader_that_goes_away_causes_no_traceback() -> None:
    command = [sys.executable, "-m", "studyapp.cli"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as app:
        assert app.stdout is not None
        assert app.stderr is not None
        app.stdout.close()
        assert app.stderr.read() == b""
    assert app.returncode == 141


def test_a_closed_output_causes_no_failure() -> None:
    command = f"exec >&-; {sys.executable} -m studyapp.cli --version"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_on_a_full_disk_is_an_error() -> None:
    command = f"{sys.executable} -m studyapp.cli --version > /dev/full"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "studyapp: the output could not be written: the disk is full; free some space\n"


def test_numpy_gets_one_thread_before_it_is_loaded_unless_somebody_asked_for_more() -> None:
    code = "import os, sys, studyapp; print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, expected in ((others, "1"), (others | {"OPENBLAS_NUM_THREADS": "4"}, "4")):
        done = subprocess.run(
            [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == f"False {expected}"
