"""Backing up a study: one ZIP file with all that belongs to it, read back before it counts.

It unpacks to a study folder, with the SHA-256 of every file in ``SHA256SUMS``.  Sessions may go on meanwhile:
a log only grows, so what is read of it at any moment is a log.  If the study's own log is damaged, it is
backed up as it is: a backup is never more wanted than then.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, ordinary, replacing
from studyapp.base import documents, entries
from studyapp.base.clock import SystemClock
from studyapp.base.outputs import check_folder, make_folder
from studyapp.office import deletion
from studyapp.office.conduct import Conduct, named, read_conduct, record_decision, record_study
from studyapp.office.events import BackedUp, StudyEvent
from studyapp.office.new_folder import README, SCHEMA_FILE
from studyapp.office.preregistration import FOLDER, registration_files
from studyapp.session.log_format import LARGEST_LOG
from studyapp.study.folder import SESSIONS, STUDY_FILE, STUDY_LOG, StudyFolder

BACKUPS = "backups"
SUMS = "SHA256SUMS"
LOG = re.compile(r"([A-Za-z0-9_-]{1,64})\.yaml")
ASIDE = re.compile(LOG.pattern + r"\.(?:torn|damaged)-[0-9TZ]{1,40}")  # parts of a log, set aside
DELETED = b'--- {"event": "withdrawn", "data": "deleted"'  # what follows the head of a tombstone


@dataclass(frozen=True)
class Backup:
    """A backup that was made, and read back."""

    path: Path
    participants: list[str]  # whose answers it has
    files: int
    size: int  # bytes
    left_out: list[str]  # what the study uses, but is not in its folder
    damage: FileError | None  # why the study's log can't be read; then it does not mention the backup


def back_up(folder: StudyFolder, out: Path | None = None) -> Backup:
    """Back a study up.  A deletion that was interrupted is completed before, if the study's log tells."""
    out = folder.path / BACKUPS if out is None else out
    check_folder(out)
    damage, before, registrations = None, set[str](), [FOLDER]
    try:
        read_conduct(folder.log)
    except FileError as error:
        damage = error
    else:
        deletion.complete(folder)
        record_study(folder)
        conduct = read_conduct(folder.log)
        before = set(conduct.deleted)
        registrations = [event.folder for event in conduct.registrations]
    files, left_out = _contents(folder, registrations)
    sessions = _session_files(folder)
    participants = [
        log[1] for name, raw in sessions.items() if (log := LOG.fullmatch(name)) and not _is_tombstone(raw)
    ]
    inner = _session_folder(documents.parse(files[STUDY_FILE], folder.file).data)
    files |= {f"{inner}/{name}": raw for name, raw in sessions.items()}
    make_folder(out)
    top = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.path.resolve().name).strip("-") or "study"
    path = _free(out, f"{top}-{SystemClock().now():%Y%m%dT%H%M%SZ}")
    sums = "".join(f"{hashlib.sha256(raw).hexdigest()}  {name}\n" for name, raw in files.items())
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in [*files.items(), (SUMS, sums.encode())]:
            archive.writestr(_member(f"{top}/{name}"), raw)

    def event(conduct: Conduct) -> Sequence[StudyEvent]:
        """Unless somebody whose answers are in the backup had them deleted since it began."""
        if gone := sorted((conduct.deleted.keys() - before).intersection(participants)):
            problem = f"the answers of {', '.join(gone)} were deleted while the backup was made; try again"
            raise FileError(path, problem)
        return [BackedUp(named(path, folder), sha256, participants)]

    try:
        sha256 = _check(path, top, files)
        if damage is None:
            record_decision(folder, event)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Backup(path, participants, len(files), path.stat().st_size, left_out, damage)


def _contents(folder: StudyFolder, registrations: list[str]) -> tuple[dict[str, bytes], list[str]]:
    """The files of a backup but for sessions, by name, and what belongs to the study but is elsewhere."""
    study = _whole(folder.file)
    settings = documents.parse(study, folder.file).data
    files, left_out = {STUDY_FILE: study}, []
    for setting in ("words", "people"):
        name = settings.get(setting) if isinstance(settings, dict) else None
        if isinstance(name, str) and (Path(name).suffix or len(Path(name).parts) > 1):
            inside = os.path.normpath(name)
            if Path(inside).is_absolute() or inside.startswith(".."):
                left_out.append(f"{setting}: {name}")
            else:
                files[Path(inside).as_posix()] = _whole(folder.path / inside)
    for name in (README, SCHEMA_FILE, STUDY_LOG):
        if (folder.path / name).is_file():
            files[name] = _whole(folder.path / name)
    registered, outside = registration_files(folder, registrations)
    return files | registered, [*left_out, *(f"registration: {name}" for name in outside)]


def _session_files(folder: StudyFolder) -> dict[str, bytes]:
    """The logs of the sessions, and what was set aside from them, sorted by name."""
    sessions = folder.sessions
    with explained(sessions):
        paths = sorted(sessions.iterdir()) if sessions.is_dir() else []
    return {
        path.name: _whole(path) for path in paths if LOG.fullmatch(path.name) or ASIDE.fullmatch(path.name)
    }


def _whole(path: Path) -> bytes:
    """All bytes that a file has now.  Of a log that is being written, that is a log as well."""
    with ordinary(path) as file:
        raw = file.read(LARGEST_LOG + 1)
    if len(raw) > LARGEST_LOG:
        raise FileError(path, f"the file is larger than {LARGEST_LOG:,} bytes; no file of a study is")
    return raw


def _session_folder(settings: Any) -> str:
    """Where a backup keeps the sessions: where the study file says, unless that is outside its folder."""
    name = settings.get("sessions") if isinstance(settings, dict) else None
    inside = posixpath.normpath(name) if isinstance(name, str) else SESSIONS
    return SESSIONS if inside.startswith(("..", "/")) or inside == "." else inside


def _is_tombstone(raw: bytes) -> bool:
    """Is this a log whose answers were deleted?"""
    end = entries.end_of(raw, 0)
    return end is not None and raw.startswith(DELETED, end)


def _free(out: Path, name: str) -> Path:
    """A name that nothing has yet, also if two backups are made within a second."""
    number, path = 1, out / f"{name}.zip"
    while os.path.lexists(path):
        number += 1
        path = out / f"{name}-{number}.zip"
    return path


def _member(name: str) -> zipfile.ZipInfo:
    """A file of the archive, which only its owner may read once it is unpacked."""
    member = zipfile.ZipInfo(name, SystemClock().now().timetuple()[:6])
    member.external_attr = 0o600 << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _check(path: Path, top: str, files: dict[str, bytes]) -> str:
    """Read the backup back and compare every byte; returns the hash of the whole file."""
    with ordinary(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                same = all(archive.read(f"{top}/{name}") == raw for name, raw in files.items())
        except (zipfile.BadZipFile, KeyError):
            same = False
        if not same:
            raise FileError(
                path, "the backup could not be read back as it was written; try another disk (--out)"
            )
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()
