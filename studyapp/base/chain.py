"""Chains: every entry of a file carries a hash of itself and of all entries before it.

Whatever is changed, removed, inserted or moved is found at its place.  A chain holds no secret: it shows
damage and edits, but not the work of someone who computes a whole new chain.
"""

from __future__ import annotations

import hashlib

__all__ = ["DIGITS", "START", "link"]

START = ""  # what the first entry is linked to
DIGITS = 32  # hexadecimal ones of a link: 128 bits


def link(previous: str, body: bytes) -> str:
    """The link of an entry with these bytes, after the entry with the ``previous`` link."""
    return hashlib.sha256(previous.encode() + body).hexdigest()[:DIGITS]
