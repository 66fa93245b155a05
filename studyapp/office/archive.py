"""What belongs to a study, file by file: in its folder, or in a backup of it.

A backup is one ZIP file: a folder that can be unpacked and used, with the SHA-256 of every file in
``SHA256SUMS``.  It is read without being unpacked, and nothing in it is trusted to be what it says.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, ordinary
from studyapp.base import documents
from studyapp.session.log_format import LARGEST_LOG
from studyapp.study.folder import SESSIONS, STUDY_FILE, STUDY_LOG, StudyFolder, folder_of

__all__ = [
    "ASIDE",
    "LOG",
    "SUMS",
    "Copy",
    "open_copy",
    "read_whole",
    "session_files",
    "session_folder_in",
    "sums_of",
]

SUMS = "SHA256SUMS"
LOG = re.compile(r"([A-Za-z0-9_-]{1,64})\.yaml")
ASIDE = re.compile(
    r"([A-Za-z0-9_-]{1,64})\.yaml\.(?:torn|damaged)-[0-9TZ]{1,40}"
)  # parts of a log, set aside
LARGEST_FILE = LARGEST_LOG + 1  # bytes; one more than any log may have
MOST_FILES = 100_000


@dataclass(frozen=True)
class Copy:
    """A copy of a study: a folder, or a backup."""

    place: Path
    study: bytes  # the study file
    log: bytes  # the study's log
    sessions: Mapping[str, Callable[[], bytes]]  # logs and files set aside, by name
    beside: Callable[[str], bytes | None]  # a file beside the study file; None if there is none


@contextmanager
def open_copy(place: Path) -> Iterator[Copy]:
    """A study folder or a backup, for reading."""
    with explained(place):
        is_folder = place.is_dir()
    if is_folder:
        folder = folder_of(place)
        if folder is None:
            raise FileError(place, f"this is not a study folder: it has no {STUDY_FILE}")
        yield _of_folder(folder, place)
        return
    with ordinary(place) as file:
        with _readable(place):
            archive = zipfile.ZipFile(file)
            copy = _of_archive(archive, place)
        yield copy


def session_files(sessions: Path) -> dict[str, Path]:
    """The logs in a folder, and what was set aside from them, sorted by name."""
    with explained(sessions):
        paths = sorted(sessions.iterdir()) if sessions.is_dir() else []
    return {path.name: path for path in paths if LOG.fullmatch(path.name) or ASIDE.fullmatch(path.name)}


def read_whole(path: Path) -> bytes:
    """All bytes that a file has now.  Of a log that is being written, that is a log as well."""
    with ordinary(path) as file:
        raw = file.read(LARGEST_FILE)
    if len(raw) == LARGEST_FILE:
        raise FileError(path, f"the file is larger than {LARGEST_LOG:,} bytes; no file of a study is")
    return raw


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The hashes of files, as ``sha256sum`` writes and checks them."""
    return "".join(f"{hashlib.sha256(raw).hexdigest()}  {name}\n" for name, raw in files.items()).encode()


def _of_folder(folder: StudyFolder, place: Path) -> Copy:
    def beside(name: str) -> bytes | None:
        path = folder.path / name
        return read_whole(path) if path.is_file() else None

    def reader(path: Path) -> Callable[[], bytes]:
        return lambda: read_whole(path)

    sessions = {name: reader(path) for name, path in session_files(folder.sessions).items()}
    log = read_whole(folder.log) if os.path.lexists(folder.log) else b""
    return Copy(place, read_whole(folder.file), log, sessions, beside)


def _of_archive(archive: zipfile.ZipFile, place: Path) -> Copy:
    members = {member.filename: member for member in archive.infolist()[:MOST_FILES]}
    tops = [name.removesuffix(STUDY_FILE) for name in members if posixpath.basename(name) == STUDY_FILE]
    if not tops:
        raise FileError(place, f"this is not a backup of a study: it has no {STUDY_FILE}")
    top = min(tops, key=len)

    def read(name: str) -> bytes:
        with _readable(place), archive.open(members[top + name]) as file:
            raw = file.read(LARGEST_FILE)
        if name != SUMS and sums.get(name) != hashlib.sha256(raw).hexdigest():
            raise FileError(place, f"{name!r} in it is not as it was backed up; use another backup")
        return raw

    def beside(name: str) -> bytes | None:
        return read(name) if top + name in members else None

    if top + SUMS not in members:
        raise FileError(place, f"this is not a backup of a study: it has no {SUMS}")
    sums: dict[str, str] = {}
    for line in read(SUMS).decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    study = read(STUDY_FILE)
    inner = top + session_folder_in(documents.parse(study, place).data) + "/"
    names = [name.removeprefix(inner) for name in members if name.startswith(inner)]
    sessions = {
        name: lambda name=name: read(inner.removeprefix(top) + name)
        for name in sorted(names)
        if LOG.fullmatch(name) or ASIDE.fullmatch(name)
    }
    return Copy(place, study, beside(STUDY_LOG) or b"", sessions, beside)


def session_folder_in(settings: Any) -> str:
    """Where a backup keeps the sessions: where the study file says, unless that is outside its folder."""
    name = settings.get("sessions") if isinstance(settings, dict) else None
    if not isinstance(name, str):
        return SESSIONS
    inside = posixpath.normpath(name)
    return SESSIONS if inside.startswith(("..", "/")) or inside == "." else inside


@contextmanager
def _readable(place: Path) -> Iterator[None]:
    """Turn whatever is wrong with a ZIP file into a FileError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        problem = "this is neither a study folder nor a backup that can be read; use another copy"
        raise FileError(place, problem) from error
