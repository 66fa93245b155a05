"""The one place where YAML is read and written.

People write study files, so every value remembers the line it stands on, and what would silently
mean something else is refused: a key given twice, and anchors, aliases and tags, which nobody needs
here and which can make a small file grow without bounds.  Only ``true`` and ``false`` are truth
values: the word *no* in a list of words is a word.

What is written is read alike by parsers of YAML 1.1 and 1.2: a text that either could take for a
number, a date or a truth value (``n``, ``no``, ``1e3``) is in quotes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from core.errors import FileError
from core.files import explained

__all__ = ["Document", "OneLine", "Place", "block", "flow", "json_line", "load", "parse", "printable", "read"]

LARGEST = 1_000_000  # bytes; a study file is a few thousand
DEEPEST = 50  # lists and mappings in each other; a study file has five
MOST_VALUES = 500_000  # the plan of the largest study there may be has half as many
LONGEST_TOLD = 200  # characters of a file that an error message tells

Place = tuple[str | int, ...]  # the way to a value: ("models", "naive", "teacher")
AnyPath = str | os.PathLike[str]


# The core schema of YAML 1.2: no ``yes`` and ``no``, no dates, no octal numbers and none to the base of 60.
_SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"~|null|"), lambda _: None),
    (re.compile(r"true|false"), lambda text: text == "true"),
    (re.compile(r"[-+]?[0-9]{1,100}"), int),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
)
_LETTERS = frozenset(
    "abcdeghijklmopqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)  # no scalar but a text begins with one
_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
        return _built(yaml.parse(text, Loader=yaml.SafeLoader), path)
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
    """Read one document of a session log that begins on ``line``; by the parser in C, for there are many."""
    text = _decoded(raw, path, line)
    try:
        return _built(yaml.parse(text, Loader=_FAST), path, line).data
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {line + mark.line if mark else line}"
        raise FileError(path, "this part cannot be read as YAML; was it edited?", where=where) from error


def block(data: Any) -> str:
    """YAML for people to read: one entry a line, longer texts as they would be typed."""
    return _dump(data, default_flow_style=False, width=float("inf"))


def flow(data: Any) -> str:
    """YAML on one line."""
    return _dump(data, default_flow_style=True, width=float("inf"))


def json_line(data: Any) -> str:
    """One line that is YAML and JSON at once, and so can be read without a YAML parser."""
    match data:
        case dict():
            return "{" + ", ".join(f"{_json_text(str(k))}: {json_line(v)}" for k, v in data.items()) + "}"
        case list():
            return "[" + ", ".join(map(json_line, data)) + "]"
        case str():
            return _json_text(data)
        case float():
            told = json.dumps(data, allow_nan=False)
            return told if "." in told else told.replace("e", ".0e")  # 1e-05 is a text in YAML 1.1
    return json.dumps(data)


# What YAML does not take in quotes as it is, or takes for the end of a line.
_ESCAPED = re.compile("[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _json_text(text: str) -> str:
    told = json.dumps(_whole(text), ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", told)


def _whole(text: str) -> str:
    """Half a character, from a name of a file, is none, and no parser takes it."""
    return text.encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """What a file says, for a message: not too long, and without codes that would move a cursor."""
    cut = text if len(text) <= LONGEST_TOLD else text[:LONGEST_TOLD] + "..."
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in cut)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ /()-]*[A-Za-z0-9_)]|[A-Za-z_]")
_TAKEN = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style: str | None = '"'
    text = _whole(text)
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


def _built(events: Iterator[yaml.Event], path: AnyPath, first: int = 1) -> Document:
    """What the events of one document say, in one pass that refuses whatever it does not expect."""
    whole: list[Any] = []
    lines: dict[Place, int] = {}
    # What is open, innermost last: a list or mapping, its place, and the key whose value comes next.
    data: list[Any] | dict[str, Any] = whole
    place: Place = ()
    key: str | None = None
    keys: dict[Place, dict[str, int]] = {}
    open_: list[tuple[list[Any] | dict[str, Any], Place, str | None]] = []
    for event in events:
        line = event.start_mark.line + first if event.start_mark else first
        if isinstance(event, yaml.CollectionEndEvent):
            data, place, key = open_.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            if isinstance(event, yaml.DocumentStartEvent) and whole:
                raise FileError(path, "this is not YAML: but found another document", where=f"line {line}")
            continue
        _refuse_tricks(path, event, line)
        value = _value(event)
        if isinstance(data, dict) and key is None:
            if not isinstance(value, str):
                problem = "a name in front of a colon must be a word (in quotes, if it looks like a number)"
                raise FileError(path, problem, where=f"line {line}")
            seen = keys.setdefault(place, {})
            if value in seen:
                problem = f"{value!r} is given on line {seen[value]} already; remove one of the two"
                raise FileError(path, problem, where=f"line {line}")
            key, seen[value] = value, line
            continue
        if isinstance(data, dict):
            assert key is not None
            inner = (*place, key)
            lines[inner] = keys[place][key]  # the line of the key, which is where people look
            data[key] = value
            key = None
        else:
            inner = (*place, len(data)) if open_ else ()
            lines[inner] = line
            data.append(value)
        if len(lines) > MOST_VALUES:
            raise FileError(path, f"there are more than {MOST_VALUES:,} values", where=f"line {line}")
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append((data, place, key))
            data, place, key = value, inner, None
            if len(open_) > DEEPEST:  # at once: PyYAML gets slower with every level
                raise FileError(path, "this is nested too deeply to be a study file", where=f"line {line}")
    if not whole:
        raise FileError(path, "the file is empty", where=f"line {first}" if first > 1 else None)
    return Document(os.fspath(path), whole[0], lines)


def _value(event: yaml.NodeEvent) -> Any:
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    if isinstance(event, yaml.SequenceStartEvent):
        return []
    assert isinstance(event, yaml.ScalarEvent)
    text: str = event.value
    if not event.style and text[:1] not in _LETTERS:
        for pattern, made in _SCALARS:
            if pattern.fullmatch(text):
                return made(text)
    return text


def _refuse_tricks(path: AnyPath, event: yaml.NodeEvent, line: int) -> None:
    if isinstance(event, yaml.AliasEvent) or event.anchor:
        raise FileError(
            path, "anchors (&) and aliases (*) are not allowed; write it out", where=f"line {line}"
        )
    if tag := getattr(event, "tag", None):
        raise FileError(path, f"tags ({printable(tag)}) are not allowed; remove it", where=f"line {line}")
