"""How a study was conducted: a fold over its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from studyapp.office import study_log
from studyapp.office.events import (
    Analysed,
    BackedUp,
    Deleted,
    Excluded,
    Exported,
    Included,
    Noted,
    Preregistered,
    StudyChanged,
    StudyEvent,
    Unblinded,
    Verified,
)

__all__ = ["Conduct", "conduct_of", "read_conduct"]


@dataclass
class Conduct:
    """Everything that was decided about a study and its participants, up to now."""

    notes: dict[str, list[Noted]] = field(default_factory=dict)  # by participant
    excluded: dict[str, Excluded] = field(default_factory=dict)  # those who are excluded now
    decisions: list[Excluded | Included] = field(default_factory=list)  # all of them, in order
    deleted: dict[str, Deleted] = field(default_factory=dict)
    verified: dict[str, Verified] = field(default_factory=dict)  # the last verification
    analyses: list[Analysed] = field(default_factory=list)
    exports: list[Exported] = field(default_factory=list)
    backups: list[BackedUp] = field(default_factory=list)
    registrations: list[Preregistered] = field(default_factory=list)
    studies: list[StudyChanged] = field(default_factory=list)  # every version of the study file that was seen
    unblinded: Unblinded | None = None  # the first time


def conduct_of(events: Iterable[StudyEvent]) -> Conduct:
    """The events in the order in which they happened, on whichever machine."""
    conduct = Conduct()
    for event in sorted(events, key=lambda event: event.at):
        match event:
            case Noted():
                conduct.notes.setdefault(event.participant, []).append(event)
            case Excluded():
                conduct.excluded[event.participant] = event
                conduct.decisions.append(event)
            case Included():
                conduct.excluded.pop(event.participant, None)
                conduct.decisions.append(event)
            case Deleted():
                conduct.deleted[event.participant] = event
            case Verified():
                conduct.verified[event.participant] = event
            case Analysed():
                conduct.analyses.append(event)
            case Exported():
                conduct.exports.append(event)
            case BackedUp():
                conduct.backups.append(event)
            case Preregistered():
                conduct.registrations.append(event)
            case StudyChanged():
                conduct.studies.append(event)
            case Unblinded():
                conduct.unblinded = conduct.unblinded or event
    return conduct


def read_conduct(log: Path) -> Conduct:
    """How the study with this log was conducted."""
    return conduct_of(study_log.read(log))
