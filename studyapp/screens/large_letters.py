"""Words in large letters: three rows high, drawn with lines.

A word is shown at normal size if one of its characters has no large form here, or if it is too wide.  Targets
of different sizes would stand out, so ``is_large`` lets a study be checked beforehand.
"""

from __future__ import annotations

__all__ = ["TARGET_WIDTH", "is_large", "large"]

TARGET_WIDTH = 56  # columns for a target: those of a page in the smallest window

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
    """Cut the drawing above into letters.  Each is named by the character to the left of its top row."""
    letters = {}
    rows = _DRAWN.strip("\n").split("\n")
    for top, middle, bottom in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        starts = [i for i, character in enumerate(top) if character.isalpha()]
        for start, end in zip(starts, [*starts[1:], len(top) + 1], strict=True):
            drawn = [row[start + 2 : end - 1] for row in (top, middle, bottom)]
            width = max(len(row.rstrip()) for row in drawn)
            letters[top[start]] = tuple(row[:width].ljust(width) for row in drawn)
    return letters  # type: ignore[return-value]


_LETTERS = _alphabet() | {"-": ("   ", "╺━╸", "   "), " ": ("  ", "  ", "  ")}


def large(word: str, width: int = TARGET_WIDTH) -> str:
    """Three rows of text: the word in large letters, or at normal size where it cannot be large."""
    return "\n".join(_rows(word)) if is_large(word, width) else f"\n{word}\n"


def is_large(word: str, width: int = TARGET_WIDTH) -> bool:
    """Do the pages show this target in large letters?"""
    rows = _rows(word)
    return bool(rows) and len(rows[0]) <= width


def _rows(word: str) -> list[str]:
    """The rows of the large word; none if a character has no large form."""
    letters = [_LETTERS.get(character.upper()) for character in word]
    if None in letters:
        return []
    return [" ".join(letter[row] for letter in letters if letter) for row in range(3)]
