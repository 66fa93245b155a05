"""The types of value in a study file."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.vectors import LONGEST_WORD
from core.wording import is_visible
from studyapp.study import placeholders
from studyapp.study.placeholders import GENERAL, IN_ROUND

LONGEST = 20_000  # characters in one text


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
    return placeholders.check(text, [*GENERAL])


def _check_in_round(text: str) -> str:
    return placeholders.check(text, [*IN_ROUND, *GENERAL])


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
