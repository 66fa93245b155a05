"""Forged results files: changed by someone who then computed a new chain, to test the checks after the chain.

The chain is computed independently, as ``studyapp.experiments.results_file`` describes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

__all__ = ["chained", "contents"]


def contents(raw: bytes) -> list[dict[str, Any]]:
    """The objects in the lines of a results file, without their chain values."""
    found = []
    for line in raw.splitlines():
        content = json.loads(line)
        del content["chain"]
        found.append(content)
    return found


def chained(lines: Iterable[Any]) -> bytes:
    """A results file with these lines, each with the right chain value; a text is taken as it is."""
    chain, raw = "", b""
    for line in lines:
        text = line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))
        body = text.removesuffix("}").encode()
        chain = hashlib.sha256(chain.encode() + body).hexdigest()[:32]
        raw += body + f',"chain":"{chain}"}}\n'.encode()
    return raw
