"""Faults in a study file, in the words of someone who writes one.

Pydantic finds every fault and its place.  This module turns each into a sentence that says what is wrong and
what is allowed, with the nearest valid name where a name was mistyped.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.wording import did_you_mean
from studyapp.base.documents import Place, name_of
from studyapp.study.fields import Part

LONGEST_VALUE = 60  # characters of a value that a message quotes


@dataclass(frozen=True)
class Fault:
    """What is wrong, and where."""

    place: Place
    problem: str


def faults(error: ValidationError, model: type[BaseModel], data: object) -> list[Fault]:
    """The faults in ``data``, each at the place where its writer will look."""
    return [_fault(details, model, data) for details in error.errors(include_url=False)]


def _fault(details: ErrorDetails, model: type[BaseModel], data: object) -> Fault:
    place = _place(details, data)
    name, kind, context, value = name_of(place), details["type"], details.get("ctx", {}), details["input"]
    match kind:
        case "extra_forbidden":
            allowed = _names_at(model, details["loc"][:-1], data)
            guess = did_you_mean(place[-1], allowed)
            problem = f"there is no setting {name}{guess}; allowed: {', '.join(allowed)}"
        case "missing":
            problem = f"{name} is missing; add it"
        case "literal_error":
            allowed = [part.strip("' ") for part in context["expected"].replace(" or ", ",").split(",")]
            guess = did_you_mean(value, allowed)
            problem = f"{name} is {quoted(value)}{guess}; allowed: {', '.join(allowed)}"
        case "value_error":
            problem = f"{name}: {context['error']}" if place else str(context["error"])
        case _:
            default = details["msg"][0].lower() + details["msg"][1:]
            problem = f"{name} is {quoted(value)}; {_MUST_BE.get(kind, default).format_map(context)}"
    return Fault(place, problem)


# Pydantic's types of fault, and what a value must be instead.
_MUST_BE = {
    "bool_type": "it must be true or false",
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "string_type": "it must be text (in quotes, if it looks like something else)",
    "list_type": "it must be a list: one entry per line, starting with '- '",
    "dict_type": "it must be a group of settings: one per line, 'name: value'",
    "model_type": "it must be a group of settings: one per line, 'name: value'",
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "finite_number": "it must be a finite number",
    "string_too_short": "it must not be empty",
    "string_too_long": "it must have at most {max_length} characters",
    "string_pattern_mismatch": "it must consist of letters, digits, - and _, starting with a letter or digit",
    "too_short": "it must have at least {min_length} entries",
    "too_long": "it must have at most {max_length} entries",
}


def _place(details: ErrorDetails, data: Any) -> Place:
    """The path to the fault in the file: pydantic's own, without the tags of unions."""
    place: list[str | int] = []
    for part in details["loc"]:
        try:
            data = data[part]
        except (LookupError, TypeError):
            continue
        place.append(part)
    return (*place, details["loc"][-1]) if details["type"] == "missing" else tuple(place)


def quoted(value: object) -> str:
    if isinstance(value, BaseModel | dict):
        return "a group of settings"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    quoted = repr(value)
    return quoted if len(quoted) <= LONGEST_VALUE else f"{quoted[: LONGEST_VALUE - 3]}..."


def _names_at(model: type[BaseModel], place: Place, data: Any) -> list[str]:
    """The settings that exist at a place."""
    annotation: Any = model
    for part in place:
        try:
            data = data[part]
        except (LookupError, TypeError):
            continue  # the tag of a union, which is not in the file
        fields = [found.model_fields for found in _models_in(annotation)]
        inner = [known[part].annotation for known in fields if part in known]
        if inner:
            annotation = inner[0]  # a field of a model; otherwise an entry of a list or mapping
    return [name for found in _models_in(annotation)[:1] for name in _class_for(found, data).model_fields]


def _class_for(model: type[BaseModel], data: object) -> type[BaseModel]:
    return model.class_for(data) if issubclass(model, Part) else model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (list, dict, Union, UnionType, Annotated):
        return [model for inner in get_args(annotation) for model in _models_in(inner)]
    return []
