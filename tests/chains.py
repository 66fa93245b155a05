"""Logs that someone changed who then worked out a new chain: what is wrong behind it is tested with them.

The chain is worked out here anew, as the documentation of ``studyapp.session.log`` has it.
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
LINK = re.compile(rb'(\nchain: "[0-9a-f]{16}"|, "chain": "[0-9a-f]{16}"\})\Z')


def parts(raw: bytes) -> list[bytes]:
    """The documents of a log, each with its end."""
    return [part + END for part in raw.removesuffix(END).split(END)]


def chained(documents: Iterable[bytes]) -> bytes:
    """A log of these documents, each with the link that fits it there."""
    links = ""
    log = b""
    for document in documents:
        body = LINK.sub(b"", document.removesuffix(END))
        head = not log
        if body == document.removesuffix(END) and not head:  # it had no link yet
            body = body.removesuffix(b"}")
        links = hashlib.sha256(links.encode() + body).hexdigest()[:16]
        log += body + (f'\nchain: "{links}"' if head else f', "chain": "{links}"}}').encode() + END
    return log


def event_of(document: bytes) -> Fields:
    """What an event after the head says, without its link."""
    event: Fields = json.loads(document.removeprefix(b"--- ").removesuffix(END))
    del event["chain"]
    return event


def document_of(event: Fields) -> bytes:
    """An event without a link."""
    return b"--- " + json.dumps(event).encode() + END


def edited(raw: bytes, number: int, without: str = "", **changes: Any) -> bytes:
    """A log with an event changed, chained anew; the head has the number 0."""
    documents = parts(raw)
    event = event_of(documents[number]) | changes
    event.pop(without, None)
    documents[number] = document_of(event)
    return chained(documents)
