"""What seems to be missing from a study's log.

A chain shows a change inside a log, but neither that its end was lost nor that all of it was.  With the log,
exclusions and the unblinding would be forgotten.  Three traces can still be seen: sessions of a blind study
without a log of the study, part of an event that was set aside, and deleted answers of which the log knows
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.files import explained, ordinary
from core.wording import visible
from studyapp.office.conduct import Conduct
from studyapp.study.folder import StudyFolder

__all__ = ["losses"]

END = 1000  # bytes at the end of a log, in which its last event is
DELETED = (b'"event": "withdrawn"', b'"data": "deleted"', b'"by": "experimenter"')
CURE = "restore it from a backup"


def losses(folder: StudyFolder, conduct: Conduct) -> Iterator[str]:
    """A sentence about each trace of something lost."""
    name = folder.log.name
    with explained(folder.path):
        logs = sorted(folder.sessions.glob("*.yaml")) if folder.sessions.is_dir() else []
        if logs and folder.blind and not folder.log.exists():  # studyapp new makes one for every blind study
            yield f"there are sessions here, but no {name}: {CURE}"
            return
        for path in sorted(folder.path.glob(f"{name}.torn-*")):
            yield (
                f"{visible(path.name)} has part of an event that was never completed; read it, and enter the "
                "decision again if it is missing"
            )
    unknown = [path.stem for path in logs if path.stem not in conduct.deleted and _is_deleted(path)]
    for participant in unknown:
        yield (
            f"the answers of {visible(participant)} were deleted on request, but {name} does not say so: "
            f"unless that was on another machine, its end is lost; {CURE}"
        )


def _is_deleted(path: Path) -> bool:
    """Was the last thing that happened to a log its deletion by the experimenter?"""
    if not path.is_file():
        return False
    with ordinary(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END))
        end = file.read(END).rpartition(b"\n--- ")[2]
    return all(part in end for part in DELETED)
