"""How a study was conducted: what its log says, and what is added to it.

Whoever writes to the log first looks at the study file.  If it is not the file of the last time, that is an
event of its own, with the names of the settings that changed; their values stay in the file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import FileError, SettingError
from core.files import explained, ordinary
from core.wording import did_you_mean
from studyapp.base import documents
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
from studyapp.session.ids import check_id
from studyapp.session.verdict import Result
from studyapp.study.folder import StudyFolder, folder_of
from studyapp.study.ids import is_id
from studyapp.study.study import Study

LISTED = 10  # IDs that a message lists


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


def check_known(participant: str, folder: StudyFolder, conduct: Conduct) -> None:
    """Refuse an ID that has no log, and had none until it was deleted."""
    check_id(participant)
    with explained(folder.sessions):
        logs = folder.sessions.glob("[!.]*.yaml") if folder.sessions.is_dir() else ()
        known = sorted({*(path.stem for path in logs), *conduct.deleted})
    if participant in known:
        return
    same = next((one for one in known if one.lower() == participant.lower()), None)
    guess = f" (did you mean {same!r}?)" if same else did_you_mean(participant, known)
    listed = ", ".join(known[:LISTED]) + (f" and {len(known) - LISTED} more" if len(known) > LISTED else "")
    raise SettingError(
        f"{participant} has no session in {folder.sessions}{guess}; "
        + (f"known: {listed}" if known else "there are no sessions yet")
    )


# --- writing down


def record(folder: StudyFolder, *events: StudyEvent) -> None:
    """Write events, after one about the study file if that has changed."""
    record_decision(folder, lambda _: events)


def record_decision(
    folder: StudyFolder, decide: Callable[[Conduct], Sequence[StudyEvent]]
) -> list[StudyEvent]:
    """Write what follows from how the study was conducted so far, and return it; nobody writes in between."""

    def extended(before: list[StudyEvent]) -> list[StudyEvent]:
        events = decide(conduct_of(before))
        return [*_change(folder.file, before), *events] if events else []

    return study_log.extend(folder.log, extended)


def record_study(folder: StudyFolder) -> None:
    """Write down that the study file is new or has changed, if it is or has."""
    if _change(folder.file, study_log.read(folder.log)):  # most often there is nothing to write
        study_log.extend(folder.log, lambda before: _change(folder.file, before))


def named(path: Path, folder: StudyFolder) -> str:
    """A file or folder as an event names it: from the study folder if it is inside, and always as text."""
    real, home = os.path.realpath(path), os.path.realpath(folder.path)
    inside = real.startswith(home + os.sep)
    return os.fsencode(os.path.relpath(real, home) if inside else real).decode(errors="replace")


def _change(file: Path, before: Sequence[StudyEvent]) -> list[StudyEvent]:
    """The event about a study file that is not the last one in the log.  A faulty one waits until mended."""
    try:
        with ordinary(file) as opened:
            raw = opened.read(documents.LARGEST + 1)
        sha256 = hashlib.sha256(raw).hexdigest()
        last = next((event for event in reversed(before) if isinstance(event, StudyChanged)), None)
        if last is not None and last.sha256 == sha256:
            return []
        data = documents.parse(raw, file).data if len(raw) <= documents.LARGEST else None
    except FileError:
        return []
    if not isinstance(data, dict):
        return []
    hashes = _hashes(data)
    changed = []
    if last is not None:
        names = [*last.hashes, *(name for name in hashes if name not in last.hashes)]
        changed = [name for name in names if hashes.get(name) != last.hashes.get(name)]
    return [StudyChanged(sha256, changed, hashes)]


def _hashes(data: dict[str, Any]) -> dict[str, str]:
    """A hash of every setting.  What is no setting is a fault of the file, and for ``studyapp check``."""
    return {
        name: hashlib.sha256(repr(data[name]).encode(errors="surrogatepass")).hexdigest()[:16]
        for name in Study.model_fields
        if name in data
    }


def record_verdicts(results: Iterable[Result]) -> None:
    """Write down every verdict that is new, in the log of the study whose session it is about."""
    by_folder: dict[Path, list[Result]] = {}
    for result in results:
        by_folder.setdefault(Path(os.path.realpath(result.path.parent)), []).append(result)
    for sessions, own in by_folder.items():
        folder = folder_of(sessions)
        if folder is not None and sessions != Path(os.path.realpath(folder.path)):
            record_decision(folder, partial(_new_verdicts, results=own))


def _new_verdicts(conduct: Conduct, results: Iterable[Result]) -> list[StudyEvent]:
    known = {event.participant: (event.chain, event.verdict) for event in conduct.verified.values()}
    return [
        Verified(result.participant, result.chain, result.verdict)
        for result in results
        if is_id(result.participant)  # any other is no log of a participant
        and known.get(result.participant) != (result.chain, result.verdict)
    ]
