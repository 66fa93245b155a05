"""The console for tables and sentences in the terminal, and names that fit into tables."""

from __future__ import annotations

from rich.text import Text

from studyapp.base.console import Console

LONGEST_NAME = 14  # characters of a model's name in a table's header
LINE = 80  # columns of a sentence, at most
WIDE = 200  # columns when the output is a file


def console() -> Console:
    """A console for stdout; tables keep their full width when stdout is not a terminal."""
    terminal = Console()
    return terminal if terminal.is_terminal else Console(width=WIDE)


def print_sentence(sentence: str, console: Console) -> None:
    """Print a sentence in lines that fit the terminal, or the window of the office (COLUMNS)."""
    console.print(Text(sentence), width=min(LINE, Console().width))


def short(name: str) -> str:
    """A model's name, cut to fit a column."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
