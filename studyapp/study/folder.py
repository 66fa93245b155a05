"""The folder of a study: what a lab owns.

    my-study/
        study.yaml        the study file
        study.log.yaml    what the experimenter did: notes, exclusions, deletions, the unblinding
        sessions/         one log per participant

``studyapp new`` makes one.  In such a folder, and in its folder of sessions, every command knows its study
and its sessions.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.errors import FileError
from core.files import explained

STUDY_FILE = "study.yaml"
STUDY_LOG = "study.log.yaml"
DEEPEST = 3  # folders between a study file and its sessions
SESSIONS = "sessions"  # where logs are, unless the study file says otherwise


@dataclass(frozen=True)
class StudyFolder:
    """A folder with a study file."""

    path: Path

    @property
    def file(self) -> Path:
        """The study file."""
        return self.path / STUDY_FILE

    @property
    def log(self) -> Path:
        """The study's own log."""
        return self.path / STUDY_LOG

    @property
    def sessions(self) -> Path:
        """The folder of session logs."""
        return sessions_of(self.file)

    @property
    def blind(self) -> bool:
        """Does the study file ask for blind analyses?  A faulty file counts as one that does."""
        from studyapp.study.study import Study  # loads much that few commands need

        value = _setting(self.file, "blind")
        return bool(Study.model_fields["blind"].default) if value is None else value is not False

    @property
    def collecting(self) -> bool:
        """May new participants begin?  A faulty file counts as one that says so."""
        return _setting(self.file, "collecting") is not False


def current_folder() -> StudyFolder | None:
    """The study folder that this is run in, or in whose sessions."""
    return folder_of(Path())


def folder_of(place: Path) -> StudyFolder | None:
    """The study folder that this is, or whose sessions are here."""
    with explained(place):
        if _has_study(place):
            return StudyFolder(place)
        above = place
        for _ in range(DEEPEST):
            above = above.parent if above.name not in ("", "..") else above / ".."
            if _has_study(above):
                return StudyFolder(above) if _is_same(sessions_of(above / STUDY_FILE), place) else None
    return None


def enclosing_folders(place: Path) -> list[StudyFolder]:
    """The study folders that this is in, the innermost first."""
    real = Path(os.path.realpath(place))
    return [StudyFolder(folder) for folder in (real, *real.parents) if _has_study(folder)]


def sessions_of(study_file: Path) -> Path:
    """The folder of session logs of a study file."""
    name = _setting(study_file, "sessions")
    if name is not None and not isinstance(name, str):
        raise FileError(study_file, "sessions must be the name of a folder; studyapp check says where")
    if name is not None and _is_same(study_file.parent / name, study_file.parent):
        problem = "sessions is the folder of the study file itself; give the logs a folder of their own"
        raise FileError(study_file, problem)
    if name is None and study_file.name != STUDY_FILE:  # a study file that has no folder of its own
        return Path(SESSIONS)
    return study_file.parent / (SESSIONS if name is None else name)


def _has_study(folder: Path) -> bool:
    return os.path.isfile(folder / STUDY_FILE)  # noqa: PTH113 (Path.is_file raises where it may not look)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _setting(study_file: Path, name: str) -> object:
    """A setting as the file has it; None if it has none.  Only ``studyapp check`` reports all faults."""
    from studyapp.base import documents  # loads YAML, which not every command needs

    data = documents.read(study_file).data
    return data.get(name) if isinstance(data, dict) else None
