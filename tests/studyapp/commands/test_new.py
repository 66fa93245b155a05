"""``studyapp new``: a study folder of one's own, in which every command knows its study."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from study_folders import Lab

from studyapp.base import documents
from studyapp.cli import COMMANDS, main, parser_of
from studyapp.office import new_folder, study_log
from studyapp.office.events import StudyChanged
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import bundled, load
from studyapp.study.study import schema

Capture = pytest.CaptureFixture[str]
STUDIES = sorted(bundled())


def made(place: Path, name: str = "short") -> StudyFolder:
    assert main(["new", str(place), "--from", name]) == 0
    return StudyFolder(place)


@pytest.mark.parametrize("name", STUDIES)
def test_the_study_file_passes_its_check_without_a_warning(
    name: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "mine", name)
    monkeypatch.chdir(tmp_path / "mine")
    # How fast this machine is when other tests run beside this one has nothing to do with it.
    monkeypatch.setattr("studyapp.study.warnings._slow_questions", lambda _: iter(()))
    capsys.readouterr()
    assert main(["check"]) == 0
    said = capsys.readouterr().out
    assert "(study.yaml): no faults found" in said
    assert "warning" not in said


@pytest.mark.parametrize("name", STUDIES)
def test_it_is_the_bundled_study_but_for_what_belongs_to_a_folder(name: str, tmp_path: Path) -> None:
    before, now = load(name).study, load(made(tmp_path / "mine", name).file).study
    own = {"seed", "order_of_models", "sessions", "blind"}
    assert before.model_dump(exclude=own) == now.model_dump(exclude=own)
    assert (now.order_of_models, now.sessions, now.blind) == ("balanced", "sessions", True)
    assert (now.stage, now.collecting) == ("main", True)


def test_every_folder_has_a_seed_of_its_own(tmp_path: Path) -> None:
    seeds = {load(made(tmp_path / str(number)).file).study.seed for number in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("name", STUDIES)
def test_no_setting_of_a_bundled_study_loses_its_comment(name: str) -> None:
    def comments(text: str) -> set[str]:
        return set(re.findall(r"(?<!^)# .*", text[text.index("\ntitle: ") :], re.MULTILINE))

    lost = comments(bundled()[name].decode()) - comments(new_folder.study_text(name, 7))
    told_anew = re.compile("randomness|participant|balanced|IDs|planned")  # of the seed, the order, the IDs
    assert [comment for comment in lost if not told_anew.search(comment)] == []


def test_an_editor_finds_the_schema(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    first = folder.file.read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=study.schema.json"
    assert json.loads((folder.path / "study.schema.json").read_text()) == schema()


def test_the_first_event_of_the_studys_log_is_the_study_file(tmp_path: Path) -> None:
    (event,) = study_log.read(made(tmp_path / "mine").log)
    assert isinstance(event, StudyChanged)
    assert event.settings == []


def test_the_guide_names_only_commands_that_parse(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    commands = [
        shlex.split(line)[1:]
        for line in re.findall(r"`(studyapp [^`]+)`", (folder.path / "README.md").read_text())
    ]
    assert len(commands) > 10
    for arguments in commands:
        if arguments[0] in COMMANDS:
            parser_of(arguments[:1]).parse_args(arguments)


def test_the_guide_and_the_log_name_no_model(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine", "beyond")
    for file in (folder.path / "README.md", folder.log):
        for model in (*load("beyond").study.models, "planning"):
            assert not re.search(rf"\b{model}\b", file.read_text())


@pytest.mark.parametrize("what", ["file", "folder", "study"])
def test_what_is_there_is_never_replaced(what: str, tmp_path: Path, capsys: Capture) -> None:
    place = tmp_path / "mine"
    if what == "file":
        place.write_text("precious")
    elif what == "folder":
        place.mkdir()
        (place / "precious.txt").write_text("precious")
    else:
        made(place)
    before = sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    capsys.readouterr()
    assert main(["new", str(place)]) == 2
    assert "choose a new name" in capsys.readouterr().err
    assert sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) == before


def test_an_empty_folder_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert made(tmp_path / "mine").file.exists()


def test_the_current_folder_is_refused(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "."]) == 2
    assert "go up" in capsys.readouterr().err


def test_a_failure_half_way_leaves_nothing_that_looks_like_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: StudyFolder) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(new_folder, "record_study", full)
    assert main(["new", str(tmp_path / "mine")]) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("within", [".", "sessions"])
def test_every_command_knows_its_study_in_the_folder_and_in_its_sessions(
    within: str, tmp_path: Path, capsys: Capture
) -> None:
    lab = Lab(made(tmp_path / "mine"), capsys)
    text = lab.folder.file.read_text()
    text = re.sub(r"targets: .*", "targets: [dog, tea]", text).replace("questions: 15", "questions: 3")
    lab.folder.file.write_text(text)
    assert lab("check", within=within) == 0
    assert "(short)" in lab.out
    assert lab("status", within=within) == 0
    assert lab("rehearse", "--participants", "2", "--teacher", "random", within=within) == 0
    rehearsal = lab.folder.path / "rehearsal"
    assert len(list(rehearsal.glob("*.yaml"))) == 2
    shutil.copytree(rehearsal, lab.folder.sessions, dirs_exist_ok=True)
    assert lab("status", within=within) == 0
    assert "2 participants: 2 finished" in lab.out
    assert lab("verify", within=within) == 0
    assert "2 of 2 logs passed" in lab.out


def test_a_moved_folder_is_still_the_study(tmp_path: Path, capsys: Capture) -> None:
    folder = made(tmp_path / "mine")
    folder.path.rename(tmp_path / "theirs")
    lab = Lab(StudyFolder(tmp_path / "theirs"), capsys)
    assert lab("check") == 0
    assert lab("status") == 0


def test_a_long_or_odd_name_is_shown_as_text(tmp_path: Path, capsys: Capture) -> None:
    with contextlib.chdir(tmp_path):
        assert main(["new", "x y\x1b[2J"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert documents.read(tmp_path / "x y\x1b[2J" / "study.yaml").data["blind"] is True
