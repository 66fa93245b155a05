"""The study at a glance, and what to do next.  Nothing here tells about models or outcomes."""

from __future__ import annotations

import hashlib
import shutil
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.errors import FileError, StudyappError
from core.files import explained, ordinary
from core.wording import counted
from studyapp.office.conduct import Conduct
from studyapp.office.status import Row
from studyapp.session.changes import MATTERS
from studyapp.session.resuming import return_by
from studyapp.study.folder import StudyFolder
from studyapp.study.ids import next_id
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.study import Study

FULL = 200_000_000  # bytes: with less, it is time to make room
LARGEST_STUDY = 2_000_000  # bytes of a study file, more than can be loaded
UNSAFE = 3  # finished sessions without a backup that are worth a reminder


@dataclass(frozen=True)
class Overview:
    """What the office says about the study."""

    folder: StudyFolder
    loaded: LoadedStudy | None  # None if the study file has faults
    problem: str  # the faults; they may name a model
    sha256: str
    free: int | None  # bytes on the disk of the study; None if nobody can tell

    @property
    def title(self) -> str:
        return self.loaded.study.title if self.loaded else self.folder.path.resolve().name

    @property
    def planned(self) -> int | None:
        """The number of participants that the study wants."""
        return self.loaded.study.participants if self.loaded else None

    def next_id(self, rows: Sequence[Row], conduct: Conduct) -> str | None:
        """The ID of the next participant on this machine; None if there is none left."""
        if self.loaded is None:
            return None
        here = [row.participant for row in rows if row.host == socket.gethostname()]
        return next_id(self.loaded.study, taken(rows, conduct), here)


def overview_of(folder: StudyFolder) -> Overview:
    """Read the study file and look at the disk."""
    loaded, problem, sha256 = None, "", ""
    try:
        with ordinary(folder.file) as file:
            sha256 = hashlib.sha256(file.read(LARGEST_STUDY)).hexdigest()
        loaded = load(folder.file)
    except StudyappError as error:
        problem = str(error)
    return Overview(folder, loaded, problem, sha256, free_space(folder))


def free_space(folder: StudyFolder) -> int | None:
    """How many bytes are free on the disk of a study folder; None if the folder is gone."""
    try:
        with explained(folder.path):
            return shutil.disk_usage(folder.path).free
    except FileError:
        return None


def finished(rows: Sequence[Row]) -> list[Row]:
    """Those who count: people who have finished, outside the pilot stage, and are not excluded."""
    return [row for row in rows if row.state == "finished" and row.kind == "person" and row.excluded is None]


def known(conduct: Conduct) -> set[str]:
    """The participants that the study's log mentions: they have begun, wherever their logs are now."""
    return {
        *conduct.notes,
        *(decision.participant for decision in conduct.decisions),
        *conduct.deleted,
        *conduct.verified,
        *(participant for backup in conduct.backups for participant in backup.participants),
        *(participant for export in conduct.exports for participant in export.participants),
    }


def taken(rows: Sequence[Row], conduct: Conduct) -> set[str]:
    """The IDs that have been given out, as far as is known here."""
    return {row.participant for row in rows} | known(conduct)


def may_return(row: Row, study: Study | None, now: datetime) -> bool:
    """May this unfinished session still be resumed, as far as the study file tells?"""
    if row.state != "unfinished":
        return False
    if study is None or row.last is None:
        return True
    limit = return_by(study.resume, datetime.fromisoformat(row.last))
    return study.resume.allowed and (limit is None or now <= limit)


