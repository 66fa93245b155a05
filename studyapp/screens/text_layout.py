"""Text arranged for a given width: prose, progress bars, lists, and words in large letters.

Large letters are capitals three rows high, drawn with lines, with marks such as those of ä above.  A word can
be large if all its characters have a large form and it is not too wide.  ``Lettering`` decides for a whole
set of words at once whether they are: a word of another size would stand out among them.
"""

# ruff: noqa: RUF001 (lines that look like slashes are meant)

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len


def reflowed(text: str) -> str:
    """Prose that can wrap at any width: one line per paragraph.  Indented lines stay as they are."""
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        continues = lines and lines[-1].strip() and not lines[-1].startswith(" ")
        if continues and line.strip() and not line.startswith(" "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
    return "\n".join(lines)


def progress_bar(done: float, total: float, width: int) -> str:
    """A line of ``width`` columns, solid as far as the work is done."""
    solid = round(width * done / total) if total else width
    return "━" * solid + "╌" * (width - solid)


def in_lines(entries: list[str], width: int) -> list[str]:
    """As many entries per line as fit; no entry is split over two lines."""
    lines: list[str] = []
    for entry in entries:
        if lines and cell_len(lines[-1]) + 3 + cell_len(entry) <= width:
            lines[-1] += f" · {entry}"
        else:
            lines.append(entry)
    return lines


TARGET_WIDTH = 56  # columns for a target: those of a page in the smallest window

_DRAWN = """
A ┏━┓ B ┏┓  C ┏━╸ D ┳━┓ E ┏━╸ F ┏━╸ G ┏━╸ H ╻ ╻ I ╻ J   ╻ K ╻┏╸ L ╻   M ┏┳┓
  ┣━┫   ┣┻┓   ┃     ┃ ┃   ┣╸    ┣╸    ┃╺┓   ┣━┫   ┃     ┃   ┣┻┓   ┃     ┃┃┃
  ╹ ╹   ┗━┛   ┗━╸   ┻━┛   ┗━╸   ╹     ┗━┛   ╹ ╹   ╹   ┗━┛   ╹ ╹   ┗━╸   ╹ ╹
N ┏┓╻ O ┏━┓ P ┏━┓ Q ┏━┓ R ┏━┓ S ┏━┓ T ╺┳╸ U ╻ ╻ V ╻ ╻ W ╻ ╻ X ╻ ╻ Y ╻ ╻ Z ╺━┓
  ┃┗┫   ┃ ┃   ┣━┛   ┃ ┃   ┣┳┛   ┗━┓    ┃    ┃ ┃   ┃┏┛   ┃╻┃   ┏╋┛   ┗┳┛   ┏━┛
  ╹ ╹   ┗━┛   ╹     ┗┻┛   ╹┗╸   ┗━┛    ╹    ┗━┛   ┗┛    ┗┻┛   ╹ ╹    ╹    ┗━╸
Ø ┏━┓ Æ ┏━┳╸ Ç ┏━╸
  ┃╱┃   ┣━╋╸   ┃
  ┗━┛   ╹ ┗╸   ┗┳╸
"""
# The marks above a letter, by the names that Unicode gives them in combination.
_MARKS = {
    "DIAERESIS": "• •",
    "ACUTE ACCENT": "╱",
    "GRAVE ACCENT": "╲",
    "CIRCUMFLEX ACCENT": "╱ ╲",
    "CARON": "╲ ╱",
    "DOUBLE ACUTE ACCENT": "╱ ╱",
    "TILDE": "~",
    "MACRON": "━",
    "RING ABOVE": "o",
    "DOT ABOVE": "•",
}


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


class Lettering:
    """How a set of words is shown in a width: all of them in large letters, or none."""

    def __init__(self, words: Sequence[str], width: int) -> None:
        self.large = all(is_large(word, width) for word in words)
        marked = self.large and any(_rows(word)[0].strip() for word in words)
        self._first = 0 if marked else 1  # no row for marks if no word has any

    def draw(self, word: str) -> str:
        """The word in three or four rows of text, as many as for any word of the set."""
        return "\n".join(_rows(word)[self._first :]) if self.large else f"\n{word}\n"


def is_large(word: str, width: int = TARGET_WIDTH) -> bool:
    """Can this word be shown in large letters?"""
    rows = _rows(word)
    return bool(rows) and len(rows[0]) <= width


def _rows(word: str) -> list[str]:
    """The four rows of the large word, the marks first; none if a character has no large form."""
    letters = [_letter(character) for character in unicodedata.normalize("NFC", word).upper()]
    return [" ".join(letter[row] for letter in letters) for row in range(4)] if all(letters) else []


def _letter(character: str) -> list[str]:
    """The rows of a capital letter, its marks first; empty if it has no large form."""
    if drawn := _LETTERS.get(character):
        return [" " * len(drawn[0]), *drawn]
    parts = unicodedata.normalize("NFD", character)
    base, marks = parts[0], parts[1:]
    name = unicodedata.name(marks, "").removeprefix("COMBINING ") if len(marks) == 1 else ""
    if base not in _LETTERS or name not in _MARKS:
        return []
    drawn, mark = _LETTERS[base], _MARKS[name]
    width = max(len(mark), len(drawn[0]))  # a narrow letter becomes wider
    return [row.center(width) for row in (mark, *drawn)]
