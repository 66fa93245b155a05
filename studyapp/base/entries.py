"""The entries of a chained file: one document of YAML each, on one line that is JSON as well.

    --- {"event": "note", ..., "chain": "0123..."}
    ...

Every document ends with a line ``...``.  A tail without that line is torn: the process died while writing it.
A truncated document may well parse, so a torn tail is never interpreted.  ``chain`` is the last field of an
entry: the link of all bytes before it in its document (``studyapp.base.disk``).
"""

from __future__ import annotations

import re
from typing import Any

from studyapp.base import documents
from studyapp.base.disk import DIGITS, link

END = b"...\n"
LINK = rb"([0-9a-f]{%d})" % DIGITS
LAST_FIELD = re.compile(rb', "chain": "' + LINK + rb'"\}\n\.\.\.\n\Z')
LONGEST_END = 64  # bytes of the last field, at most


def encode(mapping: dict[str, Any], previous: str) -> tuple[bytes, str]:
    """The document of an entry after the entry with the ``previous`` link, and its own link."""
    body = f"--- {documents.json_line(mapping)}"[:-1].encode()
    chain = link(previous, body)
    return body + f', "chain": "{chain}"}}\n'.encode() + END, chain


def end_of(raw: bytes, begin: int) -> int | None:
    """The end of the document that begins here, its line ``...`` included; None if it is torn."""
    place = raw.find(b"\n" + END, begin)
    return None if place < 0 else place + 1 + len(END)


def checked(document: bytes, previous: str) -> tuple[bytes, str] | None:
    """The JSON of an entry without its link, and its link; None if the entry or one before it was changed."""
    found = LAST_FIELD.search(document, max(0, len(document) - LONGEST_END))
    if found is None:
        return None
    body = document[: found.start()]
    chain = link(previous, body)
    if found[1].decode() != chain:
        return None
    return body.removeprefix(b"--- ") + b"}", chain
