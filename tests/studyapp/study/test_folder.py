"""A study folder is found from itself and from its sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.study.folder import StudyFolder, current_folder, folder_of, sessions_of

STUDY = "title: A study\nmodels: {one: {teacher: naive}, two: {teacher: mixture}}\n"


def make(folder: Path, more: str = "") -> StudyFolder:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY + more)
    return StudyFolder(folder)


def test_the_sessions_are_beside_the_study_file(tmp_path: Path) -> None:
    assert make(tmp_path / "a").sessions == tmp_path / "a" / "sessions"
    assert make(tmp_path / "b", "sessions: logs/main\n").sessions == tmp_path / "b" / "logs/main"
    with pytest.raises(FileError, match="give the logs a folder of their own"):
        _ = make(tmp_path / "c", "sessions: .\n").sessions


def test_a_study_file_of_another_name_keeps_its_sessions_in_the_current_folder(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(STUDY)
    assert sessions_of(path) == Path("sessions")
    path.write_text(STUDY + "sessions: logs\n")
    assert sessions_of(path) == tmp_path / "logs"


def test_a_study_folder_is_found_from_its_sessions_and_from_nowhere_else(tmp_path: Path) -> None:
    folder, deep = make(tmp_path / "mine"), make(tmp_path / "deep", "sessions: logs/main\n")
    (folder.path / "rehearsal").mkdir()
    (deep.path / "logs" / "main").mkdir(parents=True)
    assert folder_of(folder.path) == folder_of(folder.path / "sessions") == folder
    assert folder_of(deep.path / "logs" / "main") == deep
    for other in (folder.path / "rehearsal", deep.path / "logs", tmp_path):
        assert folder_of(other) is None


def test_the_current_folder_may_be_the_study_folder_or_that_of_its_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "mine", "sessions: logs/main\n")
    (folder.path / "logs" / "main").mkdir(parents=True)
    for place, found in (("", True), ("logs/main", True), ("logs", False), ("..", False)):
        monkeypatch.chdir(folder.path / place)
        here = current_folder()
        assert (here is not None and here.path.resolve() == folder.path) == found
        if place == "":
            assert here is not None
            assert here.sessions == Path("logs/main")


def test_a_study_is_blind_if_its_file_says_so_or_cannot_be_understood(tmp_path: Path) -> None:
    for more, blind in (
        ("", False),
        ("blind: false\n", False),
        ("blind: true\n", True),
        ("blind: yes\n", True),
    ):
        assert make(tmp_path, more).blind is blind
