"""``studyapp backup`` and ``merge``: nothing is lost, and what was deleted stays deleted."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small
from study_folders import Lab, make

from studyapp.office import study_log
from studyapp.office.conduct import read_conduct
from studyapp.office.events import BackedUp, Deleted
from studyapp.office.preregistration import read_registration
from studyapp.session import log
from studyapp.session.saved import open_session
from studyapp.study.folder import StudyFolder

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02"), capsys)


@pytest.fixture
def other(lab: Lab, tmp_path: Path, capsys: Capture) -> Lab:
    """The folder on another machine, as it was copied there."""
    shutil.copytree(lab.folder.path, tmp_path / "theirs")
    return Lab(StudyFolder(tmp_path / "theirs"), capsys)


def backed_up(lab: Lab) -> Path:
    assert lab("backup") == 0
    return max((lab.folder.path / "backups").glob("*.zip"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Backups


def test_a_backup_is_the_study_folder_with_the_hash_of_every_file(lab: Lab, tmp_path: Path) -> None:
    lab("note", "P01", "slept")
    aside = lab.log("P02").with_name("P02.yaml.torn-20261116T093000000000Z")
    aside.write_bytes(b"torn")
    before = contents(lab.folder.path)
    path = backed_up(lab)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked" / "mine"
    found = contents(unpacked)
    sums = found.pop("SHA256SUMS").decode()
    assert found == before
    assert sums == "".join(
        f"{hashlib.sha256(raw).hexdigest()}  {name}\n" for name, raw in _sorted(found, sums)
    )
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=unpacked, check=True)


def _sorted(found: dict[str, bytes], sums: str) -> list[tuple[str, bytes]]:
    return [(name, found[name]) for name in (line.split("  ")[1] for line in sums.splitlines())]


def test_a_backup_is_an_event_with_its_hash_and_those_whose_answers_it_has(lab: Lab) -> None:
    lab("delete", "P02", "--yes")
    path = backed_up(lab)
    assert re.search(r" files, [1-9]\d* kB\)", lab.out), "no backup has 0.0 MB"
    event = lab.events[-1]
    assert isinstance(event, BackedUp)
    assert event.file == f"backups/{path.name}"
    assert event.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert event.participants == ["P01"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_backup_elsewhere_is_named_in_full(lab: Lab, tmp_path: Path) -> None:
    assert lab("backup", "--out", str(tmp_path / "disk")) == 0
    assert "another disk" not in lab.out
    event = lab.events[-1]
    assert isinstance(event, BackedUp)
    assert Path(event.file).parent == tmp_path / "disk"


def test_two_backups_in_a_second_have_two_names(lab: Lab) -> None:
    for _ in range(3):
        backed_up(lab)
    assert len(list((lab.folder.path / "backups").glob("*.zip"))) == 3


def test_sessions_may_go_on_while_they_are_backed_up(lab: Lab, tmp_path: Path) -> None:
    study = loaded(lab.folder.path, small())
    sitting = open_sitting(study, lab.folder.sessions, "P03")
    try:
        path = backed_up(lab)
    finally:
        sitting.close()
    with zipfile.ZipFile(path) as archive:
        (tmp_path / "P03.yaml").write_bytes(archive.read("mine/sessions/P03.yaml"))
    assert open_session(tmp_path / "P03.yaml").state == "incomplete"


def test_a_deletion_that_was_interrupted_is_completed_before_a_backup(lab: Lab) -> None:
    head = log.read_head(lab.log("P01"))
    assert head is not None
    study_log.append(lab.folder.log, Deleted("P01", 3, head.chain))
    path = backed_up(lab)
    assert open_session(lab.log("P01")).state == "deleted"
    with zipfile.ZipFile(path) as archive:
        assert b'"answer"' not in archive.read("mine/sessions/P01.yaml")


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


def test_words_outside_the_folder_are_named(tmp_path: Path, capsys: Capture) -> None:
    lab = Lab(make(tmp_path / "mine"), capsys)
    (tmp_path / "words.txt").write_bytes((lab.folder.path / "words.txt").read_bytes())
    lab.folder.file.write_text(lab.folder.file.read_text().replace('"words.txt"', '"../words.txt"'))
    assert lab("backup") == 0
    assert "not in the backup, because it is outside the study folder: words: ../words.txt" in lab.err


# A damaged log of the study


def _damage_log(lab: Lab) -> None:
    lab.folder.log.write_bytes(lab.folder.log.read_bytes().replace(b"asleep", b"awake!"))


def test_a_damaged_log_of_the_study_is_backed_up_as_it_is_and_said_to_be(lab: Lab) -> None:
    lab("exclude", "P01", "--reason", "asleep")
    _damage_log(lab)
    before = lab.folder.log.read_bytes()
    assert lab("backup") == 1
    assert "in the backup as it is, damaged" in lab.err
    assert "from the newest backup in which it is unchanged" in lab.err
    (path,) = (lab.folder.path / "backups").glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        assert archive.read("mine/study.log.yaml") == before
        assert "mine/sessions/P01.yaml" in archive.namelist()
    assert lab.folder.log.read_bytes() == before


def test_a_damaged_log_of_the_study_is_recovered_by_the_documented_steps(lab: Lab, tmp_path: Path) -> None:
    lab("exclude", "P01", "--reason", "asleep")
    unchanged = backed_up(lab)
    lab("note", "P02", "later")
    _damage_log(lab)
    assert lab("note", "P02", "x") == 2
    assert "put in its place the one from the newest backup in which it is unchanged" in lab.err
    assert lab("backup") == 1
    lab.folder.log.rename(lab.folder.log.with_name("study.log.yaml.damaged"))
    with zipfile.ZipFile(unchanged) as archive:
        archive.extractall(tmp_path / "unpacked")
    shutil.copy(tmp_path / "unpacked" / "mine" / "study.log.yaml", lab.folder.log)
    assert lab.conduct.excluded["P01"].reason == "asleep"
    for command in (["status"], ["note", "P02", "later"], ["backup"]):
        assert lab(*command) == 0, lab.err


def test_without_a_copy_the_events_before_the_damage_are_kept(lab: Lab) -> None:
    lab("note", "P02", "first")
    lab("exclude", "P01", "--reason", "asleep")
    _damage_log(lab)
    assert lab("status") == 2
    line = int(lab.err.split("line ")[1].split(":")[0])
    lines = lab.folder.log.read_text().splitlines(keepends=True)
    lab.folder.log.write_text("".join(lines[: line - 1]))
    assert lab("status") == 0
    assert [note.text for note in lab.conduct.notes["P02"]] == ["first"]
    assert not lab.conduct.excluded


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
    with zipfile.ZipFile(backed_up(lab)) as archive:
        archive.extractall(tmp_path / "elsewhere")
    unpacked = tmp_path / "elsewhere" / "mine"
    assert contents(unpacked / "preregistration") == files[0]
    assert contents(unpacked / "registrations/the second") == files[1]
    shutil.rmtree(lab.folder.path)
    assert problems(StudyFolder(unpacked)) == [[], []]
    (unpacked / "preregistration" / "study.yaml").write_text("title: Another\n")
    assert problems(StudyFolder(unpacked)) == [["study.yaml was changed after the registration"], []]


def test_a_backup_has_only_the_files_of_a_registration(lab: Lab) -> None:
    registered(lab)
    (lab.folder.path / "preregistration" / "secret.txt").write_text("not registered")
    with zipfile.ZipFile(backed_up(lab)) as archive:
        names = [name for name in archive.namelist() if name.startswith("mine/preregistration/")]
    assert sorted(names) == [f"mine/preregistration/{name}" for name in REGISTERED]


def test_a_registration_outside_the_folder_is_named_and_not_backed_up(lab: Lab, tmp_path: Path) -> None:
    registered(lab, str(tmp_path / "elsewhere"))
    path = backed_up(lab)
    assert f"outside the study folder: registration: {tmp_path / 'elsewhere'}" in lab.err
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if "registration" in name]


def test_a_damaged_log_still_leaves_the_registration_in_its_backup(lab: Lab) -> None:
    registered(lab)
    lab("exclude", "P01", "--reason", "asleep")
    _damage_log(lab)
    assert lab("backup") == 1
    (path,) = (lab.folder.path / "backups").glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        assert "mine/preregistration/registration.json" in archive.namelist()
