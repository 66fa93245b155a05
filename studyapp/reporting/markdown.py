"""Markdown for people to paste elsewhere: templates, tables, and text that must not pass for Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined

from core.wording import visible, visible_lines

SIGNS = "\\`*_[]<>#|"


def render(package: str, template: str, given: Mapping[str, Any]) -> str:
    """Fill in a template of a package.  Text from files goes through ``| text`` or ``| code`` in it."""
    source = resources.files(package).joinpath(template).read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters |= {"text": plain, "code": code}
    return visible_lines(environment.from_string(source).render(**given))


def plain(text: str) -> str:
    """Text as it is: no sign in it is Markdown's."""
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in visible(text))


def code(text: str) -> str:
    """A name or a number as it is written in a file."""
    return f"`{visible(text).replace('`', chr(39)).replace('|', '/')}`"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
