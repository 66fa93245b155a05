"""Who answers in a design with people, as its settings record it."""

from __future__ import annotations

import hashlib
import json

from core.people import People

__all__ = ["fingerprint"]


def fingerprint(people: People) -> str:
    """A hash of all parameters and of what is known about pairs."""
    mapping = json.dumps(people.to_mapping(), sort_keys=True)
    return hashlib.sha256(mapping.encode()).hexdigest()
