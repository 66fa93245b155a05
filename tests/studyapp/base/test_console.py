"""Progress shows on a terminal and leaves nothing behind."""

from __future__ import annotations

import io
from contextlib import suppress

import pyte
import pytest
from rich.console import Console

from studyapp.base.console import bar

WIDTH = 100


def test_a_bar_shows_how_much_is_done_and_disappears_even_if_the_work_fails() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=WIDTH)
    for total, shown in ((4000, "reading big.bin (MB)"), (None, "7 of ?")):  # None: of a pipe
        with suppress(ZeroDivisionError), bar("reading big.bin (MB)", total, console) as update:
            update(7.9)
            raise ZeroDivisionError
        assert shown in written.getvalue()
    assert "   7 of 4000" in written.getvalue()
    seen = pyte.Screen(WIDTH, 10)
    pyte.Stream(seen).feed(written.getvalue().replace("\n", "\r\n"))
    assert not "".join(seen.display).strip()


def test_nothing_is_shown_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with bar("reading logs", 10) as update:
        update(7)
    assert capfd.readouterr() == ("", "")
