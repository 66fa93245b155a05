"""Merging: the sessions and events of another copy of a study, from another machine or a backup.

A log only grows, so of two logs of one session the longer continues the shorter, and is taken.  Deleted
answers stay deleted: a tombstone wins over the log whose head it has.  Whatever is left can't be decided
here, and both copies stay as they are: two sessions under one ID, or one that was continued in both copies.
Events that are in both logs are the same by their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import FileError
from core.files import replacing
from studyapp.base import documents
from studyapp.base.disk import sync_folder
from studyapp.base.outputs import make_folder, write_bytes
from studyapp.office import deletion, study_log
from studyapp.office.archive import ASIDE, LOG, Copy, open_copy, read_whole
from studyapp.office.conduct import conduct_of
from studyapp.office.deletion import grave
from studyapp.office.events import Deleted, Merged, StudyEvent, Unblinded
from studyapp.office.participants import with_log
from studyapp.office.preregistration import take_registrations
from studyapp.office.recording import named, record_after
from studyapp.session.changes import study_changes
from studyapp.session.events import Started, Withdrawn
from studyapp.session.log import Log, read_head
from studyapp.session.log_format import LogContents, head_of, parse
from studyapp.study.folder import StudyFolder, folder_of
from studyapp.study.study import Study

__all__ = ["Merging", "merge"]

TWO_SESSIONS = "two different sessions have this ID, here and there; neither was changed"
TWO_ENDS = "the session was continued in both copies; neither was changed"
ONLY_CASE = "the log there was not taken: {other} is here, and the IDs differ only in upper and lower case"
OTHER_COPY = "nothing was merged; merge another copy"  # whose own log is unchanged
DELETED = "the answers were deleted here, so the log there was not taken; delete them there too"


@dataclass
class Merging:
    """What came of a merge."""

    new: list[str] = field(default_factory=list)  # participants who had no log here
    longer: list[str] = field(default_factory=list)  # whose log there continued the one here
    mended: list[str] = field(default_factory=list)  # whose log here was damaged
    deleted: list[str] = field(default_factory=list)  # whose answers had been deleted there
    same: int = 0
    refused: dict[str, str] = field(default_factory=dict)  # with the reason
    other_settings: list[str] = field(default_factory=list)  # that differ without mattering
    doubtful: list[str] = field(default_factory=list)  # deleted there, but perhaps another session
    registrations: list[str] = field(default_factory=list)  # folders that were missing here
    unregistered: list[str] = field(default_factory=list)  # why others could not be taken
    events: int = 0
    unblinded: Unblinded | None = None  # what happened there, and was not known here


def merge(folder: StudyFolder, place: Path) -> Merging:
    """Take in what another copy of the study has; raises a FileError if it is none."""
    there = folder_of(place)
    if there is not None and there.path.resolve() == folder.path.resolve():
        raise FileError(place, "this is the study folder itself; name another copy of it")
    merging = Merging()
    with open_copy(place) as copy:
        _check_study(folder, copy, merging)
        theirs = study_log.parse(copy.log, place, OTHER_COPY)[0] if copy.log else []
        mine = study_log.read(folder.log)
        _Logs(folder, copy, [*mine, *theirs], merging).take()
        _take_events(folder, theirs, merging, named(place, folder))
        registrations = conduct_of(theirs).registrations
        merging.registrations, merging.unregistered = take_registrations(folder, registrations, copy.beside)
    merging.deleted += deletion.complete(folder)
    merging.doubtful += deletion.doubtful(folder, conduct_of(theirs))
    return merging


def _take_events(folder: StudyFolder, theirs: Sequence[StudyEvent], merging: Merging, source: str) -> None:
    """Write down what happened there, but nothing about those whose logs were refused."""
    changed = sorted({*merging.new, *merging.longer, *merging.mended, *merging.deleted})

    def new_events(before: list[StudyEvent]) -> list[StudyEvent]:
        known = {event.id for event in before}
        new = {
            event.id: event
            for event in theirs
            if event.id not in known and getattr(event, "participant", None) not in merging.refused
        }
        merging.events = len(new)
        if conduct_of(before).unblinded is None:
            merging.unblinded = conduct_of(new.values()).unblinded
        return [*new.values(), Merged(source, changed, len(new))] if new or changed else []

    record_after(folder, new_events)


def _check_study(folder: StudyFolder, copy: Copy, merging: Merging) -> None:
    """Refuse a copy of another study, with the difference."""
    mine, theirs = _study(read_whole(folder.file), folder.file), _study(copy.study, copy.place)
    changes = study_changes(theirs.record(), mine.record(), "there", "here")
    for setting, name in (("words", theirs.words), ("people", theirs.people)):
        if isinstance(name, str) and (Path(name).suffix or len(Path(name).parts) > 1):
            raw = copy.beside(name)
            own = folder.path / name
            if raw is not None and own.is_file() and read_whole(own) != raw:
                changes.append(f"{setting}: {name} is not the same file")
    if changes:
        problem = "this is not the same study:"
        raise FileError(copy.place, problem, *(f"  {change}" for change in changes), "Nothing was merged.")
    own_record, their_record = mine.model_dump(mode="json"), theirs.model_dump(mode="json")
    merging.other_settings += [name for name in own_record if own_record[name] != their_record[name]]


def _study(raw: bytes, path: Path) -> Study:
    data: Any = documents.parse(raw, path).data
    try:
        return Study.model_validate(data)
    except ValidationError:
        problem = "its study file has faults; mend them first (studyapp check lists them)"
        raise FileError(path, problem) from None


class _Logs:
    """Takes the logs of another copy in, one by one."""

    def __init__(
        self, folder: StudyFolder, copy: Copy, events: Sequence[StudyEvent], merging: Merging
    ) -> None:
        self._sessions = folder.sessions
        self._copy = copy
        self._merging = merging
        self._deleted = [event for event in events if isinstance(event, Deleted)]
        self._here = {participant.lower(): participant for participant in with_log(folder)}
        self._buried = {event.participant for event in self._deleted}  # whose answers are to be gone

    def take(self) -> None:
        make_folder(self._sessions)
        for name, read in self._copy.sessions.items():
            if found := LOG.fullmatch(name):
                try:
                    self._take(found[1], read())
                except FileError as error:
                    where = f", {error.where}" if error.where else ""
                    self._merging.refused[found[1]] = f"{error.path}{where}: {error.problem}"
        for name in self._copy.sessions:
            if found := ASIDE.fullmatch(name):
                self._take_aside(found[1], name)
        sync_folder(self._sessions)

    def _take(self, participant: str, raw: bytes) -> None:
        path, name = self._sessions / f"{participant}.yaml", f"{participant}.yaml"
        theirs = _Known.read(raw, self._copy.place / name)
        if theirs is None:  # studyapp was stopped there before it wrote the first event
            return
        if theirs.started.participant != participant:
            problem = f"this is the log of {theirs.started.participant}, but the file is named {name}"
            raise FileError(self._copy.place / name, problem)
        if theirs.grave is not None:
            self._buried.add(participant)
        here = self._here.get(participant.lower())
        if here is None:
            self._take_new(participant, path, theirs)
        elif here != participant:
            self._merging.refused[participant] = ONLY_CASE.format(other=here)
        else:
            self._compare(participant, path, theirs)

    def _take_new(self, participant: str, path: Path, theirs: _Known) -> None:
        gone = [event for event in self._deleted if event.participant == participant]
        if theirs.grave is None and any(event.head in (None, theirs.head) for event in gone):
            self._merging.refused[participant] = DELETED
            return
        with replacing(path) as file:
            file.write(theirs.whole)
        self._merging.new.append(participant)

    def _compare(self, participant: str, path: Path, theirs: _Known) -> None:
        try:
            raw = read_whole(path)
            mine = _Known.read(raw, path)
        except FileError:  # damaged here
            head = read_head(path)
            if head is not None and head.chain != theirs.head:
                raise
            self._mend(path, theirs)
            self._merging.mended.append(participant)
            return
        if mine is None:  # studyapp was stopped here before it wrote the first event
            self._put(path, theirs, raw)
            self._merging.new.append(participant)
        elif mine.whole.startswith(theirs.whole):
            self._merging.same += 1
        elif mine.head != theirs.head:
            self._merging.refused[participant] = TWO_SESSIONS
        elif mine.grave is not None:
            self._buried.add(participant)
            self._merging.same += 1
        elif theirs.grave is not None:
            self._erase(path, theirs.started, theirs.grave)
            self._merging.deleted.append(participant)
        elif theirs.whole.startswith(mine.whole):
            self._put(path, theirs, raw)
            self._merging.longer.append(participant)
        else:
            self._merging.refused[participant] = TWO_ENDS

    def _put(self, path: Path, theirs: _Known, expected: bytes) -> None:
        """Put their log in the place of the one here, which nobody may have open."""
        log = Log(path, to_erase=True)
        try:
            if read_whole(path) != expected:
                raise FileError(path, "the session went on during the merge; merge again")
            if not theirs.whole.startswith(expected):  # a torn event at its end
                self._set_aside(path, expected, "torn")
            write_bytes(path, theirs.whole)
        finally:
            log.close()

    def _mend(self, path: Path, theirs: _Known) -> None:
        """Put their log in the place of a damaged one, which is kept beside it."""
        log = Log(path, to_erase=True)
        try:
            self._set_aside(path, read_whole(path), "damaged")
            write_bytes(path, theirs.whole)
        finally:
            log.close()

    def _set_aside(self, path: Path, raw: bytes, kind: str) -> None:
        write_bytes(path.with_name(f"{path.name}.{kind}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"), raw)

    def _erase(self, path: Path, started: Started, withdrawn: Withdrawn) -> None:
        log = Log(path, to_erase=True)
        try:
            log.erase(started, withdrawn)
        finally:
            log.close()

    def _take_aside(self, participant: str, name: str) -> None:
        """A file set aside from a log; not one of a participant whose answers are or will be deleted."""
        path, refused = self._sessions / name, self._merging.refused
        if participant not in self._buried and participant not in refused and not path.exists():
            write_bytes(path, self._copy.sessions[name]())


@dataclass(frozen=True)
class _Known:
    """A log that can be read."""

    whole: bytes  # without a torn event at its end
    started: Started
    head: str  # its first link
    grave: Withdrawn | None

    @classmethod
    def read(cls, raw: bytes, path: Path) -> _Known | None:
        """None if there is no event in it; raises a FileError if it is damaged."""
        contents: LogContents = parse(raw, path)
        if not contents.events:
            return None
        started = contents.events[0]
        assert isinstance(started, Started)
        whole = raw[: len(raw) - len(contents.torn)]
        return cls(whole, started, parse(head_of(raw), path).chain, grave(contents.events))
