"""Words that many messages need."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LONGEST_SHOWN = 200  # characters of a file that go into an error message
JOINERS = "\u200c\u200d"  # needed for Persian, Hindi and many emoji
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters and marks that show nothing
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


def is_visible(character: str) -> bool:
    """Does a reader see this character, or its effect on the letters beside it, where it stands?

    Not so: control characters, which a terminal obeys; marks that change the direction of text, and so its
    order; separators of lines; characters that show nothing; halves of characters.  Spaces of all kinds are
    visible.
    """
    if character.isprintable():
        return character not in FILLERS
    return character in JOINERS or unicodedata.category(character) == "Zs"


def visible(text: str) -> str:
    """One line of text for people: every character that is not visible is an escape, such as ``\\x1b``.

    A line break is one of them: what a file says must not pass for a line of its own.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if is_visible(character) else ascii(character)[1:-1] for character in text)


def visible_lines(text: str) -> str:
    """The same for text whose line breaks are meant."""
    return "\n".join(map(visible, text.split("\n")))


def printable(text: str) -> str:
    """Text from a file, for a message: visible, and not too long."""
    return visible(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
