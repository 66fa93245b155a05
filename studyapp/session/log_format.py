"""The format of a session log: a stream of YAML documents, one per event.

The head is written for people.  Every later event is one line that is JSON as well as YAML: that is
read ten times faster, and JSON has neither tags nor aliases.  Every document ends with a line ``...``.
A tail without that line is torn: the process died while writing it.  A truncated YAML document may
well parse, so a torn tail is never interpreted.

Events are chained.  The last field of each event, ``chain``, is a hash of all bytes before it in its
document and of the chain of the previous document.  Anything that is changed, removed or inserted is
detected at its line.  The chain contains no secret: it detects damage and edits, but not someone who
computes a whole new chain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.errors import FileError, SettingError
from core.wording import printable
from studyapp.base import documents, entries
from studyapp.base.disk import START, link
from studyapp.session.events import SCHEMA, Event, Started, as_mapping, from_json, from_mapping

BEGIN = b"---\nevent: session\n"  # of every log
HEAD_LINK = re.compile(rb'\nchain: "' + entries.LINK + rb'"\n\.\.\.\n\Z')  # the end of the head
LARGEST_LOG = 64_000_000  # bytes: more than 100,000 answers
LARGEST_HEAD = 8_000_000  # a thousand words and a plan for twenty models
LARGEST_EVENT = 100_000  # the longest free text allowed, with every character escaped

AnyPath = str | os.PathLike[str]


class ChangedError(FileError):
    """A log was changed after it was written."""


@dataclass(frozen=True)
class LogContents:
    """The events of a log, and what comes with them."""

    events: list[Event]
    lines: list[int]  # the first line of each event
    chain: str  # of the last event: a fingerprint of the whole log
    torn: bytes  # an unfinished event at the end


def encode(events: Iterable[Event]) -> bytes:
    """A whole log."""
    parts, chain = [], START
    for event in events:
        document, chain = encode_event(event, chain)
        parts.append(document)
    return b"".join(parts)


def encode_event(event: Event, previous_chain: str) -> tuple[bytes, str]:
    """The document of an event, and its chain."""
    mapping = as_mapping(event)
    if isinstance(event, Started):  # long, and read by people
        mapping["plan"] = [documents.OneLine(round_) for round_ in mapping["plan"]]
        mapping["study"] = _with_short_people(mapping["study"])
        body = f"---\n{documents.block(mapping)}".encode()
        chain = link(previous_chain, body)
        return body + f'\nchain: "{chain}"\n'.encode() + entries.END, chain
    return entries.encode(mapping, previous_chain)


def _with_short_people(study: dict[str, Any]) -> dict[str, Any]:
    """The study with what is known about pairs of words on one line per target."""
    people = study.get("people")
    if not isinstance(people, dict) or not isinstance(people.get("pairs"), dict):
        return study
    pairs = {
        target: documents.OneLine(row) if isinstance(row, dict) else row
        for target, row in people["pairs"].items()
    }
    return study | {"people": people | {"pairs": pairs}}


def check_size(path: AnyPath, size: int) -> None:
    """Refuse a file that is too large to be a log."""
    if size > LARGEST_LOG:
        raise FileError(path, f"the file is larger than {LARGEST_LOG:,} bytes; a session log never is")


def parse(raw: bytes, path: AnyPath) -> LogContents:
    """The events in the bytes of a log; raises a FileError that names the first faulty line."""
    contents = LogContents([], [], START, raw)
    if (end := entries.end_of(raw, 0)) is not None:
        if not raw.startswith(BEGIN):
            raise _not_a_log(raw, path)
        started, chain = _parse_head(raw[:end], path)
        later = parse_later(raw[end:], path, 1 + raw.count(b"\n", 0, end), chain)
        contents = LogContents([started, *later.events], [1, *later.lines], later.chain, later.torn)
    # A torn head begins as every head does, as far as it goes.
    elif raw.strip(b"\0") and not raw.startswith(BEGIN[: len(raw)]):
        raise _not_a_log(raw, path)
    return contents


def parse_later(raw: bytes, path: AnyPath, line: int, chain: str) -> LogContents:
    """The events in a later part of a log, which begins at a line, after the event with this chain."""
    events: list[Event] = []
    lines: list[int] = []
    begin = 0
    while (end := entries.end_of(raw, begin)) is not None:
        event, chain = _parse_event(raw[begin:end], path, line, chain)
        events.append(event)
        lines.append(line)
        line += raw.count(b"\n", begin, end)
        begin = end
    return LogContents(events, lines, chain, raw[begin:])


def head_of(raw: bytes) -> bytes:
    """The first document of a log, as it was written."""
    return raw[: entries.end_of(raw, 0)]


def _not_a_log(raw: bytes, path: AnyPath) -> FileError:
    if raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n", 2).startswith(BEGIN):
        problem = "an editor or a file transfer changed the line endings or added a byte order mark"
        return ChangedError(path, f"{problem}; use an unchanged copy", where="line 1")
    return FileError(path, "this is not a studyapp session log; are the ID and the folder right?")


def _parse_head(raw: bytes, path: AnyPath) -> tuple[Event, str]:
    """The first event of a log, and its chain."""
    _check_length(raw, LARGEST_HEAD, path, 1)
    _check_schema(raw, path)
    found = HEAD_LINK.search(raw, max(0, len(raw) - entries.LONGEST_END))
    body = raw[: found.start()] if found else raw
    chain = link(START, body)
    if found is None or found[1].decode() != chain:
        raise _changed(path, 1)
    with _an_event(path, 1):
        event = from_mapping(documents.load(body, path, 1))
    return event, chain


def _parse_event(raw: bytes, path: AnyPath, line: int, previous_chain: str) -> tuple[Event, str]:
    """The event in a later document, and its chain."""
    _check_length(raw, LARGEST_EVENT, path, line)
    found = entries.checked(raw, previous_chain)
    if found is None:
        raise _changed(path, line)
    body, chain = found
    with _an_event(path, line):
        event = from_json(body)
    if isinstance(event, Started):
        problem = "a second session begins here; a log holds one session"
        raise FileError(path, problem, where=f"line {line}")
    return event, chain


def _check_length(raw: bytes, largest: int, path: AnyPath, line: int) -> None:
    if len(raw) > largest:
        problem = f"this event has {len(raw):,} bytes, too many for an event"
        raise FileError(path, problem, where=f"line {line}")


def _changed(path: AnyPath, line: int) -> ChangedError:
    problem = "this event, or something before it, was changed after it was written"
    return ChangedError(path, f"{problem}; use an unchanged copy", where=f"line {line}")


@contextmanager
def _an_event(path: AnyPath, line: int) -> Iterator[None]:
    try:
        yield
    except SettingError as error:
        problem = f"this is not an event of a session: {printable(str(error))}"
        raise FileError(path, problem, where=f"line {line}") from None


def _check_schema(head: bytes, path: AnyPath) -> None:
    """Refuse other schemas before anything else is read: their heads and chains may differ."""
    match = re.match(rb"---\nevent: session\nschema: ([^\n]{0,20})\n", head)
    schema = printable(match[1].decode(errors="replace")) if match else "(none)"
    if schema != str(SCHEMA):
        problem = f"this log has schema {schema}, but this version of studyapp reads schema {SCHEMA}"
        raise FileError(path, f"{problem}; use the version that wrote the log", where="line 3")
