"""The kinds of values that a study file is made of, and how a fault in one is told.

Pydantic finds every fault and its place; this module makes each a sentence that says what is
allowed, with the nearest valid name where a name was mistyped.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from core.checks import did_you_mean
from studyapp.base.documents import Place

__all__ = [
    "LONGEST",
    "Fault",
    "Name",
    "Part",
    "Prose",
    "Text",
    "check_holes",
    "check_line",
    "faults",
]

JOINERS = "\u200c\u200d"
LONGEST = 20_000  # characters of one text


class Part(BaseModel):
    """A part of a study file: nothing is converted, nothing unknown is let pass, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def of(cls, data: object) -> type[Part]:
        """The class that reads ``data``, where a part has kinds."""
        del data
        return cls


def check_visible(text: str) -> str:
    """What a terminal shows as text: no escape codes and the like."""
    for character in text:
        # Blanks of all kinds, and the joiners of Persian, Hindi and of many emoji, are as good as visible.
        shown = character.isprintable() or unicodedata.category(character) == "Zs" or character in JOINERS
        if not shown and character != "\n":
            raise ValueError(f"has the character {character!r}, which cannot be shown; remove it")
    return text


def check_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("must be on one line")
    return check_visible(text)


def check_holes(text: str, allowed: Sequence[str], needed: Sequence[str] = ()) -> str:
    """A text in which only these ``{placeholders}`` may stand, and those that are needed do."""
    names = ", ".join(f"{{{name}}}" for name in allowed)
    told = f"allowed here: {names}" if allowed else "none are allowed here"
    try:
        holes = list(string.Formatter().parse(text))
    except ValueError:
        raise ValueError(f"has a lone brace; write {{{{ or }}}} for a brace as such ({told})") from None
    for _, name, form, conversion in holes:
        if name is not None and (name not in allowed or form or conversion):
            raise ValueError(f"has the placeholder {{{name}}}{did_you_mean(name, allowed)}; {told}")
    for name in needed:
        if name not in [hole for _, hole, _, _ in holes]:
            raise ValueError(f"must have {{{name}}} in it")
    return text


Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(check_line)]
Prose = Annotated[
    str, Field(min_length=1, max_length=LONGEST), AfterValidator(check_visible)
]  # several lines
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=64)]


@dataclass(frozen=True)
class Fault:
    place: Place
    problem: str


def faults(error: ValidationError, model: type[BaseModel], data: object) -> list[Fault]:
    """What is wrong with ``data``, each at the place where its writer will look."""
    return [_fault(details, model, data) for details in error.errors(include_url=False)]


def _fault(details: ErrorDetails, model: type[BaseModel], data: object) -> Fault:
    place = _place(details, data)
    name, kind, context, given = _told(place), details["type"], details.get("ctx", {}), details["input"]
    match kind:
        case "extra_forbidden":
            allowed = _names_at(model, details["loc"][:-1], data)
            problem = (
                f"there is no setting {name}{did_you_mean(place[-1], allowed)}; allowed: {', '.join(allowed)}"
            )
        case "missing":
            problem = f"{name} is missing; add it"
        case "literal_error":
            allowed = [part.strip("' ") for part in context["expected"].replace(" or ", ",").split(",")]
            problem = (
                f"{name} is {_shown(given)}{did_you_mean(given, allowed)}; allowed: {', '.join(allowed)}"
            )
        case "value_error":
            problem = f"{name}: {context['error']}" if place else str(context["error"])
        case _:
            said = _SAID.get(kind, details["msg"][0].lower() + details["msg"][1:]).format_map(context)
            problem = f"{name} is {_shown(given)}; {said}"
    return Fault(place, problem)


# What pydantic calls a fault, in the words of someone who writes a study file.
_SAID = {
    "bool_type": "it must be true or false",
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "string_type": "it must be a text (in quotes, if it looks like something else)",
    "list_type": "it must be a list: one line each, beginning with '- '",
    "dict_type": "it must be settings: one line each, 'name: value'",
    "model_type": "it must be settings: one line each, 'name: value'",
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "finite_number": "it must be a finite number",
    "string_too_short": "it must not be empty",
    "string_too_long": "it must have at most {max_length} characters",
    "string_pattern_mismatch": "it must be made of letters, digits, - and _, the first no sign",
    "too_short": "there must be at least {min_length}",
    "too_long": "there must be at most {max_length}",
}


def _place(details: ErrorDetails, data: Any) -> Place:
    """Where in the file it is: pydantic's way there, without the kinds of a union that it passes."""
    place: list[str | int] = []
    for part in details["loc"]:
        try:
            data = data[part]
        except (LookupError, TypeError):
            continue
        place.append(part)
    return (*place, details["loc"][-1]) if details["type"] == "missing" else tuple(place)


def _told(place: Place) -> str:
    name = ""
    for part in place:
        if isinstance(part, int):
            name += f"[{part + 1}]"
        else:
            name += f".{part}" if name else str(part)
    return name or "the file"


def _shown(given: object) -> str:
    if isinstance(given, BaseModel | dict):
        return "a group of settings"
    if isinstance(given, list):
        return "a list" if given else "an empty list"
    if given is None:
        return "empty"
    if isinstance(given, bool):
        return "true" if given else "false"
    told = repr(given)
    return told if len(told) <= 60 else f"{told[:57]}..."


def _names_at(model: type[BaseModel], place: Place, data: Any) -> list[str]:
    """The settings that are known at a place."""
    annotation: Any = model
    for part in place:
        try:
            data = data[part]
        except (LookupError, TypeError):
            continue  # a tag of a union, which is not in the file
        fields = [found.model_fields for found in _models_in(annotation)]
        inner = [known[part].annotation for known in fields if part in known]
        if inner:
            annotation = inner[0]  # a field of a model; otherwise an entry of a list or mapping
    found = _models_in(annotation)[:1]
    return [name for each in found for name in _class_for(each, data).model_fields]


def _class_for(model: type[BaseModel], data: object) -> type[BaseModel]:
    return model.of(data) if issubclass(model, Part) else model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (list, dict, Union, UnionType, Annotated):
        return [model for inner in get_args(annotation) for model in _models_in(inner)]
    return []
