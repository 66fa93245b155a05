"""Writing down what an experimenter does.

Whoever writes to the study's log first looks at the study file.  If it is not the file of the last time, that
is an event of its own, with the names of the settings that changed; their values stay in the file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.files import ordinary
from studyapp.base import documents
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, conduct_of
from studyapp.office.events import StudyChanged, StudyEvent
from studyapp.study.folder import StudyFolder
from studyapp.study.study import Study

Decide = Callable[[Conduct], Sequence[StudyEvent]]


def record(folder: StudyFolder, *events: StudyEvent) -> None:
    """Write events, after one about the study file if that has changed."""
    record_decision(folder, lambda _: events)


def record_decision(folder: StudyFolder, decide: Decide) -> list[StudyEvent]:
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
