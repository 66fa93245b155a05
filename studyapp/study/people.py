"""Files of people: how people answer, as ``studyapp people fit`` writes it."""

from __future__ import annotations

from pathlib import Path

from core.errors import FileError, SettingError
from core.people import People
from studyapp.base.documents import MOST_LOGGED, read

__all__ = ["read_people"]

LARGEST = 4_000_000  # bytes; 50,000 pairs, the most that can be known, take half of that


def read_people(path: Path) -> People:
    """The people in a file; raises a FileError if it can't be used."""
    document = read(path, largest=LARGEST, most_values=MOST_LOGGED, kind="a file of people")
    try:
        return People.from_mapping(document.data)
    except SettingError as error:
        raise FileError(path, f"{error} (make the file with studyapp people fit)") from None
