"""How some sessions stand: whose they are, what was decided about them, and whether models may be named.

Sessions in a study folder whose study is blind, and was not unblinded, are read blind wherever in that folder
they are.  Logs are plain text, and a copy of them elsewhere is in no study folder: this protects the honest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.files import explained, ordinary
from core.wording import visible
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, conduct_of, named, record
from studyapp.office.events import Analysed, Exported
from studyapp.session.saved import Decision
from studyapp.study.folder import StudyFolder, enclosing_folders, folder_of

END = 1000  # bytes at the end of a log, in which its last event is
DELETED = (b'"event": "withdrawn"', b'"data": "deleted"', b'"by": "experimenter"')
CURE = "restore it from a backup"


@dataclass(frozen=True)
class Standing:
    """The study folders of some sessions; by default, there are none."""

    folders: tuple[StudyFolder, ...] = ()  # whose own sessions these are
    conduct: Conduct = field(default_factory=Conduct)  # of all of these folders
    blind: bool = False  # must no model be named?
    collecting: bool = False  # does a study here still take new participants?

    def decision(self, participant: str) -> Decision | None:
        """What was decided about a participant; None if that is not known, without a study folder."""
        if not self.folders:
            return None
        excluded = self.conduct.excluded.get(participant)
        notes = "; ".join(noted.text for noted in self.conduct.notes.get(participant, []))
        return Decision(
            excluded.reason if excluded else None, bool(excluded and excluded.unblinded), notes or None
        )

    def losses(self) -> Iterator[str]:
        """What seems to be missing from the studies' logs."""
        for folder in self.folders:
            yield from losses(folder, self.conduct)

    def record(self, event: type[Analysed | Exported], out: Path, participants: Sequence[str]) -> None:
        """Write into the study's log that these participants were analysed or exported."""
        for folder in self.folders:
            record(folder, event(named(out, folder), self.blind, list(participants)))


def standing_of(places: Sequence[Path], *, blind: bool = False) -> Standing:
    """How the sessions at these places stand, or those of the study in this folder if none are named."""
    folders: dict[str, StudyFolder] = {}
    around: list[StudyFolder] = []  # the blind studies in whose folders the sessions are
    for place in places or [Path()]:
        if own := _owner(place):
            folders.setdefault(os.path.realpath(own.path), own)
        around += filter(_is_blind, enclosing_folders(place))
    owners = tuple(folders.values())
    events = {event.id: event for folder in owners for event in study_log.read(folder.log)}
    return Standing(
        owners,
        conduct_of(events.values()),  # an event may be in the logs of two machines
        blind or bool(around),
        any(folder.collecting for folder in (*owners, *around)),
    )


def _owner(place: Path) -> StudyFolder | None:
    """The study folder that this is, or whose sessions, or one of whose logs, this is."""
    with explained(place):
        real = Path(os.path.realpath(place))  # a link to the sessions leads to the same study
        return folder_of(real.parent if real.is_file() else real)


def _is_blind(folder: StudyFolder) -> bool:
    return folder.blind and not any(event.event == "unblind" for event in study_log.read(folder.log))


def losses(folder: StudyFolder, conduct: Conduct) -> Iterator[str]:
    """A sentence about each trace of something that is missing from a study's log.

    A chain shows a change inside a log, but neither that its end was lost nor that all of it was.  With the
    log, exclusions and the unblinding would be forgotten.  Three traces can still be seen: sessions of a
    blind study without a log of the study, part of an event that was set aside, and deleted answers of which
    the log knows nothing.
    """
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
    for path in logs:
        if path.stem not in conduct.deleted and _is_deleted(path):
            yield (
                f"the answers of {visible(path.stem)} were deleted on request, but {name} does not say so: "
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
