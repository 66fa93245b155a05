"""``studyapp new``: a study folder of one's own, in which every command knows its study."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from study_folders import Lab

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
def test_it_is_the_bundled_study_but_for_what_belongs_to_a_folder(
    name: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(made(tmp_path / "mine", name), capsys)
    before, now = load(name).study, load(lab.folder.file).study
    own = {"seed", "order_of_models", "sessions", "blind"}
    assert before.model_dump(exclude=own) == now.model_dump(exclude=own)
    assert (now.order_of_models, now.sessions, now.blind) == ("balanced", "sessions", True)
    assert (now.stage, now.collecting) == ("main", True)
    # How fast this machine is when other tests run beside this one has nothing to do with it.
    monkeypatch.setattr("studyapp.study.warnings._slow_questions", lambda _: iter(()))
    assert lab("check") == 0
    assert "(study.yaml): no faults found" in lab.out
    assert "warning" not in lab.out


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


def test_an_editor_finds_the_schema_and_the_studys_log_begins_with_the_study_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    first = folder.file.read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=study.schema.json"
    assert json.loads((folder.path / "study.schema.json").read_text()) == schema()
    (event,) = study_log.read(folder.log)
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


def test_what_is_there_is_never_replaced(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "precious.txt").write_text("precious")
    made(tmp_path / "study")
    before = sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    monkeypatch.chdir(tmp_path)
    for name, said in (
        *((name, "choose a new name") for name in ("file", "folder", "study")),
        (".", "go up"),
    ):
        capsys.readouterr()
        assert main(["new", name]) == 2
        assert said in capsys.readouterr().err
        assert sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) == before
    (tmp_path / "empty").mkdir()
    assert made(tmp_path / "empty").file.exists()


def test_every_command_knows_its_study_in_the_folder_and_in_its_sessions_wherever_it_is_moved(
    tmp_path: Path, capsys: Capture
) -> None:
    made(tmp_path / "mine").path.rename(tmp_path / "theirs")
    lab = Lab(StudyFolder(tmp_path / "theirs"), capsys)
    text = lab.folder.file.read_text()
    text = re.sub(r"targets: .*", "targets: [dog, tea]", text).replace("questions: 15", "questions: 3")
    lab.folder.file.write_text(text)
    assert lab("rehearse", "--participants", "2", "--teacher", "random", within="sessions") == 0
    rehearsal = lab.folder.path / "rehearsal"
    assert len(list(rehearsal.glob("*.yaml"))) == 2
    shutil.copytree(rehearsal, lab.folder.sessions, dirs_exist_ok=True)
    for within in (".", "sessions"):
        assert lab("check", within=within) == 0
        assert "(short)" in lab.out
        assert lab("status", within=within) == 0
        assert "2 participants: 2 finished" in lab.out
    assert lab("verify", within="sessions") == 0
    assert "2 of 2 logs passed" in lab.out
