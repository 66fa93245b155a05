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


def test_the_current_folder_is_a_study_folder_if_it_has_a_study_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert current_folder() is None
    make(tmp_path)
    folder = current_folder()
    assert folder is not None
    assert folder.sessions == Path("sessions")


@pytest.mark.parametrize(("more", "name"), [("", "sessions"), ("sessions: logs/main\n", "logs/main")])
def test_the_sessions_are_beside_the_study_file(tmp_path: Path, more: str, name: str) -> None:
    folder = make(tmp_path / "mine", more)
    assert folder.sessions == tmp_path / "mine" / name


def test_a_study_file_of_another_name_keeps_its_sessions_in_the_current_folder(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(STUDY)
    assert sessions_of(path) == Path("sessions")
    path.write_text(STUDY + "sessions: logs\n")
    assert sessions_of(path) == tmp_path / "logs"


def test_a_study_folder_is_found_from_its_sessions_and_from_nowhere_else(tmp_path: Path) -> None:
    folder = make(tmp_path / "mine")
    (folder.path / "rehearsal").mkdir()
    assert folder_of(folder.path) == folder
    assert folder_of(folder.path / "sessions") == folder
    assert folder_of(folder.path / "rehearsal") is None
    assert folder_of(tmp_path) is None


def test_a_study_folder_is_found_from_sessions_that_lie_deeper(tmp_path: Path) -> None:
    folder = make(tmp_path / "mine", "sessions: logs/main\n")
    (folder.path / "logs" / "main").mkdir(parents=True)
    assert folder_of(folder.path / "logs" / "main") == folder
    assert folder_of(folder.path / "logs") is None


def test_the_current_folder_may_be_that_of_the_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "mine", "sessions: logs/main\n")
    (folder.path / "logs" / "main").mkdir(parents=True)
    monkeypatch.chdir(folder.path / "logs" / "main")
    found = current_folder()
    assert found is not None
    assert found.path.resolve() == folder.path
    monkeypatch.chdir(folder.path / "logs")
    assert current_folder() is None


def test_sessions_in_the_study_folder_itself_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path, "sessions: .\n")
    with pytest.raises(FileError, match="give the logs a folder of their own"):
        _ = folder.sessions


@pytest.mark.parametrize(
    ("more", "blind"),
    [("", False), ("blind: false\n", False), ("blind: true\n", True), ("blind: yes\n", True)],
)
def test_a_study_is_blind_if_its_file_says_so_or_cannot_be_understood(
    tmp_path: Path, more: str, blind: bool
) -> None:
    assert make(tmp_path, more).blind is blind
