"""Progress shows on a terminal and leaves nothing behind."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pyte
import pytest
from rich.console import Console

from core.errors import FileError
from studyapp.base.console import bar, reading

WIDTH = 100


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=WIDTH)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_reading_shows_how_much_of_a_file_or_a_pipe_has_been_read(tmp_path: Path) -> None:
    path, console = tmp_path / "big.bin", terminal()
    path.touch()
    os.truncate(path, 4_000_000_000)  # takes no room on the disk
    with reading(path, console) as update:
        update(1_000_000_000)
    assert "reading big.bin" in written(console)
    assert "1.0/4.0 GB" in written(console)
    os.mkfifo(tmp_path / "pipe")
    console = terminal()
    with reading(tmp_path / "pipe", console) as update:
        update(7_000_000)
    assert "7.0/? MB" in written(console)


def test_the_bar_disappears_even_if_the_work_fails(tmp_path: Path) -> None:
    console = terminal()

    def fail() -> None:
        with reading(tmp_path, console) as update:
            update(7_000_000)
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    seen = pyte.Screen(WIDTH, 10)
    pyte.Stream(seen).feed(written(console).replace("\n", "\r\n"))
    assert not "".join(seen.display).strip()


def test_nothing_is_shown_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with bar("reading logs", 10) as update:
        update(7)
    assert capfd.readouterr() == ("", "")


def test_a_file_in_a_folder_that_may_not_be_entered_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "is_file", denied)
    with pytest.raises(FileError, match=r"big\.bin: permission denied"), reading(tmp_path / "big.bin"):
        pass
