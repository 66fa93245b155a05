"""The help of the office: its keys, its columns, and what an experimenter should know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from studyapp.office.table import COLUMNS

NAME_WIDTH = 6  # of a key, or of a column's heading
PALETTE = ("Ctrl+P", "All of this, by name")

COMMANDS = (
    "The arrow keys choose a participant. Everything here is a command too: studyapp status, note, exclude, "
    "delete, verify, backup, analyse, export, unblind, check, rehearse, run; preregister is a "
    "command only. Empty columns are left out. The arrow keys scroll to what does not fit."
)
SESSIONS = (
    "The participant gets the whole terminal. When the session is over, only your password leads back here "
    "(without one, Enter is enough): not Ctrl+C, not Ctrl+Q. If you have forgotten it, close this window or "
    "end studyapp from another one (kill {process}), and start it again. Nothing is lost: sessions save "
    "every answer themselves."
)
BLIND = (
    "The office itself tells neither which model asks nor how the models compare. In a study with blind: "
    "true, an analysis (a) compares them only when collecting is false, and analyses and exports call them "
    "A, B and so on until the study is unblinded."
)


class Help(ModalScreen[None]):
    """A line for every key and every column; in a wide window, keys and columns are side by side."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 (Textual's own form)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1,question_mark", "close", "Close")]

    def __init__(self, bindings: Iterable[Binding], process: int) -> None:
        super().__init__()
        self._own_bindings = bindings
        self._process = process

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="help") as page:
            page.border_title, page.border_subtitle = "The office", "Esc: close"
            with Container(id="help-lists"):
                yield Static(_lines(self._keys()), id="help-keys")
                yield Static(
                    _lines((column.heading, column.meaning) for column in COLUMNS), id="help-columns"
                )
            yield Static(COMMANDS, markup=False)
            yield Static(_titled("Sessions.", SESSIONS.format(process=self._process)))
            yield Static(_titled("Blind.", BLIND))

    def _keys(self) -> Iterator[tuple[str, str]]:
        for binding in self._own_bindings:
            name = binding.key_display or binding.key.split(",")[0]
            yield name if len(name) == 1 else name.capitalize(), binding.tooltip or binding.description
        yield PALETTE

    def action_close(self) -> None:
        self.dismiss(None)


def _lines(pairs: Iterable[tuple[str, str]]) -> Table:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(min_width=NAME_WIDTH, style="bold", no_wrap=True)
    lines.add_column()
    for name, meaning in pairs:
        lines.add_row(Text(name), Text(meaning))
    return lines


def _titled(title: str, text: str) -> Text:
    return Text.assemble((title, "bold"), " ", text)
