"""``studyapp backup``: nothing is lost, and what was deleted stays deleted."""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small
from study_folders import Lab, make

from studyapp.office.conduct import read_conduct
from studyapp.office.events import BackedUp
from studyapp.office.preregistration import read_registration
from studyapp.session import log
from studyapp.session.saved import open_session
from studyapp.study.folder import StudyFolder

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02"), capsys)


def backed_up(lab: Lab) -> Path:
    assert lab("backup") == 0
    return max((lab.folder.path / "backups").glob("*.zip"))


def unpack(backup: Path, place: Path) -> Path:
    with zipfile.ZipFile(backup) as archive:
        archive.extractall(place)
    return place / "mine"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Backups


def test_a_backup_is_the_study_folder_with_the_hash_of_every_file(lab: Lab, tmp_path: Path) -> None:
    lab("note", "P01", "slept")
    lab.log("P02").with_name("P02.yaml.torn-20261116T093000000000Z").write_bytes(b"torn")
    before = contents(lab.folder.path)
    found = contents(unpack(backed_up(lab), tmp_path / "unpacked"))
    sums = [line.split("  ") for line in found.pop("SHA256SUMS").decode().splitlines()]
    assert found == before
    assert {name: digest for digest, name in sums} == {
        name: hashlib.sha256(raw).hexdigest() for name, raw in found.items()
    }


def test_a_backup_is_an_event_with_its_hash_and_those_whose_answers_it_has(lab: Lab, tmp_path: Path) -> None:
    lab("delete", "P02", "--yes")
    path = backed_up(lab)
    assert re.search(r" files, [1-9]\d* kB\)", lab.out), "no backup has 0.0 MB"
    event = lab.events[-1]
    assert isinstance(event, BackedUp)
    assert event.file == f"backups/{path.name}"
    assert event.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert event.participants == ["P01"]
    assert path.stat().st_mode & 0o777 == 0o600
    for number in range(1, 4):  # in one second, and elsewhere
        assert lab("backup", "--out", str(tmp_path / "disk")) == 0
        assert "another disk" not in lab.out
        assert len(list((tmp_path / "disk").glob("*.zip"))) == number
        assert Path(lab.events[-1].file).parent == tmp_path / "disk"  # type: ignore[union-attr]


def test_sessions_may_go_on_while_they_are_backed_up(lab: Lab, tmp_path: Path) -> None:
    sitting = open_sitting(loaded(lab.folder.path, small()), lab.folder.sessions, "P03")
    try:
        unpacked = unpack(backed_up(lab), tmp_path / "unpacked")
    finally:
        sitting.close()
    assert [event.event for event in log.read(unpacked / "sessions" / "P03.yaml").events] == ["session"]


def test_answers_that_come_back_after_their_deletion_are_noticed_and_in_no_new_backup(
    lab: Lab, tmp_path: Path
) -> None:
    unpacked = unpack(backed_up(lab), tmp_path / "old")
    assert lab("delete", "P01", "--yes") == 0
    shutil.copy(unpacked / "sessions" / "P01.yaml", lab.log("P01"))
    assert lab("status") == 0
    assert "the deletion of P01 was interrupted; to complete it: studyapp delete P01" in lab.err
    assert lab("backup", "--out", str(tmp_path / "disk")) == 0
    assert open_session(lab.log("P01")).state == "deleted"
    (path,) = (tmp_path / "disk").iterdir()
    assert b'"answer"' not in (unpack(path, tmp_path / "new") / "sessions" / "P01.yaml").read_bytes()


