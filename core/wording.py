"""Words that many messages need."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counted", "did_you_mean", "printable"]

LONGEST_SHOWN = 200  # characters of a file that go into an error message
LONGEST_GUESSED = 40  # characters of a name that was mistyped: to compare long texts takes long


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: "1 session", "2 sessions", "1,200 answers"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """ " (did you mean ...?)" if ``name`` is close to something known; otherwise nothing."""
    from difflib import get_close_matches

    text = str(name)
    if len(text) > LONGEST_GUESSED:
        return ""
    close = get_close_matches(text, [one for one in known if len(one) <= LONGEST_GUESSED], n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def printable(text: str) -> str:
    """Text from a file, for a message: not too long, and without codes that would move a cursor."""
    cut = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in cut)
