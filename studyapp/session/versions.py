"""Sessions of another version: only the learners that asked the questions can ask them again."""

from __future__ import annotations

from pathlib import Path

from core.errors import FileError
from core.version import LEARNERS
from studyapp.base.environment import software
from studyapp.session.events import Started

__all__ = ["OtherVersionError", "check_version"]


class OtherVersionError(FileError):
    """A log was written by another version of the learners."""


def check_version(path: Path, started: Started) -> None:
    """Raise an OtherVersionError if these learners might ask other questions than those of the log."""
    theirs = started.software.get("learners", "1")
    if theirs != LEARNERS:
        wrote = f"studyapp {started.software.get('studyapp', '?')} with version {theirs} of its learners"
        here = f"studyapp {software()['studyapp']} with version {LEARNERS}, which may ask other questions"
        raise OtherVersionError(
            path, f"this log was written by {wrote}; this is {here}; use the studyapp that wrote it"
        )
