"""The help of the office: its keys, its columns, and what an experimenter should know."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding

from studyapp.office.columns import COLUMNS

__all__ = ["help_text"]

HELP = """\
# The office

Esc closes this page.

| key | |
| --- | --- |
{keys}
| Ctrl+P | all of this, by name |

The arrow keys choose a participant. Everything here is a command too: `studyapp status`, `note`, `exclude`,
`delete`, `verify`, `backup`, `analyse`, `export`, `unblind`.

| column | |
| --- | --- |
{columns}

Empty columns are left out. The arrow keys scroll to what does not fit.

**Sessions.** The participant gets the whole terminal. When the session is over, only your password leads back
here (without one, Enter is enough): not Ctrl+C, not Ctrl+Q. If you have forgotten it, close this window or
end studyapp from another one (`kill {process}`), and start it again. Nothing is lost: sessions
save every answer themselves.

**Blind.** The office itself tells neither which model asks nor how the models compare. In a study with
`blind: true`, an analysis (a) compares them only when `collecting` is false, and analyses and exports call
them A, B and so on until the study is unblinded.
"""


def help_text(bindings: Iterable[Binding], process: int) -> str:
    """The help, as Markdown."""
    keys = (f"| {_key(binding)} | {binding.tooltip or binding.description} |" for binding in bindings)
    columns = (f"| {column.heading} | {column.meaning} |" for column in COLUMNS)
    return HELP.format(keys="\n".join(keys), columns="\n".join(columns), process=process)


def _key(binding: Binding) -> str:
    return binding.key_display or binding.key.split(",")[0]
