"""Progress shows on a terminal, after a while, and leaves nothing behind."""

from __future__ import annotations

import errno
import io
import time
from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.base.progress import Progress, reading


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_nothing_is_shown_for_quick_work(clock: Clock) -> None:
    terminal = Terminal()
    progress = Progress("big.bin", 4_000_000_000, terminal)
    clock.now = 0.9
    progress(1_000_000)
    progress.clear()
    assert terminal.getvalue() == ""


def test_long_work_shows_how_far_it_is(clock: Clock) -> None:
    terminal = Terminal()
    progress = Progress("big.bin", 4_000_000_000, terminal)
    clock.now = 1.1
    progress(1_000_000_000)
    clock.now = 1.2
    progress(1_100_000_000)
    assert terminal.getvalue() == "\rreading big.bin: 1,000 of 4,000 MB, 25%"


def test_a_pipe_shows_how_much_came(clock: Clock) -> None:
    terminal = Terminal()
    progress = Progress("pipe", 0, terminal)
    clock.now = 1.1
    progress(1_000_000_000)
    assert terminal.getvalue() == "\rreading pipe: 1,000 MB"


def test_nothing_is_shown_where_there_is_no_terminal(clock: Clock) -> None:
    log = io.StringIO()
    progress = Progress("big.bin", 4_000_000_000, log)
    clock.now = 99
    progress(1_000_000)
    progress.clear()
    assert log.getvalue() == ""


def test_a_file_in_a_folder_that_may_not_be_entered_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "is_file", denied)
    with pytest.raises(FileError, match=r"big\.bin: permission denied"), reading(tmp_path / "big.bin"):
        pass


def test_the_line_is_gone_however_the_work_ends(clock: Clock, tmp_path: Path) -> None:
    terminal = Terminal()

    def fail() -> None:
        with reading(tmp_path, terminal) as progress:
            clock.now = 5
            progress(7_000_000)
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    shown = f"reading {tmp_path.name}: 7 MB"
    assert terminal.getvalue() == f"\r{shown}\r{' ' * len(shown)}\r"
