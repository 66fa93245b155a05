"""Files of people: how people answer, as ``studyapp people fit`` writes it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from core.errors import FileError, SettingError
from core.people import People
from studyapp.base.documents import MOST_LOGGED, read

__all__ = ["fingerprint", "read_people"]

LARGEST = 8_000_000  # bytes: people who were asked about every pair of 500 words


def read_people(path: Path) -> People:
    """The people in a file; raises a FileError if it can't be used."""
    document = read(path, largest=LARGEST, most_values=MOST_LOGGED, kind="a file of people")
    try:
        return People.from_mapping(document.data)
    except SettingError as error:
        raise FileError(path, f"{error} (make the file with studyapp people fit)") from None


def fingerprint(people: People) -> str:
    """A hash of everything that determines how these people answer."""
    return hashlib.sha256(json.dumps(people.to_mapping(), sort_keys=True).encode()).hexdigest()
