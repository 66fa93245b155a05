"""The one place where YAML is read and written.

People write study files, so every value remembers the line it stands on, and what would silently
mean something else is refused: a key given twice, and anchors, aliases and tags, which nobody needs
here and which can make a small file grow without bounds.  Only ``true`` and ``false`` are truth
values: the word *no* in a list of words is a word.

What is written is read alike by parsers of YAML 1.1 and 1.2: a text that either could take for a
number, a date or a truth value (``n``, ``no``, ``1e3``) is in quotes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from core.errors import FileError
from core.files import explained

__all__ = ["Document", "OneLine", "Place", "block", "flow", "load", "parse", "read"]

LARGEST = 1_000_000  # bytes; a study file is a few thousand
DEEPEST = 50  # lists and mappings in each other; a study file has five

Place = tuple[str | int, ...]  # the way to a value: ("models", "naive", "teacher")
AnyPath = str | os.PathLike[str]


class _Loader(yaml.SafeLoader):
    """The core schema of YAML 1.2: no ``yes`` and ``no``, no dates, no numbers to the base of 60."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?[0-9]{1,100}", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)
# PyYAML reads 010 as octal; YAML 1.2 and people do not.
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))


@dataclass(frozen=True)
class Document:
    """What a file says, and where it says it."""

    path: str
    data: Any
    lines: Mapping[Place, int]  # of every value, counted from 1

    def line(self, place: Place) -> int:
        """The line of a value, or of the nearest thing around it that is there."""
        while place not in self.lines:
            place = place[:-1]
        return self.lines[place]


def read(path: AnyPath) -> Document:
    """Read a file of one YAML document."""
    with explained(path), Path(path).open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise FileError(path, f"it is larger than {LARGEST:,} bytes; is it a study file?")
    return parse(raw, path)


def parse(raw: bytes, path: AnyPath) -> Document:
    """Read one YAML document; ``path`` is for the error messages."""
    text = _decoded(raw, path)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):
            _refuse_tricks(path, event)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:  # at once: PyYAML gets slower with every level
                where = f"line {event.start_mark.line + 1}" if event.start_mark else None
                raise FileError(path, "this is nested too deeply to be a study file", where=where)
        node = yaml.compose(text, Loader=_Loader)
        if node is None:
            raise FileError(path, "the file is empty")
        lines = dict(_lines(path, node, ()))
        return Document(os.fspath(path), yaml.load(text, Loader=_Loader), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}" if mark else None
        said = error.problem or error.context or "it cannot be read"
        raise FileError(path, f"this is not YAML: {said}{_hint(text, mark)}", where=where) from error
    except yaml.YAMLError as error:  # a control character
        raise FileError(path, f"this is not YAML: {str(error).splitlines()[0]}") from error
    except (ValueError, OverflowError) as error:  # PyYAML lets a "\UFFFFFFFF" through to chr
        raise FileError(path, r"this is not YAML: a code \U... in quotes stands for no character") from error


def load(raw: bytes, path: AnyPath, line: int) -> Any:
    """Read one document of a session log that begins on ``line``."""
    text = _decoded(raw, path, line)
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except Exception as error:  # a tag by hand, as in !!int '', makes PyYAML raise almost anything
        mark = getattr(error, "problem_mark", None)
        where = f"line {line + mark.line if mark else line}"
        raise FileError(path, "this part cannot be read as YAML; was it edited?", where=where) from error


def block(data: Any) -> str:
    """YAML for people to read: one entry a line, longer texts as they would be typed."""
    return _dump(data, default_flow_style=False, width=float("inf"))


def flow(data: Any) -> str:
    """YAML on one line."""
    return _dump(data, default_flow_style=True, width=float("inf"))


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ /()-]*[A-Za-z0-9_)]|[A-Za-z_]")
_TAKEN = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style: str | None = '"'
    if _PLAIN.fullmatch(text) and not _TAKEN.fullmatch(text):
        style = None
    elif "\n" in text.strip("\n") and _fits_block(text):
        style = "|"  # ignored by the emitter in flow style, which must stay on one line
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _fits_block(text: str) -> bool:
    tidy = all(line == line.rstrip() and line.isprintable() for line in text.split("\n"))
    return tidy and not text.startswith((" ", "\n")) and not text.endswith("\n\n")


class OneLine(dict[str, Any]):
    """A mapping that stays on one line in ``block``."""


def _represent_one_line(dumper: yaml.SafeDumper, mapping: OneLine) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=True)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(OneLine, _represent_one_line)


def _dump(data: Any, **style: Any) -> str:
    text: str = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, **style)
    return text.strip("\n")


def _decoded(raw: bytes, path: AnyPath, line: int = 1) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += raw[: error.start].count(b"\n")
        raise FileError(path, "this is not UTF-8 text; save it as UTF-8", where=f"line {line}") from error


def _hint(text: str, mark: yaml.Mark | None) -> str:
    """The commonest slips of the pen."""
    lines = text.splitlines()
    if mark is None or mark.line >= len(lines):
        return ""
    line = lines[mark.line]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return " (indent with spaces, not with tabs)"
    if line.count(": ") > 1:
        return ' (put a text that has ": " in it in quotes)'
    return ""


def _refuse_tricks(path: AnyPath, event: yaml.Event) -> None:
    where = f"line {event.start_mark.line + 1}" if event.start_mark else None
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise FileError(path, "anchors (&) and aliases (*) are not allowed; write it out", where=where)
    if tag := getattr(event, "tag", None):
        raise FileError(path, f"tags ({tag}) are not allowed; remove it", where=where)


def _lines(path: AnyPath, node: yaml.Node, place: Place) -> Iterator[tuple[Place, int]]:
    yield place, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(path, item, (*place, index))
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key_node, value in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != "tag:yaml.org,2002:str":
                problem = "a name in front of a colon must be a word (in quotes, if it looks like a number)"
                raise FileError(path, problem, where=f"line {line}")
            key = key_node.value
            if key in seen:
                problem = f"{key!r} is given on line {seen[key]} already; remove one of the two"
                raise FileError(path, problem, where=f"line {line}")
            seen[key] = line
            yield from _lines(path, value, (*place, key))
            yield (*place, key), line  # the line of the key, which is where people look
