"""Participant IDs.  An ID is also the name of the participant's log.

Some computers take P07.yaml and p07.yaml for the same file, and people take them for the same participant.
So no two logs in a folder may differ only in upper and lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.errors import FileError, SettingError
from core.wording import printable
from studyapp.study.ids import ID_RULE, is_id


class MisnamedError(FileError):
    """The file of a log is not named after its participant."""


class SameIdError(FileError):
    """The ID of a new participant differs from another only in upper and lower case."""

    @property
    def other(self) -> str:
        """The ID that is there already."""
        return Path(self.path).stem


def check_id(participant: str) -> str:
    """Refuse an ID that is not safe as a file name; otherwise return it."""
    if not is_id(participant):
        raise SettingError(f"the participant ID is {participant!r}; {ID_RULE}")
    return participant


def log_path(sessions: Path, participant: str) -> Path:
    """The log of a participant in a folder of sessions."""
    return sessions / f"{check_id(participant)}.yaml"


def check_name(path: Path, participant: str) -> None:
    """Refuse the log of a participant under another name; raises a MisnamedError."""
    if path.name != f"{participant}.yaml":
        problem = printable(f"this is the log of {participant}, but the file is not named {participant}.yaml")
        raise MisnamedError(path, f"{problem}; was it renamed, or copied over another log?")


def check_case(sessions: Path, participants: Iterable[str]) -> None:
    """Refuse new participants whose IDs the folder has in other letters; raises a SameIdError."""
    try:
        names = [path.name for path in sessions.iterdir()]  # opening a file may ignore case
    except (OSError, ValueError):  # there is no folder yet, or opening a log will say what is wrong with it
        return
    there, in_small_letters = set(names), {name.lower(): name for name in sorted(names)}
    for participant in participants:
        name = log_path(sessions, participant).name
        if name not in there and (other := in_small_letters.get(name.lower())):
            path = sessions / other
            problem = f"{path.stem} and {participant} differ only in upper and lower case"
            raise SameIdError(path, f"{problem}; use {path.stem}, or choose another ID")
