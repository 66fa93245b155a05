"""Forged logs: changed by someone who then computed a new chain, to test the checks after the chain.

The chain is computed independently, as the documentation of ``studyapp.session.log_format`` describes it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["chained", "document_of", "edited", "event_of", "parts"]

Fields = dict[str, Any]

END = b"\n...\n"
LINK = re.compile(rb'(\nchain: "[0-9a-f]{32}"|, "chain": "[0-9a-f]{32}"\})\Z')


def parts(raw: bytes) -> list[bytes]:
    """The documents of a log, each with its end mark."""
    return [part + END for part in raw.removesuffix(END).split(END)]


def chained(documents: Iterable[bytes], *, has_head: bool = True) -> bytes:
    """A log of these documents, each with the right chain value; the log of a study has no head."""
    chain = ""
    log = b""
    for document in documents:
        body = LINK.sub(b"", document.removesuffix(END))
        head = has_head and not log
        if body == document.removesuffix(END) and not head:  # it had no chain value yet
            body = body.removesuffix(b"}")
        chain = hashlib.sha256(chain.encode() + body).hexdigest()[:32]
        log += body + (f'\nchain: "{chain}"' if head else f', "chain": "{chain}"}}').encode() + END
    return log


def event_of(document: bytes) -> Fields:
    """The fields of an event after the head, without its chain value."""
    event: Fields = json.loads(document.removeprefix(b"--- ").removesuffix(END))
    del event["chain"]
    return event


def document_of(event: Fields) -> bytes:
    """The document of an event, without a chain value."""
    return b"--- " + json.dumps(event).encode() + END


def edited(raw: bytes, number: int, without: str = "", **changes: Any) -> bytes:
    """A log with one event changed and a new chain; the head is number 0."""
    documents = parts(raw)
    event = event_of(documents[number]) | changes
    event.pop(without, None)
    documents[number] = document_of(event)
    return chained(documents)
