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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.errors import FileError, SettingError
from core.wording import printable
from studyapp.base import documents
from studyapp.base.chain import DIGITS, START, link
from studyapp.session.events import SCHEMA, Event, Started, as_mapping, from_json, from_mapping

__all__ = [
    "LARGEST_EVENT",
    "LARGEST_HEAD",
    "LARGEST_LOG",
    "ChangedError",
    "LogContents",
    "check_size",
    "encode",
    "encode_event",
    "head_of",
    "parse",
]

BEGIN = b"---\nevent: session\n"  # of every log
END = b"...\n"  # of every event
LINK = rb"([0-9a-f]{%d})" % DIGITS
HEAD_LINK = re.compile(rb'\nchain: "' + LINK + rb'"\n\.\.\.\n\Z')  # the end of the head
EVENT_LINK = re.compile(rb', "chain": "' + LINK + rb'"\}\n\.\.\.\n\Z')  # the end of every later event
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
        return body + f'\nchain: "{chain}"\n'.encode() + END, chain
    body = f"--- {documents.json_line(mapping)}"[:-1].encode()
    chain = link(previous_chain, body)
    return body + f', "chain": "{chain}"}}\n'.encode() + END, chain


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
    events: list[Event] = []
    lines: list[int] = []
    line, begin, chain = 1, 0, START
    while (end := _end_of_document(raw, begin)) is not None:
        if not events and not raw.startswith(BEGIN):
            raise _not_a_log(raw, path)
        event, chain = _parse_event(raw[begin:end], path, line, chain, is_head=not events)
        events.append(event)
        lines.append(line)
        line += raw.count(b"\n", begin, end)
        begin = end
    torn = raw[begin:]
    # A torn head begins as every head does, as far as it goes.
    if not events and torn.strip(b"\0") and not torn.startswith(BEGIN[: len(torn)]):
        raise _not_a_log(raw, path)
    return LogContents(events, lines, chain, torn)


def head_of(raw: bytes) -> bytes:
    """The first document of a log, as it was written."""
    return raw[: _end_of_document(raw, 0)]


def _end_of_document(raw: bytes, begin: int) -> int | None:
    """The end of the document that begins here, its line ``...`` included; None if it is torn."""
    place = raw.find(b"\n" + END, begin)
    return None if place < 0 else place + 1 + len(END)


def _not_a_log(raw: bytes, path: AnyPath) -> FileError:
    if raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n", 2).startswith(BEGIN):
        problem = "an editor or a file transfer changed the line endings or added a byte order mark"
        return ChangedError(path, f"{problem}; use an unchanged copy", where="line 1")
    return FileError(path, "this is not a studyapp session log; are the ID and the folder right?")


def _parse_event(
    raw: bytes, path: AnyPath, line: int, previous_chain: str, *, is_head: bool
) -> tuple[Event, str]:
    """The event in a document, and its chain."""
    where = f"line {line}"
    if len(raw) > (LARGEST_HEAD if is_head else LARGEST_EVENT):
        raise FileError(path, f"this event has {len(raw):,} bytes, too many for an event", where=where)
    if is_head:
        _check_schema(raw, path)
    found = (HEAD_LINK if is_head else EVENT_LINK).search(raw, max(0, len(raw) - 64))
    body = raw[: found.start()] if found else raw
    chain = link(previous_chain, body)
    if found is None or found[1].decode() != chain:
        problem = "this event, or something before it, was changed after it was written"
        raise ChangedError(path, f"{problem}; use an unchanged copy", where=where)
    try:
        if is_head:
            event = from_mapping(documents.load(body, path, line))
        else:
            event = from_json(body.removeprefix(b"--- ") + b"}")
    except SettingError as error:
        problem = f"this is not an event of a session: {printable(str(error))}"
        raise FileError(path, problem, where=where) from None
    if isinstance(event, Started) != is_head:
        raise FileError(path, "a second session begins here; a log holds one session", where=where)
    return event, chain


def _check_schema(head: bytes, path: AnyPath) -> None:
    """Refuse other schemas before anything else is read: their heads and chains may differ."""
    match = re.match(rb"---\nevent: session\nschema: ([^\n]{0,20})\n", head)
    schema = printable(match[1].decode(errors="replace")) if match else "(none)"
    if schema != str(SCHEMA):
        problem = f"this log has schema {schema}, but this version of studyapp reads schema {SCHEMA}"
        raise FileError(path, f"{problem}; use the version that wrote the log", where="line 3")