def test_a_backup_of_someone_who_is_deleted_meanwhile_is_not_kept(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studyapp.office import backup, deletion

    check = backup._check

    def deleting(*given: object) -> str:
        deletion.delete(lab.folder, "P01")
        return check(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(backup, "_check", deleting)
    assert lab("backup") == 2
    assert "the answers of P01 were deleted while the backup was made; try again" in lab.err
    assert list((lab.folder.path / "backups").iterdir()) == []
    assert "backup" not in lab.names


def test_a_disk_that_does_not_keep_what_is_written_is_noticed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: b"something else")
    assert lab("backup") == 2
    assert "could not be read back as it was written; try another disk (--out)" in lab.err
    assert list((lab.folder.path / "backups").iterdir()) == []


def test_what_is_outside_the_folder_is_named_and_not_backed_up(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_bytes((lab.folder.path / "words.txt").read_bytes())
    lab.folder.file.write_text(lab.folder.file.read_text().replace('"words.txt"', '"../words.txt"'))
    registered(lab, str(tmp_path / "elsewhere"))
    found = contents(unpack(backed_up(lab), tmp_path / "unpacked"))
    assert "not in the backup, because it is outside the study folder: words: ../words.txt" in lab.err
    assert f"outside the study folder: registration: {tmp_path / 'elsewhere'}" in lab.err
    assert not [name for name in found if "registration" in name or "words" in name]


# A damaged log of the study


def damage_log(lab: Lab) -> None:
    lab.folder.log.write_bytes(lab.folder.log.read_bytes().replace(b"asleep", b"awake!"))


def test_a_damaged_log_of_the_study_is_backed_up_as_it_is_and_said_to_be(lab: Lab, tmp_path: Path) -> None:
    registered(lab)
    lab("exclude", "P01", "--reason", "asleep")
    damage_log(lab)
    before = lab.folder.log.read_bytes()
    assert lab("backup") == 1
    assert "in the backup as it is, damaged" in lab.err
    assert "from the newest backup in which it is unchanged" in lab.err
    (path,) = (lab.folder.path / "backups").glob("*.zip")
    unpacked = unpack(path, tmp_path / "unpacked")
    assert (unpacked / "study.log.yaml").read_bytes() == before == lab.folder.log.read_bytes()
    assert (unpacked / "sessions" / "P01.yaml").exists()
    assert (unpacked / "preregistration" / "registration.json").exists()


def test_a_damaged_log_of_the_study_is_recovered_by_the_documented_steps(lab: Lab, tmp_path: Path) -> None:
    lab("exclude", "P01", "--reason", "asleep")
    unchanged = backed_up(lab)
    lab("note", "P02", "later")
    damage_log(lab)
    assert lab("note", "P02", "x") == 2
    assert "put in its place the one from the newest backup in which it is unchanged" in lab.err
    line = int(lab.err.split("line ")[1].split(":")[0])
    damaged = lab.folder.log.with_name("study.log.yaml.damaged")
    lab.folder.log.rename(damaged)
    shutil.copy(unpack(unchanged, tmp_path / "unpacked") / "study.log.yaml", lab.folder.log)
    assert lab.conduct.excluded["P01"].reason == "asleep"
    for command in (["status"], ["note", "P02", "later"], ["backup"]):
        assert lab(*command) == 0, lab.err
    lines = damaged.read_text().splitlines(keepends=True)  # without a backup
    lab.folder.log.write_text("".join(lines[: line - 1]))
    assert lab("status") == 0
    assert lab.names == ["study"]


# Registrations

REGISTERED = ("SHA256SUMS", "preregistration.md", "registration.json", "study.yaml")


def registered(lab: Lab, out: str = "preregistration") -> dict[str, bytes]:
    """Register the study; the files of the registration."""
    assert lab("preregister", "--no-power", "--participants", "2", "--out", out) == 0, lab.err
    return contents(lab.folder.path / out)


def problems(folder: StudyFolder) -> list[list[str]]:
    """What is wrong with each registration of the study, compared with what was registered."""
    return [read_registration(folder, event).problems for event in read_conduct(folder.log).registrations]


def test_a_backup_has_every_registration_and_can_still_be_compared_with_them(
    lab: Lab, tmp_path: Path
) -> None:
    files = registered(lab), registered(lab, "registrations/the second")
    assert all(sorted(each) == sorted(REGISTERED) for each in files)
    (lab.folder.path / "preregistration" / "secret.txt").write_text("not registered")
    unpacked = unpack(backed_up(lab), tmp_path / "elsewhere")
    assert contents(unpacked / "preregistration") == files[0]
    assert contents(unpacked / "registrations/the second") == files[1]
    shutil.rmtree(lab.folder.path)
    assert problems(StudyFolder(unpacked)) == [[], []]
    (unpacked / "preregistration" / "study.yaml").write_text("title: Another\n")
    assert problems(StudyFolder(unpacked)) == [["study.yaml was changed after the registration"], []]
