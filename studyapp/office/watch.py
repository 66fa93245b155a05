"""A study folder, looked at again and again: the study, its log, and its participants.

A look costs little while nothing changes: a file is read again only if its size, its time or its number on
the disk is another.  Whatever can't be read is a problem that is reported, and what was seen before stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import StudyappError
from studyapp.office.conduct import Conduct, read_conduct
from studyapp.office.overview import Overview, free_space, overview_of, taken
from studyapp.office.status import Row, Status
from studyapp.study.folder import SESSIONS, StudyFolder

Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Seen:
    """What one look has found."""

    overview: Overview
    rows: list[Row]
    conduct: Conduct
    problems: tuple[str, ...]  # what could not be read

    @property
    def taken(self) -> set[str]:
        """The IDs that have been given out, as far as is known here."""
        return taken(self.rows, self.conduct)


class Watch:
    """Looks at a study folder."""

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self._study: tuple[Stamp, Overview] | None = None  # as it was last, and the files it came from
        self._log: tuple[Stamp, Conduct, str] | None = None
        self._status = Status(folder.path / SESSIONS)

    @property
    def sessions(self) -> Path:
        """Where the logs are."""
        return self._status.sessions

    def look(self, progress: Callable[[int, int], None] | None = None) -> Seen:
        """Look again.  ``progress`` is told how many logs have been looked at, of how many."""
        overview, (conduct, damage) = self._overview(), self._conduct()
        problems = [damage] if damage else []
        try:
            self._status.update(progress)
        except StudyappError as error:
            problems.append(str(error))
        return Seen(overview, self._status.rows(conduct), conduct, tuple(problems))

    def _overview(self) -> Overview:
        """The study; read again if any file beside it has changed, since words and people are files too."""
        stamp = self._stamp(self.folder.path)
        if self._study is None or self._study[0] != stamp:
            first, self._study = self._study is None, (stamp, overview_of(self.folder))
            if first or self._study[1].loaded:  # while the file has faults, the logs stay where they were
                self._find_sessions()
        return replace(self._study[1], free=free_space(self.folder))

    def _find_sessions(self) -> None:
        """The study file says where they are."""
        try:
            sessions = self.folder.sessions
        except StudyappError:
            return
        if sessions != self._status.sessions:
            self._status = Status(sessions)

    def _conduct(self) -> tuple[Conduct, str]:
        """What was decided, and why that can't be read; then, what was known before."""
        stamp = self._stamp(self.folder.log)
        if self._log is None or self._log[0] != stamp:
            conduct, problem = self._log[1] if self._log else Conduct(), ""
            try:
                conduct = read_conduct(self.folder.log)
            except StudyappError as error:
                problem = str(error)
            self._log = stamp, conduct, problem
        return self._log[1:]

    def _stamp(self, place: Path) -> Stamp:
        """What tells that a file has changed, or one of the files in a folder; the study's log is its own."""
        try:
            paths = [Path(entry) for entry in os.scandir(place)] if place.is_dir() else [place]
            found = [(path, path.stat()) for path in sorted(paths) if path.is_file()]
        except OSError:  # it is gone, or about to be
            return ()
        return tuple(
            (path.name, status.st_ino, status.st_size, status.st_mtime_ns)
            for path, status in found
            if path == place or path != self.folder.log
        )
