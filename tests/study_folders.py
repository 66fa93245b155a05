"""Study folders for tests: the small study with some sessions, and the commands run in them."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from study_files import loaded, run, small

from studyapp.cli import main
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, read_conduct, record_study
from studyapp.office.events import StudyEvent
from studyapp.session import log
from studyapp.session.events import Started
from studyapp.session.log_format import encode
from studyapp.study.folder import StudyFolder

# Folders that were recorded once in this process, with what they are of; tests get copies of them.
_recorded: dict[str, tempfile.TemporaryDirectory[str]] = {}


def make(place: Path, *participants: str, **changes: object) -> StudyFolder:
    """A folder with the small study, its log, and the finished sessions of these participants."""
    key = json.dumps([participants, changes], sort_keys=True)
    if key not in _recorded:
        _recorded[key] = tempfile.TemporaryDirectory()
        folder = StudyFolder(Path(_recorded[key].name))
        study = loaded(folder.path, small(**changes))
        record_study(folder)
        for participant in participants:
            run(study, folder.sessions, participant)
    shutil.copytree(_recorded[key].name, place, dirs_exist_ok=True)
    return StudyFolder(place)


def as_person(path: Path, **changes: Any) -> None:
    """Make a simulated participant's log that of a person."""
    started, *rest = log.read(path).events
    assert isinstance(started, Started)
    started = replace(started, simulated=False, teacher=None, people_sha256=None, **changes)
    path.write_bytes(encode([started, *rest]))


class Lab:
    """A study folder in which commands are run."""

    def __init__(self, folder: StudyFolder, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capture = capture
        self.out = self.err = ""

    def __call__(self, *arguments: str, within: str = ".") -> int:
        """Run a command in the folder; returns its exit code."""
        self._capture.readouterr()
        with contextlib.chdir(self.folder.path / within):
            code = main(list(arguments))
        self.out, self.err = self._capture.readouterr()
        return code

    @property
    def events(self) -> list[StudyEvent]:
        return study_log.read(self.folder.log)

    @property
    def names(self) -> list[str]:
        """The names of the events so far."""
        return [event.event for event in self.events]

    @property
    def conduct(self) -> Conduct:
        return read_conduct(self.folder.log)

    def log(self, participant: str) -> Path:
        return self.folder.sessions / f"{participant}.yaml"
