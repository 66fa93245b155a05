"""The console for tables in the terminal, and names that fit into them."""

from __future__ import annotations

from studyapp.base.console import Console

__all__ = ["console", "short"]

LONGEST_NAME = 14  # characters of a model's name in a table's header
WIDE = 200  # columns when the output is a file


def console() -> Console:
    """A console for stdout; tables keep their full width when stdout is not a terminal."""
    terminal = Console()
    return terminal if terminal.is_terminal else Console(width=WIDE)


def short(name: str) -> str:
    """A model's name, cut to fit a column."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