def advice(overview: Overview, rows: Sequence[Row], conduct: Conduct, now: datetime) -> Iterator[str]:
    """What to do next, the most urgent first."""
    if overview.problem:
        yield "The study file has faults: check it (c), then edit it (e)."
    if overview.free is not None and overview.free < FULL:
        yield f"Only {overview.free / 1e6:.0f} MB are free on this disk: make room before the next session."
    if broken := [row.participant for row in rows if row.state == "broken"]:
        logs = "log" if len(broken) == 1 else "logs"
        yield f"The {logs} of {_listed(broken)} can't be read: verify (v) says why."
    blind = overview.loaded is not None and overview.loaded.study.blind
    if rows and blind and not overview.folder.log.exists():
        yield f"{overview.folder.log.name} is missing: restore it from a backup."
    present = {row.participant for row in rows}
    if missing := sorted(known(conduct) - present):
        yield f"{_listed(missing)} {_has(missing)} no log here: find out why before you go on."
    yield from _changes(rows, conduct)
    yield from _sessions(overview, rows, conduct, now)
    unverified = [
        row for row in rows if row.state == "finished" and not row.verified and row.kind == "person"
    ]
    if unverified:
        count = counted(len(unverified), "finished session")
        yield f"{count} {_are(unverified)} not verified yet: verify (v)."
    saved = set(conduct.backups[-1].participants) if conduct.backups else set()
    unsaved = [row for row in rows if row.state == "finished" and row.participant not in saved]
    if len(unsaved) >= UNSAFE:
        count = counted(len(unsaved), "finished session")
        yield f"{count} {_are(unsaved)} not backed up yet: back up (b)."


def _changes(rows: Sequence[Row], conduct: Conduct) -> Iterator[str]:
    """What matters in the study file and is not as it was when participants who count began."""
    changed: set[str] = set()
    others: list[str] = []
    for row in rows:
        counts = row.kind == "person" and row.state in ("finished", "unfinished") and row.excluded is None
        then = [study for study in conduct.studies if row.began and study.at <= row.began]
        if not (counts and then):
            continue
        before, now = then[-1].hashes, conduct.studies[-1].hashes
        if own := {name for name in (*MATTERS, "learner") if before.get(name) != now.get(name)}:
            changed |= own
            others.append(row.participant)
    if others:
        names = ", ".join(sorted(changed))
        yield (
            f"The study changed after {_listed(others)} began ({names}): sessions before and after are not "
            "analysed together. Change it back (e), or make a new study folder."
        )


def _sessions(overview: Overview, rows: Sequence[Row], conduct: Conduct, now: datetime) -> Iterator[str]:
    """Who takes part next."""
    study = overview.loaded.study if overview.loaded else None
    planned = overview.planned
    enough = planned is not None and len(finished(rows)) >= planned
    waiting = [row.participant for row in rows if may_return(row, study, now) and not row.open]
    if waiting:
        yield f"{_listed(waiting)} {_has(waiting)} not finished: resume (r)."
    if study is None:
        return
    if study.collecting and enough:
        yield (
            f"The planned number of participants ({planned}) has finished: decide all exclusions (x), then "
            "set collecting to false (e)."
        )
    elif study.collecting:
        if not rows:
            yield "Check the study (c) and rehearse it (h)."
            if study.stage == "pilot":
                yield "Try the study yourself, with an ID such as try-1 (s)."
            else:
                yield "To try it yourself first, set stage to pilot (e)."
        following = overview.next_id(rows, conduct)
        yield f"Start {following} (s)." if following else "No IDs are left in the list: add more (e)."
    elif study.blind and conduct.unblinded is None:
        yield "Analyse blind (a); then unblind (U)."
    elif study.blind and all(analysis.blind for analysis in conduct.analyses):
        yield "Analyse (a): the report now names the models."


def _listed(participants: Sequence[str]) -> str:
    *others, last = (
        participants if len(participants) <= 3 else [*participants[:3], f"{len(participants) - 3} more"]
    )
    return f"{', '.join(others)} and {last}" if others else last


def _has(several: Sequence[object]) -> str:
    return "has" if len(several) == 1 else "have"


def _are(several: Sequence[object]) -> str:
    return "is" if len(several) == 1 else "are"
