"""``studyapp backup`` and ``merge``: nothing is lost, and what was deleted stays deleted."""

from __future__ import annotations

import hashlib
import io
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from chains import edited
from hostile import damaged
from study_files import loaded, open_sitting, run, small
from study_folders import Lab, make

from studyapp.office import study_log
from studyapp.office.conduct import read_conduct
from studyapp.office.events import BackedUp, Deleted, Merged, Noted, Preregistered, Unblinded
from studyapp.office.preregistration import read_registration
from studyapp.session import log
from studyapp.session.events import Answered
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


# Merging


def test_the_sessions_and_events_of_another_machine_are_taken(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    other("note", "P31", "came late")
    other("exclude", "P01", "--reason", "slept")
    theirs = contents(other.folder.path)
    lab("note", "P02", "mine")
    assert lab("merge", "../theirs") == 0
    assert "new here: P31" in lab.out
    assert "2 sessions had nothing new" in lab.out
    assert lab.log("P31").read_bytes() == other.log("P31").read_bytes()
    assert set(lab.conduct.notes) == {"P02", "P31"}
    assert set(lab.conduct.excluded) == {"P01"}
    merged = lab.events[-1]
    assert isinstance(merged, Merged)
    assert (merged.participants, merged.events) == (["P31"], 2)
    assert contents(other.folder.path) == theirs, "the other copy stays as it is"


def test_merging_twice_changes_nothing(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    other("note", "P31", "came late")
    lab("merge", "../theirs")
    before = contents(lab.folder.path)
    assert lab("merge", "../theirs") == 0
    assert "0 events added" in lab.out
    assert contents(lab.folder.path) == before


def test_merging_to_and_fro_makes_both_the_same(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    run(loaded(lab.folder.path, small()), lab.folder.sessions, "P03")
    other("note", "P31", "theirs")
    lab("note", "P03", "mine")
    assert lab("merge", "../theirs") == 0
    assert other("merge", "../mine") == 0
    assert contents(lab.folder.sessions) == contents(other.folder.sessions)
    assert lab.conduct.notes == other.conduct.notes


def cut(path: Path, events: int) -> None:
    """Leave only the first events of a log."""
    raw = path.read_bytes().split(b"\n...\n")
    path.write_bytes(b"\n...\n".join(raw[:events]) + b"\n...\n")


def test_the_longer_log_of_a_session_is_taken_and_the_shorter_is_not(lab: Lab, other: Lab) -> None:
    whole = lab.log("P01").read_bytes()
    cut(lab.log("P01"), 6)
    cut(other.log("P02"), 6)
    mine = lab.log("P02").read_bytes()
    assert lab("merge", "../theirs") == 0
    assert "went on there: P01" in lab.out
    assert lab.log("P01").read_bytes() == whole
    assert lab.log("P02").read_bytes() == mine


@pytest.mark.usefixtures("other")
def test_a_torn_event_here_is_kept_beside_the_longer_log(lab: Lab) -> None:
    whole = lab.log("P01").read_bytes()
    cut(lab.log("P01"), 6)
    lab.log("P01").write_bytes(torn := lab.log("P01").read_bytes() + b'--- {"event": "ans')
    assert lab("merge", "../theirs") == 0
    assert lab.log("P01").read_bytes() == whole
    (aside,) = lab.folder.sessions.glob("P01.yaml.torn-*")
    assert aside.read_bytes() == torn


def test_two_different_sessions_under_one_id_are_refused_with_all_that_is_about_them(
    lab: Lab, other: Lab
) -> None:
    other.log("P01").unlink()
    run(loaded(other.folder.path, small()), other.folder.sessions, "P01", kind="naive")
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    other("exclude", "P01", "--reason", "slept")
    other("note", "P31", "came late")
    mine = lab.log("P01").read_bytes()
    assert lab("merge", "../theirs") == 1
    assert "studyapp: P01: two different sessions have this ID" in lab.err
    assert lab.log("P01").read_bytes() == mine
    assert lab.log("P31").exists(), "the others are taken"
    assert lab.conduct.excluded == {}, "it was somebody else who slept"
    assert set(lab.conduct.notes) == {"P31"}


def test_a_session_that_went_on_in_both_copies_is_refused(lab: Lab, other: Lab) -> None:
    raw = other.log("P01").read_bytes()
    answered = [isinstance(event, Answered) for event in log.read(other.log("P01")).events].index(True)
    other.log("P01").write_bytes(edited(raw, answered, rt_ms=1.0, first_choice_ms=1.0, last_choice_ms=1.0))
    mine = lab.log("P01").read_bytes()
    assert lab("merge", "../theirs") == 1
    assert "P01: the session was continued in both copies; neither was changed" in lab.err
    assert lab.log("P01").read_bytes() == mine


def test_ids_that_differ_only_in_case_are_refused(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "p02x")
    run(loaded(lab.folder.path, small()), lab.folder.sessions, "P02X")
    assert lab("merge", "../theirs") == 1
    assert "p02x: the log there was not taken: P02X is here" in lab.err
    assert "the IDs differ only in upper and lower case" in lab.err


@pytest.mark.parametrize("backup", [False, True])
def test_what_was_deleted_there_is_deleted_here(lab: Lab, other: Lab, backup: bool) -> None:
    aside = lab.log("P01").with_name("P01.yaml.torn-20261116T093000000000Z")
    aside.write_bytes(b"answers")
    other("delete", "P01", "--yes", "--reason", "asked")
    source = str(backed_up(other)) if backup else "../theirs"
    assert lab("merge", source) == 0
    assert "deleted there, and now here: P01" in lab.out
    assert open_session(lab.log("P01")).state == "deleted"
    assert not aside.exists()
    assert lab.conduct.deleted["P01"].reason == "asked"


def test_a_merge_lists_what_still_has_answers_that_were_deleted_there(lab: Lab, other: Lab) -> None:
    path = backed_up(lab)
    for _ in range(2):
        assert lab("export", "--force") == 0
    other("delete", "P01", "--yes")
    assert lab("merge", "../theirs") == 0
    assert "These still have answers of P01" in lab.out
    assert lab.out.count(f"  backups/{path.name} (a backup of ") == 1
    assert lab.out.count("  export (an export of ") == 1, "the second has replaced the first"
    assert lab("merge", "../theirs") == 0
    assert "still have" not in lab.out


def test_what_was_deleted_here_does_not_come_back(lab: Lab, other: Lab) -> None:
    path = backed_up(other)
    aside = other.log("P01").with_name("P01.yaml.torn-20261116T093000000000Z")
    aside.write_bytes(b"answers")
    lab("delete", "P01", "--yes")
    for source in ("../theirs", str(path)):
        assert lab("merge", source) == 0
        assert open_session(lab.log("P01")).state == "deleted"
        assert not lab.log("P01").with_name(aside.name).exists()


def test_what_was_deleted_and_removed_here_does_not_come_back(lab: Lab, other: Lab) -> None:
    lab.log("P01").write_bytes(b"")
    lab("delete", "P01", "--yes")
    assert lab("merge", "../theirs") == 1
    assert "P01: the answers were deleted here, so the log there was not taken" in lab.err
    assert "delete them there too" in lab.err
    assert not lab.log("P01").exists()
    assert other("merge", "../mine") == 1
    assert "if the log here is of the same participant: studyapp delete P01" in other.err
    assert open_session(other.log("P01")).state == "finished"


def test_a_deletion_of_another_session_under_the_same_id_deletes_nothing(lab: Lab, other: Lab) -> None:
    other.log("P01").unlink()
    run(loaded(other.folder.path, small()), other.folder.sessions, "P01", kind="naive")
    other("delete", "P01", "--yes")
    mine = lab.log("P01").read_bytes()
    assert lab("merge", "../theirs") == 1
    assert lab.log("P01").read_bytes() == mine
    assert lab.conduct.deleted == {}


def test_lost_and_damaged_logs_are_restored_from_a_backup(lab: Lab) -> None:
    path = backed_up(lab)
    whole = {name: lab.log(name).read_bytes() for name in ("P01", "P02")}
    lab.log("P01").unlink()
    lab.log("P02").write_bytes(bad := whole["P02"].replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert lab("merge", str(path)) == 0
    assert "new here: P01" in lab.out
    assert "damaged here, and restored: P02" in lab.out
    assert {name: lab.log(name).read_bytes() for name in whole} == whole
    (aside,) = lab.folder.sessions.glob("P02.yaml.damaged-*")
    assert aside.read_bytes() == bad


def test_a_damaged_log_there_is_refused_and_named(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    raw = other.log("P31").read_bytes()
    other.log("P31").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert lab("merge", "../theirs") == 1
    assert "P31: ../theirs/P31.yaml, line" in lab.err
    assert not lab.log("P31").exists()


def test_an_open_session_is_not_replaced(lab: Lab, other: Lab) -> None:
    sitting = open_sitting(loaded(lab.folder.path, small()), lab.folder.sessions, "P03")
    try:
        shutil.copy(lab.log("P03"), other.log("P03"))
        mine = lab.log("P03").read_bytes()
        assert lab("merge", "../theirs") == 0
        run(loaded(other.folder.path, small()), other.folder.sessions, "P03")
        assert lab("merge", "../theirs") == 1
        assert "P03: " in lab.err
        assert "this session is already open" in lab.err
        assert lab.log("P03").read_bytes() == mine
    finally:
        sitting.close()


def test_two_merges_at_once_lose_nothing(lab: Lab, other: Lab) -> None:
    for number in range(31, 35):
        run(loaded(other.folder.path, small()), other.folder.sessions, f"P{number}")
    python = [sys.executable, "-m", "studyapp.cli", "merge", "../theirs"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    merges = [
        subprocess.Popen(python, cwd=lab.folder.path, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert {merge.wait() for merge in merges} <= {0, 1}
    assert lab("merge", "../theirs") == 0
    assert contents(lab.folder.sessions) == contents(other.folder.sessions)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed: 7", "seed: 8", "  seed: 8 there, 7 here"),
        ("questions: 2", "questions: 3", "  questions: 3 there, 2 here"),
        ("teacher: naive", "teacher: mixture\n    beta: 3", "  models: not the same as there"),
        ("plain:", "newmodel:", "  models: not the same as there"),
    ],
)
def test_another_study_is_refused_with_the_difference_and_without_naming_a_model(
    lab: Lab, other: Lab, old: str, new: str, said: str
) -> None:
    other.folder.file.write_text(other.folder.file.read_text().replace(old, new))
    run(loaded(lab.folder.path, small()), other.folder.sessions, "P31")
    before = contents(lab.folder.path)
    assert lab("merge", "../theirs") == 2
    assert said in lab.err.splitlines()
    assert not {"plain", "both", "newmodel", "naive", "mixture"} & set(lab.err.replace(":", " ").split())
    assert contents(lab.folder.path) == before


def test_settings_that_do_not_matter_may_differ(lab: Lab, other: Lab) -> None:
    other.folder.file.write_text(other.folder.file.read_text().replace("A small study", "Another title"))
    assert lab("merge", "../theirs") == 0
    assert "these settings differ, and stay as they are here: title" in lab.out


def test_other_words_are_another_study(lab: Lab, other: Lab) -> None:
    words = other.folder.path / "words.txt"
    words.write_text(words.read_text().replace("tea 1 0 1", "tea 1 0 2"))
    assert lab("merge", "../theirs") == 2
    assert "words: words.txt is not the same file" in lab.err


def test_an_unblinding_there_is_one_here_and_is_said(lab: Lab, other: Lab) -> None:
    study_log.append(other.folder.log, Unblinded("done", 2, 0))
    assert lab("merge", "../theirs") == 0
    assert "the study was unblinded there on" in lab.out
    assert lab.conduct.unblinded is not None


def test_the_folder_itself_and_what_is_no_copy_are_refused(lab: Lab, tmp_path: Path) -> None:
    assert lab("merge", ".") == 2
    assert "this is the study folder itself" in lab.err
    assert lab("merge", "sessions") == 2
    (tmp_path / "empty").mkdir()
    assert lab("merge", "../empty") == 2
    assert "this is not a study folder" in lab.err
    (tmp_path / "file.zip").write_text("no archive")
    assert lab("merge", "../file.zip") == 2
    assert "nor a backup that can be read" in lab.err
    assert lab("merge", "../missing") == 2
    assert "there is no such file" in lab.err


def _damage_log(lab: Lab) -> None:
    lab.folder.log.write_bytes(lab.folder.log.read_bytes().replace(b"asleep", b"awake!"))


def test_a_damaged_log_of_the_study_is_backed_up_as_it_is_and_said_to_be(lab: Lab) -> None:
    lab("exclude", "P01", "--reason", "asleep")
    _damage_log(lab)
    before = lab.folder.log.read_bytes()
    assert lab("backup") == 1
    assert "in the backup as it is, damaged" in lab.err
    assert "studyapp merge COPY" in lab.err
    (path,) = (lab.folder.path / "backups").glob("*.zip")
    with zipfile.ZipFile(path) as archive:
        assert archive.read("mine/study.log.yaml") == before
        assert "mine/sessions/P01.yaml" in archive.namelist()
    assert lab.folder.log.read_bytes() == before


@pytest.mark.parametrize("source", ["a backup", "another machine"])
def test_a_damaged_log_of_the_study_is_recovered_by_the_documented_steps(
    lab: Lab, other: Lab, source: str
) -> None:
    lab("exclude", "P01", "--reason", "asleep")
    unchanged = backed_up(lab)
    other("merge", str(unchanged))
    lab("note", "P02", "later")
    _damage_log(lab)
    assert lab("note", "P02", "x") == 2
    assert "a backup in backups/ or another machine's folder: studyapp merge COPY" in lab.err
    assert lab("backup") == 1
    damaged_copy = max((lab.folder.path / "backups").glob("*.zip"), key=lambda path: path.stat().st_mtime_ns)
    lab.folder.log.rename(lab.folder.log.with_name("study.log.yaml.damaged"))
    assert lab("merge", str(damaged_copy)) == 2
    assert "nothing was merged; merge another copy" in lab.err
    assert lab("merge", str(unchanged if source == "a backup" else other.folder.path)) == 0
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


def test_a_damaged_log_of_the_other_study_merges_nothing(lab: Lab, other: Lab) -> None:
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    other("note", "P31", "one")
    other.folder.log.write_bytes(other.folder.log.read_bytes().replace(b'"one"', b'"two"'))
    before = contents(lab.folder.path)
    assert lab("merge", "../theirs") == 2
    assert "was changed after it was written" in lab.err
    assert contents(lab.folder.path) == before


def test_a_damaged_backup_is_refused_or_read_right(lab: Lab, other: Lab) -> None:
    """Whatever happens to the file, no log that was not backed up gets in."""
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    path = backed_up(other)
    good, whole = path.read_bytes(), other.log("P31").read_bytes()
    chance = random.Random(15)
    codes = set()
    for _ in range(60):
        path.write_bytes(damaged(good, chance))
        codes.add(code := lab("merge", str(path)))
        assert code in (0, 1, 2)
        if lab.log("P31").exists():
            assert lab.log("P31").read_bytes() == whole
            lab.log("P31").unlink()
    assert 2 in codes


def test_an_archive_that_would_write_elsewhere_writes_nothing(lab: Lab, other: Lab, tmp_path: Path) -> None:
    good = zipfile.ZipFile(io.BytesIO(backed_up(other).read_bytes()))
    files = {name.removeprefix("theirs/"): good.read(name) for name in good.namelist()}
    files |= {"sessions/../../../evil.yaml": b"evil", "sessions/sub/P77.yaml": b"evil", "/etc/evil": b"evil"}
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in files.items():
            archive.writestr(f"theirs/{name}", raw)
    before = set(contents(tmp_path))
    assert lab("merge", str(path)) == 0
    assert set(contents(tmp_path)) == before


def test_notes_are_not_lost_when_two_machines_take_them_at_once(lab: Lab, other: Lab) -> None:
    for number in range(3):
        lab("note", "P01", f"mine {number}")
        other("note", "P01", f"theirs {number}")
    lab("merge", "../theirs")
    texts = [event.text for event in lab.events if isinstance(event, Noted)]
    assert sorted(texts) == [*(f"mine {n}" for n in range(3)), *(f"theirs {n}" for n in range(3))]
    assert [note.text for note in lab.conduct.notes["P01"]] == [
        f"{who} {n}" for n in range(3) for who in ("mine", "theirs")
    ]


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


@pytest.mark.parametrize("backup", [False, True])
def test_a_merge_brings_a_missing_registration_over(lab: Lab, other: Lab, backup: bool) -> None:
    files = registered(other)
    source = str(backed_up(other)) if backup else "../theirs"
    assert lab("merge", source) == 0
    assert "registration taken: preregistration" in lab.out
    assert contents(lab.folder.path / "preregistration") == files
    assert problems(lab.folder) == [[]]
    before = contents(lab.folder.path)
    assert lab("merge", source) == 0
    assert "registration" not in lab.out
    assert contents(lab.folder.path) == before


def test_a_lost_registration_is_restored_from_a_backup(lab: Lab) -> None:
    files = registered(lab)
    path = backed_up(lab)
    shutil.rmtree(lab.folder.path / "preregistration")
    assert lab("merge", str(path)) == 0
    assert contents(lab.folder.path / "preregistration") == files


@pytest.mark.parametrize("here", ["another registration", "an edited one", "an empty folder", "a file"])
def test_a_merge_never_overwrites_a_registration(lab: Lab, other: Lab, here: str) -> None:
    registered(other)
    mine = lab.folder.path / "preregistration"
    if here == "another registration":
        registered(lab)
    elif here == "an edited one":
        lab("merge", "../theirs")
        (mine / "preregistration.md").write_text("edited")
        (mine / "registration.json").unlink()
    elif here == "an empty folder":
        mine.mkdir()
    else:
        mine.write_text("a file")
    before = mine.read_text() if mine.is_file() else contents(mine)
    assert lab("merge", "../theirs") == 0
    assert (mine.read_text() if mine.is_file() else contents(mine)) == before


def test_a_registration_that_was_edited_there_is_not_taken(lab: Lab, other: Lab) -> None:
    registered(other)
    (other.folder.path / "preregistration" / "preregistration.md").write_text("edited")
    run(loaded(other.folder.path, small()), other.folder.sessions, "P31")
    assert lab("merge", "../theirs") == 1
    assert "the registration preregistration was not taken: its files there are not as they were" in lab.err
    assert not (lab.folder.path / "preregistration").exists()
    assert lab.log("P31").exists(), "everything else is taken"


def claimed(lab: Lab, name: str, place: Path) -> tuple[Path, Path]:
    """Copies of the study whose log has a registration in a folder of this name: a folder, and a ZIP.

    Its files are in the ZIP in any case, and beside the folder if the name can be one there.
    """
    files = {file: f"the {file} of somebody else".encode() for file in REGISTERED}
    sums = {file: hashlib.sha256(raw).hexdigest() for file, raw in files.items()}
    shutil.copytree(lab.folder.path, place)
    study_log.append(place / "study.log.yaml", Preregistered(name, sums, 2, 0))
    members = contents(place)
    if name not in (".", "nul\0"):  # which a ZIP can't have, or not beside the others
        members |= {f"{name}/{file}": raw for file, raw in files.items()}
    if name in INSIDE or name.startswith(".."):  # and never by a name that starts at the root
        (place / name).mkdir(parents=True, exist_ok=True)
        for file, raw in files.items():
            (place / name / file).write_bytes(raw)
    lines = [f"{hashlib.sha256(raw).hexdigest()}  {member}\n" for member, raw in members.items()]
    archive = place.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as opened:
        for member, raw in [*members.items(), ("SHA256SUMS", "".join(lines).encode())]:
            opened.writestr(f"theirs/{member}", raw)
    return place, archive


INSIDE = ("a/../../x", "./../x", "link/x", "link/a/x", "link", "loop/x")
HOSTILE = ("../x", "..", ".", "/", "{outside}/x", "//x", "study.yaml/x", "sessions", "y" * 300, "nul\0")


@pytest.mark.parametrize("backup", [False, True])
@pytest.mark.parametrize("name", [*INSIDE, *HOSTILE])
def test_a_registration_with_a_hostile_name_writes_nothing_outside_the_folder(
    lab: Lab, tmp_path: Path, name: str, backup: bool
) -> None:
    """The name comes from the log of the other copy, and its files are there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    run(loaded(lab.folder.path, small()), lab.folder.sessions, "P31")
    theirs = claimed(lab, name.format(outside=outside), tmp_path / "far" / "away" / "theirs")
    lab.log("P31").unlink()
    (lab.folder.path / "link").symlink_to(outside)
    (lab.folder.path / "loop").symlink_to("loop")
    before, mine = set(tmp_path.rglob("*")), contents(lab.folder.path)
    assert lab("merge", str(theirs[backup])) in (0, 1), lab.err
    assert set(tmp_path.rglob("*")) == before | {lab.log("P31")}, "everything else is taken, and no more"
    assert contents(lab.folder.path).keys() == mine.keys() | {"sessions/P31.yaml"}
    if name in ("link/x", "link/a/x"):
        assert "a part of its name is a link" in lab.err
