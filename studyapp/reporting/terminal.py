"""The console for tables in the terminal, and names that fit into them."""

from __future__ import annotations

from rich.console import Console

__all__ = ["console", "short"]

LONGEST_NAME = 14  # characters of a model's name in a table's header
WIDE = 200  # columns when the output is a file


class _Console(Console):
    """A console that treats a closed pipe as all commands do."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """A console for stdout; tables keep their full width when stdout is not a terminal."""
    terminal = _Console(highlight=False)
    return terminal if terminal.is_terminal else _Console(highlight=False, width=WIDE)


def short(name: str) -> str:
    """A model's name, cut to fit a column."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
