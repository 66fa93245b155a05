"""The one place where YAML is read and written.

People write study files, so every value remembers its line, and whatever would silently mean something else
is refused: a key given twice, and anchors, aliases and tags, which nobody needs here and which can make a
small file grow without bounds.  Only ``true`` and ``false`` are truth values: *no* in a list of words is a
word.

What is written reads the same in YAML 1.1 and 1.2: a text that either could take for a number, a date or a
truth value (``n``, ``no``, ``1e3``) is quoted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any

import yaml

from core.errors import FileError
from core.files import ordinary
from core.wording import printable

LARGEST = 1_000_000  # bytes; a study file has a few thousand
DEEPEST = 50  # nested lists and mappings; a study file has five
MOST_ENTRIES = 1000  # of one list or mapping in a study file: as many as a study has words
MOST_VALUES = 20_000  # in a study file
MOST_LOGGED = 500_000  # in the head of a log: the plan of the largest possible study has half as many

Place = tuple[str | int, ...]  # the path to a value: ("models", "naive", "teacher")
AnyPath = str | os.PathLike[str]


# The core schema of YAML 1.2: no ``yes`` and ``no``, no dates, no octal or base-60 numbers.
_SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"~|null|"), lambda _: None),
    (re.compile(r"true|false"), lambda text: text == "true"),
    (re.compile(r"[-+]?[0-9]{1,100}"), int),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
)
# Only a text begins with one of these letters: no scalar above does.
_LETTERS = frozenset("abcdeghijklmopqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Document:
    """The content of a file, and the line of every value in it."""

    path: str
    data: Any
    lines: Mapping[Place, int]  # counted from 1

    def line(self, place: Place) -> int:
        """The line of a value, or of the nearest thing around it that exists."""
        while place not in self.lines:
            place = place[:-1]
        return self.lines[place]


def name_of(place: Place) -> str:
    """A place as people write it: ``models.naive.beta``, ``targets[2]``."""
    name = ""
    for part in place:
        if isinstance(part, int):
            name += f"[{part + 1}]"
        else:
            name += f".{printable(part)}" if name else printable(part)
    return name or "the file"


def read(
    path: AnyPath, *, largest: int = LARGEST, most_values: int = MOST_VALUES, kind: str = "a study file"
) -> Document:
    """Read a file with one YAML document, with limits on its bytes and values."""
    with ordinary(path) as file:
        raw = file.read(largest + 1)
    if len(raw) > largest:
        raise FileError(path, f"the file is larger than {largest:,} bytes; is it {kind}?")
    return parse(raw, path, most_values)


def parse(raw: bytes, path: AnyPath, most_values: int = MOST_VALUES) -> Document:
    """Read one YAML document; ``path`` is for error messages."""
    text = _decoded(raw, path)
    try:
        events = yaml.parse(text, Loader=yaml.SafeLoader)
        return _Builder(events, path, most_values, MOST_ENTRIES).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}" if mark else None
        problem = error.problem or error.context or "it can't be read"
        raise FileError(path, f"this is not valid YAML: {problem}{_hint(text, mark)}", where=where) from error
    except yaml.YAMLError as error:  # a control character
        raise FileError(path, f"this is not valid YAML: {str(error).splitlines()[0]}") from error
    except (ValueError, OverflowError) as error:  # PyYAML passes a "\UFFFFFFFF" on to chr
        problem = r"this is not valid YAML: a \U... escape in quotes is not a character"
        raise FileError(path, problem) from error


def load(raw: bytes, path: AnyPath, line: int) -> Any:
    """Read one document of a session log that begins on ``line``, with the fast parser: there are many."""
    text = _decoded(raw, path, line)
    try:
        events = yaml.parse(text, Loader=_FAST)
        return _Builder(events, path, MOST_LOGGED, MOST_LOGGED, line).document().data
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {line + mark.line if mark else line}"
        raise FileError(path, "this part can't be read as YAML; was it edited?", where=where) from error


def block(data: Any) -> str:
    """YAML for people: one entry per line, longer texts as they would be typed."""
    return _dump(data, default_flow_style=False, width=float("inf"))


def flow(data: Any) -> str:
    """YAML on one line."""
    return _dump(data, default_flow_style=True, width=float("inf"))


def json_line(data: Any) -> str:
    """One line that is both YAML and JSON, so that it can be read without a YAML parser."""
    match data:
        case dict():
            return "{" + ", ".join(f"{_json_text(str(k))}: {json_line(v)}" for k, v in data.items()) + "}"
        case list():
            return "[" + ", ".join(map(json_line, data)) + "]"
        case str():
            return _json_text(data)
        case float():
            number = json.dumps(data, allow_nan=False)
            return number if "." in number else number.replace("e", ".0e")  # 1e-05 is a text in YAML 1.1
    return json.dumps(data)


# Characters that YAML does not accept as they are in quotes, or takes for the end of a line.
_ESCAPED = re.compile("[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _json_text(text: str) -> str:
    quoted = json.dumps(_whole(text), ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _whole(text: str) -> str:
    """Replace lone surrogates (from file names), which no parser accepts."""
    return text.encode("utf-8", "replace").decode()


# Writing


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ /()-]*[A-Za-z0-9_)]|[A-Za-z_]")
_RESERVED = re.compile(r"y|n|yes|no|on|off|true|false|null", re.IGNORECASE)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style: str | None = '"'
    text = _whole(text)
    if _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text):
        style = None
    elif "\n" in text.strip("\n") and _fits_block(text):
        style = "|"  # ignored by the emitter in flow style, which must stay on one line
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _fits_block(text: str) -> bool:
    tidy = all(line == line.rstrip() and line.isprintable() for line in text.split("\n"))
    return tidy and not text.startswith((" ", "\n")) and not text.endswith("\n\n")


class OneLine(dict[str, Any]):
    """A mapping that ``block`` keeps on one line."""


def _represent_one_line(dumper: yaml.SafeDumper, mapping: OneLine) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=True)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(OneLine, _represent_one_line)


def _dump(data: Any, **style: Any) -> str:
    text: str = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, **style)
    return text.strip("\n")


# Reading


def _decoded(raw: bytes, path: AnyPath, line: int = 1) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += raw[: error.start].count(b"\n")
        raise FileError(path, "this is not UTF-8 text; save it as UTF-8", where=f"line {line}") from error


def _hint(text: str, mark: yaml.Mark | None) -> str:
    """A hint for the most common slips."""
    lines = text.splitlines()
    if mark is None or mark.line >= len(lines):
        return ""
    line = lines[mark.line]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return " (indent with spaces, not with tabs)"
    if line.count(": ") > 1:
        return ' (put a text that contains ": " in quotes)'
    return ""


class _Builder:
    """Builds the data from a parser's events, in one pass that refuses whatever it does not expect.

    It stops at the first value too many.
    """

    def __init__(
        self, events: Iterator[yaml.Event], path: AnyPath, most_values: int, most_entries: int, first: int = 1
    ) -> None:
        self._events = events
        self._path = path
        self._most_values = most_values
        self._most_entries = most_entries
        self._first = first  # the line on which the document begins
        self._lines: dict[Place, int] = {}

    def document(self) -> Document:
        data = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent) and self._lines:
                raise self._fault("this is not valid YAML: a second document begins here", self._line(event))
            if isinstance(event, yaml.NodeEvent):
                data = self._value(event, (), self._line(event))
        if not self._lines:
            where = f"line {self._first}" if self._first > 1 else None
            raise FileError(self._path, "the file is empty", where=where)
        return Document(os.fspath(self._path), data, self._lines)

    def _value(self, event: yaml.Event, place: Place, line: int) -> Any:
        self._refuse_tricks(event, line)
        self._lines[place] = line
        if len(self._lines) > self._most_values:
            raise self._fault(f"there are more than {self._most_values:,} values; remove some", line)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event)
        if len(place) >= DEEPEST:  # at once: PyYAML gets slower with every level
            raise self._fault("this is nested too deeply to be a study file", line)
        return self._mapping(place) if isinstance(event, yaml.MappingStartEvent) else self._list(place)

    def _list(self, place: Place) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            line = self._line(event)
            self._check_room(place, values, line)
            values.append(self._value(event, (*place, len(values)), line))
        return values

    def _mapping(self, place: Place) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = self._line(event)  # of a key and its value: people look there
            self._refuse_tricks(event, line)
            key = _scalar(event) if isinstance(event, yaml.ScalarEvent) else None
            if not isinstance(key, str):
                problem = "a name before a colon must be a word (in quotes, if it looks like a number)"
                raise self._fault(problem, line)
            if key in values:
                before = self._lines[*place, key]
                raise self._fault(f"{key!r} is already given on line {before}; remove one of the two", line)
            self._check_room(place, values, line)
            values[key] = self._value(next(self._events), (*place, key), line)
        return values

    def _check_room(self, place: Place, values: Sized, line: int) -> None:
        if len(values) >= self._most_entries:
            problem = f"{name_of(place)} has more than {self._most_entries:,} entries; remove some"
            raise self._fault(problem, line)

    def _refuse_tricks(self, event: yaml.Event, line: int) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._fault("anchors (&) and aliases (*) are not allowed; write the value out", line)
        if tag := getattr(event, "tag", None):
            raise self._fault(f"tags ({printable(tag)}) are not allowed; remove it", line)

    def _line(self, event: yaml.Event) -> int:
        return event.start_mark.line + self._first if event.start_mark else self._first

    def _fault(self, problem: str, line: int) -> FileError:
        return FileError(self._path, problem, where=f"line {line}")


def _scalar(event: yaml.ScalarEvent) -> Any:
    text: str = event.value
    if not event.style and text[:1] not in _LETTERS:
        for pattern, convert in _SCALARS:
            if pattern.fullmatch(text):
                return convert(text)
    return text
