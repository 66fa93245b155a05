"""How some sessions stand: whose they are, what was decided about them, and whether models may be named.

Sessions in a study folder whose study is blind, and was not unblinded, are read blind wherever in that folder
they are.  Logs are plain text, and a copy of them elsewhere is in no study folder: this protects the honest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.files import explained
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, conduct_of
from studyapp.office.events import Analysed, Exported
from studyapp.office.losses import losses
from studyapp.office.recording import named, record
from studyapp.session.saved import Decision
from studyapp.study.folder import StudyFolder, enclosing_folders, folder_of

__all__ = ["Standing", "standing_of"]


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
        for own in _owners(place):
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


def _owners(place: Path) -> Iterator[StudyFolder]:
    """The study folder that this is, or whose sessions, or one of whose logs, this is."""
    with explained(place):
        real = Path(os.path.realpath(place))  # a link to the sessions leads to the same study
        found = folder_of(real.parent if real.is_file() else real)
    if found:
        yield found


def _is_blind(folder: StudyFolder) -> bool:
    return folder.blind and not any(event.event == "unblind" for event in study_log.read(folder.log))
