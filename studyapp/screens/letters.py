"""A word in large letters, drawn with lines, three rows high.

A word with a character that is not here, or one too long for its place, is shown as it is.
"""

from __future__ import annotations

__all__ = ["TARGET_WIDTH", "is_large", "large"]

TARGET_WIDTH = 56  # columns for the word to find

_DRAWN = """
A ┏━┓ B ┏┓  C ┏━╸ D ┳━┓ E ┏━╸ F ┏━╸ G ┏━╸ H ╻ ╻ I ╻ J   ╻ K ╻┏╸ L ╻   M ┏┳┓
  ┣━┫   ┣┻┓   ┃     ┃ ┃   ┣╸    ┣╸    ┃╺┓   ┣━┫   ┃     ┃   ┣┻┓   ┃     ┃┃┃
  ╹ ╹   ┗━┛   ┗━╸   ┻━┛   ┗━╸   ╹     ┗━┛   ╹ ╹   ╹   ┗━┛   ╹ ╹   ┗━╸   ╹ ╹
N ┏┓╻ O ┏━┓ P ┏━┓ Q ┏━┓ R ┏━┓ S ┏━┓ T ╺┳╸ U ╻ ╻ V ╻ ╻ W ╻ ╻ X ╻ ╻ Y ╻ ╻ Z ╺━┓
  ┃┗┫   ┃ ┃   ┣━┛   ┃ ┃   ┣┳┛   ┗━┓    ┃    ┃ ┃   ┃┏┛   ┃╻┃   ┏╋┛   ┗┳┛   ┏━┛
  ╹ ╹   ┗━┛   ╹     ┗┻┛   ╹┗╸   ┗━┛    ╹    ┗━┛   ┗┛    ┗┻┛   ╹ ╹    ╹    ┗━╸
Ä ┏┅┓ Ö ┏┅┓ Å ┏●┓
  ┣━┫   ┃ ┃   ┣━┫
  ╹ ╹   ┗━┛   ╹ ╹
"""


def _alphabet() -> dict[str, tuple[str, str, str]]:
    """Cut the drawing above into letters: a name stands a blank before its letter."""
    letters = {}
    rows = _DRAWN.strip("\n").split("\n")
    for top, middle, bottom in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        names = [i for i, c in enumerate(top) if c.isalpha()]
        for start, end in zip(names, [*names[1:], len(top) + 1], strict=True):
            drawn = [row[start + 2 : end - 1] for row in (top, middle, bottom)]
            width = max(len(row.rstrip()) for row in drawn)
            letters[top[start]] = tuple(row[:width].ljust(width) for row in drawn)
    return letters  # type: ignore[return-value]


_LETTERS = _alphabet() | {"-": ("   ", "╺━╸", "   "), " ": ("  ", "  ", "  ")}


def large(word: str, width: int = TARGET_WIDTH) -> str:
    """The word, large, in at most so many columns."""
    drawn = [_LETTERS.get(character.upper()) for character in word]
    if None not in drawn:
        rows = [" ".join(letter[row] for letter in drawn if letter) for row in range(3)]
        if max(map(len, rows)) <= width:
            return "\n".join(rows)
    return f"\n{word}\n"


def is_large(word: str, width: int = TARGET_WIDTH) -> bool:
    """Is the word shown large, rather than as it is?"""
    return large(word, width) != f"\n{word}\n"
