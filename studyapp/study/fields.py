"""The types of value in a study file, and the ``{placeholders}`` in the texts that participants read.

``{questions}`` stands for the number of questions in a round, and so on, so that a text stays true when the
study changes.  A number can also choose between two forms, for 1 and for any other number:
``{rounds} {rounds:round|rounds}`` is "1 round" or "2 rounds".  A brace itself is written ``{{`` or ``}}``.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.vectors import LONGEST_WORD
from core.wording import did_you_mean, is_visible

LONGEST = 20_000  # characters in one text

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


def check_placeholders(text: str, allowed: Sequence[str], needed: Sequence[str] = ()) -> str:
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


class Part(BaseModel):
    """A part of a study file: strict about types, without unknown settings, and unchangeable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def class_for(cls, data: object) -> type[Part]:
        """The class that reads ``data``, where a part has kinds."""
        del data
        return cls


def check_visible(text: str) -> str:
    """Refuse characters that a terminal does not show as text, such as escape codes."""
    for character in text:
        if not is_visible(character) and character != "\n":
            raise ValueError(f"contains the character {character!r}, which can't be shown; remove it")
    return text


def check_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("must be on one line")
    return check_visible(text)


def _check_general(text: str) -> str:
    return check_placeholders(text, [*GENERAL])


def _check_in_round(text: str) -> str:
    return check_placeholders(text, [*IN_ROUND, *GENERAL])


_Short = Annotated[str, Field(max_length=LONGEST), AfterValidator(check_line)]

# One line without placeholders.
Text = _Short
# One line for participants; the second type may also use the placeholders of a round.
Line = Annotated[_Short, AfterValidator(_check_general)]
LineInRound = Annotated[_Short, AfterValidator(_check_in_round)]
# Several lines for participants.
Prose = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST),
    AfterValidator(check_visible),
    AfterValidator(_check_general),
]
# A word or the name of a questionnaire in a list; ``rules`` checks that it exists.
Entry = Annotated[str, Field(max_length=LONGEST_WORD)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=64)]
