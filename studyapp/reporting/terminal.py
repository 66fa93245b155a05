"""Tables and names for the terminal."""

from __future__ import annotations

from rich.console import Console

__all__ = ["console", "short"]

LONGEST_NAME = 14  # of a model, in a head
WIDE = 200  # columns of a file


class _Console(Console):
    """Prints whole tables wherever they go, and lets a reader go away as all commands do."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    found = _Console(highlight=False)
    return found if found.is_terminal else _Console(highlight=False, width=WIDE)


def short(name: str) -> str:
    """The name of a model, as much of it as a line has room for."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
