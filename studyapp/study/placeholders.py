"""The ``{placeholders}`` in the texts that participants read.

``{questions}`` stands for the number of questions in a round, and so on, so that a text stays true when the
study changes.  A number can also choose between two forms, for 1 and for any other number:
``{rounds} {rounds:round|rounds}`` is "1 round" or "2 rounds".  A brace itself is written ``{{`` or ``}}``.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from core.wording import did_you_mean

# What every text may use, and what it stands for.
GENERAL: Mapping[str, str] = {
    "questions": "questions in a round",
    "words": "words in the word set",
    "rounds": "rounds that count",
    "practice_rounds": "practice rounds",
    "repeats": "rounds in a row with the same word to find",
    "minutes": "expected duration of a session",
    "yes_key": "key for yes",
    "no_key": "key for no",
}
# What texts on the pages of a round, and questionnaires after a round, may use as well.
IN_ROUND: Mapping[str, str] = {"target": "the word to find"}

# Placeholders that do not stand for a number, and so have no forms.
NOT_NUMBERS = frozenset(
    {"yes_key", "no_key", "target", "word", "answer", "id", "other", "place", "error"}
    | {"until", "year", "month", "day", "time"}
)


def fill(text: str, values: Mapping[str, str | int]) -> str:
    """The text with its placeholders filled in."""
    parts: list[str] = []
    for literal, name, forms, _ in string.Formatter().parse(text):
        parts.append(literal)
        if name is not None:
            value = values[name]
            parts.append(_choose(forms, value) if forms else str(value))
    return "".join(parts)


def _choose(forms: str, value: str | int) -> str:
    one, other = forms.split("|")
    return one if value == 1 else other


def check(text: str, allowed: Sequence[str], needed: Sequence[str] = ()) -> str:
    """The text, or a ValueError if it has a placeholder that is not allowed or lacks one that is needed."""
    listed = f"allowed here: {', '.join(f'{{{name}}}' for name in allowed)}"
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        raise ValueError(f"has a single brace; for a brace itself, write {{{{ or }}}} ({listed})") from None
    for _, name, forms, conversion in parsed:
        if name is None:
            continue
        if name not in allowed or conversion:
            written = f"{{{name}!{conversion}}}" if conversion else f"{{{name}}}"
            raise ValueError(f"has the placeholder {written}{did_you_mean(name, allowed)}; {listed}")
        if forms:
            _check_forms(name, forms)
    for name in needed:
        if name not in names_in(text):
            raise ValueError(f"must contain {{{name}}}")
    return text


def _check_forms(name: str, forms: str) -> None:
    written = f"{{{name}:{forms}}}"
    if name in NOT_NUMBERS:
        raise ValueError(f"has {written}, but {{{name}}} is not a number; write {{{name}}}")
    if forms.count("|") != 1 or "{" in forms:
        raise ValueError(
            f"has {written}; it must have two forms, for 1 and for other numbers: {{{name}:round|rounds}}"
        )


def names_in(text: str) -> set[str]:
    """The placeholders of a text; none if it cannot be read."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return set()
