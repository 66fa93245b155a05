"""The folder of a preregistration: written once, entered in the study's log, and checked against it later.

    preregistration.md    for people: paste it into a registry
    registration.json     the same for programs; the report compares with it what was run
    study.yaml            the study file, byte for byte
    SHA256SUMS            of the other files, as sha256sum -c reads it

The log has the hash of every file, so a later edit shows.  A study can be registered again, into another
folder; the last registration counts, and all of them are named.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import explained, ordinary
from studyapp.base.outputs import check_folder, replacing_folder, write_bytes
from studyapp.office import conduct
from studyapp.office.events import Preregistered
from studyapp.study.folder import STUDY_FILE, StudyFolder

FOLDER = "preregistration"  # unless another is named
DOCUMENT = "preregistration.md"
RECORD = "registration.json"
SUMS = "SHA256SUMS"
FILES = (DOCUMENT, RECORD, STUDY_FILE, SUMS)
LARGEST = 64_000_000  # bytes of a file in such a folder, more than any has


@dataclass(frozen=True)
class Registration:
    """A registration as the study's log has it, and its folder as it is now."""

    event: Preregistered
    record: dict[str, Any] | None  # None if it can't be read
    problems: list[str]  # with the files of the folder

    @property
    def day(self) -> str:
        return self.event.at[:10]


def check_out(out: Path) -> None:
    """Refuse a folder that has anything in it: a registration is never overwritten."""
    check_folder(out)
    with explained(out):
        if out.is_dir() and any(out.iterdir()):
            what = "a registration is here already" if (out / RECORD).exists() else "this folder is not empty"
            raise FileError(out, f"{what}, and nothing is overwritten; choose another folder (--out)")


def write_registration(
    folder: StudyFolder,
    out: Path,
    *,
    document: str,
    record: dict[str, Any],
    study_file: bytes,
    finished: int,
) -> Preregistered:
    """Write the folder of a registration, then enter it in the study's log."""
    files = {
        DOCUMENT: document.encode(),
        RECORD: (json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(),
        STUDY_FILE: study_file,
    }
    sums = _hashes(files)
    files[SUMS] = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()
    sums[SUMS] = hashlib.sha256(files[SUMS]).hexdigest()
    check_out(out)
    with replacing_folder(out) as part:
        for name, content in files.items():
            write_bytes(part / name, content)
    event = Preregistered(conduct.named(out, folder), sums, record["participants"], finished)
    conduct.record(folder, event)
    return event


def read_registration(folder: StudyFolder, event: Preregistered) -> Registration:
    """A registration of the study in this folder, with whatever has happened to its files."""
    place = folder.path / event.folder
    problems, record = [], None
    for name, sha256 in event.files.items():
        try:
            with ordinary(place / name) as file:
                content = file.read(LARGEST)
        except FileError as error:
            problems.append(f"{name} can't be read: {error.problem}")
            continue
        if hashlib.sha256(content).hexdigest() != sha256:
            problems.append(f"{name} was changed after the registration")
        if name == RECORD:
            record = _parsed(content)
            if record is None:
                problems.append(f"{name} is not a registration any more")
    return Registration(event, record, problems)


def registration_files(folder: StudyFolder, places: Iterable[str]) -> tuple[dict[str, bytes], list[str]]:
    """The files of registrations, by their names from the study folder; and which are not inside it."""
    files, outside = {}, []
    for place in places:
        if (inside := _inside(place)) is None:
            outside.append(place)
            continue
        for name in FILES:
            path = folder.path / inside / name
            if path.is_file():
                with ordinary(path) as file:
                    files[f"{inside}/{name}"] = file.read(LARGEST)
    return files, outside


def _hashes(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def _inside(place: str) -> str | None:
    """The folder of a registration, from the study folder; None if it is elsewhere."""
    inside = posixpath.normpath(place)
    return None if inside.startswith(("..", "/")) or inside == "." else inside


def _parsed(content: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
