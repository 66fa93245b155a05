"""``studyapp note``, ``exclude``, ``delete``: what is decided about a participant is in the study's log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small
from study_folders import Lab, make

from studyapp.cli import main
from studyapp.office import deletion, study_log
from studyapp.office.deletion import interrupted
from studyapp.office.events import (
    BackedUp,
    Deleted,
    Excluded,
    Exported,
    Included,
    Noted,
    StudyChanged,
    Unblinded,
)
from studyapp.session import log
from studyapp.session.events import Answered, Withdrawn
from studyapp.session.log import Log
from studyapp.session.saved import open_session

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02"), capsys)


# Notes


def test_a_note_is_in_the_studys_log_and_nowhere_else(lab: Lab) -> None:
    before = lab.log("P01").read_bytes()
    assert lab("note", "P01", "wore", "gloves") == 0
    assert lab.out == "Note about P01 saved: wore gloves\n"
    note = lab.events[-1]
    assert isinstance(note, Noted)
    assert (note.participant, note.text) == ("P01", "wore gloves")
    assert lab.log("P01").read_bytes() == before


def test_notes_are_listed_without_a_text(lab: Lab) -> None:
    assert lab("note", "P01") == 0
    assert "no notes about P01" in lab.out
    lab("note", "P01", "--", "--odd")
    lab("note", "P01", "second")
    assert lab("note", "P01") == 0
    first, second = lab.out.splitlines()
    assert first.endswith("--odd")
    assert second.endswith("second")


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[2J", "", "x" * 2001])
def test_a_note_that_could_not_be_shown_is_refused(lab: Lab, text: str) -> None:
    assert lab("note", "P01", text) == 2
    assert lab.err.startswith("studyapp: ")
    assert lab.err.count("\n") == 1
    assert lab.names == ["study"]


# Who


@pytest.mark.parametrize("command", [["note", "x"], ["exclude", "--reason", "x"], ["delete", "--yes"]])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("P03", "did you mean"),
        ("p01", "did you mean 'P01'"),
        ("Q99", "known: P01, P02"),
        ("../P01", "use 1 to 64"),
    ],
)
def test_a_participant_who_is_not_there_is_refused(
    lab: Lab, command: list[str], given: str, said: str
) -> None:
    assert lab(command[0], given, *command[1:]) == 2
    assert said in lab.err
    assert lab.names == ["study"]


@pytest.mark.parametrize(
    "command", [["note", "P01", "x"], ["exclude", "P01", "--reason=x"], ["delete", "P01"]]
)
def test_outside_a_study_folder_a_command_says_where_to_go(
    command: list[str], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    assert "go to a study folder, or name one with --in DIR" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["", "sessions"])
def test_a_study_folder_can_be_named(lab: Lab, place: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["note", "P01", "x", "--in", str(tmp_path / "mine" / place)]) == 0
    assert capsys.readouterr().out == "Note about P01 saved: x\n"
    assert lab.names == ["study", "note"]


# Exclusions


def test_an_exclusion_is_made_and_undone_openly(lab: Lab) -> None:
    assert lab("exclude", "P01", "--reason", "slept") == 0
    assert lab.out == "P01 is excluded from the analysis: slept\n"
    assert list(lab.conduct.excluded) == ["P01"]
    assert lab("exclude", "P01", "--undo", "--reason", "it was P02") == 0
    assert lab.conduct.excluded == {}
    kinds = [type(event) for event in lab.conduct.decisions]
    assert kinds == [Excluded, Included]


def test_an_exclusion_says_whether_the_study_had_been_unblinded(lab: Lab) -> None:
    lab("exclude", "P01", "--reason", "slept")
    study_log.append(lab.folder.log, Unblinded("done", 2, 0))
    assert lab("exclude", "P02", "--reason", "slept") == 0
    assert "was already unblinded" in lab.out
    assert [event.unblinded for event in lab.conduct.decisions] == [False, True]


def test_only_an_exclusion_can_be_undone(lab: Lab) -> None:
    assert lab("exclude", "P01", "--undo", "--reason", "no") == 2
    assert "nothing to undo" in lab.err
    assert lab.names == ["study"]


# Deletions


def test_a_finished_session_becomes_a_tombstone(lab: Lab) -> None:
    answers = sum(isinstance(event, Answered) for event in log.read(lab.log("P01")).events)
    assert lab("delete", "P01", "--yes", "--reason", "asked for it") == 0
    assert lab.out.startswith(f"Deleted {answers} answers of P01. sessions/P01.yaml keeps only its first ")
    _, withdrawn = log.read(lab.log("P01")).events
    assert isinstance(withdrawn, Withdrawn)
    assert (withdrawn.data, withdrawn.by, withdrawn.answers) == ("deleted", "experimenter", answers)
    assert open_session(lab.log("P01")).state == "deleted"
    deleted = lab.events[-1]
    assert isinstance(deleted, Deleted)
    assert (deleted.participant, deleted.answers, deleted.reason) == ("P01", answers, "asked for it")
    assert b'"answer"' not in lab.log("P01").read_bytes()
    assert lab("status") == 0
    assert "1 deleted" in lab.out


def test_a_tombstone_is_verified_and_exported(lab: Lab) -> None:
    lab("delete", "P01", "--yes")
    assert lab("verify") == 0
    assert lab("export", "--out", "tables") == 0


def test_an_unfinished_session_is_deleted_too(lab: Lab, tmp_path: Path) -> None:
    open_sitting(loaded(tmp_path / "mine", small()), lab.folder.sessions, "P03").close()
    assert lab("delete", "P03", "--yes") == 0
    assert lab.out.startswith("Deleted 0 answers of P03. ")


def test_deleting_twice_says_so_and_adds_no_event(lab: Lab) -> None:
    lab("delete", "P01", "--yes")
    before, raw = lab.names, lab.log("P01").read_bytes()
    assert lab("delete", "P01", "--yes") == 0
    assert "were already deleted on" in lab.out
    assert (lab.names, lab.log("P01").read_bytes()) == (before, raw)


def test_files_set_aside_are_removed(lab: Lab) -> None:
    for kind in ("torn", "damaged"):
        lab.log("P01").with_name(f"P01.yaml.{kind}-20261116T093000000000Z").write_bytes(b"answers")
    other = lab.log("P02").with_name("P02.yaml.torn-20261116T093000000000Z")
    other.write_bytes(b"answers")
    assert lab("delete", "P01", "--yes") == 0
    assert sorted(path.name for path in lab.folder.sessions.iterdir()) == ["P01.yaml", "P02.yaml", other.name]


def test_without_a_terminal_a_deletion_needs_yes(lab: Lab) -> None:
    before = lab.log("P01").read_bytes()
    assert lab("delete", "P01") == 2
    assert "add --yes" in lab.err
    assert lab.log("P01").read_bytes() == before


def test_an_open_session_is_not_deleted(lab: Lab, tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path / "mine", small()), lab.folder.sessions, "P03")
    try:
        before = lab.log("P03").read_bytes()
        assert lab("delete", "P03", "--yes") == 2
        assert "this session is already open" in lab.err
        assert lab.log("P03").read_bytes() == before
        assert lab.names == ["study"]
    finally:
        sitting.close()


def test_a_log_that_is_damaged_after_its_head_becomes_a_tombstone(lab: Lab) -> None:
    raw = lab.log("P01").read_bytes()
    lab.log("P01").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert lab("delete", "P01", "--yes") == 0
    assert lab.out.startswith("Deleted all answers of P01. ")
    assert open_session(lab.log("P01")).state == "deleted"
    assert lab.conduct.deleted["P01"].answers is None


@pytest.mark.parametrize(
    "raw", [b"", b"\0" * 4096, b"just: notes\n...\n", b"---\nevent: session\nschema: 1\n...\n"]
)
def test_a_log_without_a_head_is_removed(lab: Lab, raw: bytes) -> None:
    lab.log("P01").write_bytes(raw)
    assert lab("delete", "P01", "--yes") == 0
    assert "could not be read, and was removed" in lab.out
    assert not lab.log("P01").exists()
    assert lab.conduct.deleted["P01"].head is None
    assert lab("delete", "P01", "--yes") == 0
    assert "were already deleted on" in lab.out


def test_another_participants_log_under_this_name_is_not_deleted(lab: Lab) -> None:
    lab.log("P01").write_bytes(lab.log("P02").read_bytes())
    assert lab("delete", "P01", "--yes") == 2
    assert "this is the log of P02, but the file is not named P02.yaml" in lab.err
    assert lab.names == ["study"]


def test_it_names_whatever_still_has_the_answers_and_the_notes_that_stay(lab: Lab) -> None:
    study_log.append(
        lab.folder.log,
        BackedUp("backups/one.zip", "0" * 64, ["P01", "P02"]),
        BackedUp("backups/two.zip", "0" * 64, ["P02"]),
        Exported("export", True, ["P01"], host="the-other-machine"),
    )
    lab("note", "P01", "slept")
    assert lab("delete", "P01", "--yes") == 0
    assert "  backups/one.zip (a backup of " in lab.out
    assert "two.zip" not in lab.out
    assert "  export (an export of " in lab.out
    assert ", on the-other-machine)" in lab.out
    assert "1 note about P01 stays in study.log.yaml" in lab.out


def test_a_full_disk_deletes_nothing_or_everything(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is on disk, the log is not erased: the next attempt completes it, without a second event."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Log, "_write_part", full)
        patched.setattr(Log, "_erase_in_place", full)
        assert lab("delete", "P01", "--yes") == 2
    assert "the disk is full" in lab.err
    assert interrupted(lab.folder, lab.conduct) == ["P01"]
    assert lab("status") == 0
    assert "was interrupted; to complete it: studyapp delete P01" in lab.err
    assert lab("delete", "P01", "--yes") == 0
    assert lab.names == ["study", "delete"]
    assert interrupted(lab.folder, lab.conduct) == []


KILLED = """
import os, sys
from pathlib import Path
from studyapp.base import disk
from studyapp.office import deletion, study_log
from studyapp.session import log
from studyapp.study.folder import StudyFolder

left = int(sys.argv[2])

def deadly(function):
    def called(*given, **named):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return function(*given, **named)
    return called

for name in ("write", "fsync", "ftruncate", "unlink", "open"):
    setattr(os, name, deadly(getattr(os, name)))
Path.replace = deadly(Path.replace)
Path.unlink = deadly(Path.unlink)
deletion.delete(StudyFolder(Path(sys.argv[1])), "P01")
"""


def test_killed_at_any_moment_the_answers_are_deleted_or_the_next_command_says_so(
    tmp_path: Path, capsys: Capture
) -> None:
    outcomes = set()
    for moment in range(40):
        folder = make(tmp_path / str(moment), "P01")
        aside = folder.sessions / "P01.yaml.torn-20261116T093000000000Z"
        aside.write_bytes(b"answers")
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(folder.path), str(moment)],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
            check=False,
        )
        lab = Lab(folder, capsys)
        decided = "P01" in lab.conduct.deleted
        whole = open_session(lab.log("P01")).state == "finished"
        outcomes.add((decided, whole))
        assert decided or whole, "answers are gone, and nothing says so"
        if decided and whole:
            assert interrupted(folder, lab.conduct) == ["P01"]
        deletion.complete(folder)
        if decided:
            assert open_session(lab.log("P01")).state == "deleted"
            assert lab("delete", "P01", "--yes") == 0
            assert lab.names.count("delete") == 1
        if done.returncode == 0:
            break
    assert outcomes == {(False, True), (True, True), (True, False)}


def test_the_study_file_that_was_changed_is_an_event_with_the_names_of_its_settings(lab: Lab) -> None:
    text = lab.folder.file.read_text().replace("title: A small study", "title: A study")
    lab.folder.file.write_text(text.replace("teacher: naive", "teacher: mixture\n    beta: 3"))
    lab("note", "P01", "one")
    lab("note", "P01", "two")
    assert lab.names == ["study", "study", "note", "note"]
    change = lab.events[1]
    assert isinstance(change, StudyChanged)
    assert change.settings == ["title", "models"]
    assert "plain" not in lab.folder.log.read_text()


def test_a_study_file_with_faults_keeps_nobody_from_taking_notes(lab: Lab) -> None:
    lab.folder.file.write_text(lab.folder.file.read_text() + "nonsense: 1\nseed: x\n")
    lab.folder.file.write_text(lab.folder.file.read_text().replace("seed: 7\n", ""))
    assert lab("note", "P01", "one") == 0
    change = lab.events[1]
    assert isinstance(change, StudyChanged)
    assert change.settings == ["seed"]


def test_a_damaged_log_of_the_study_is_one_clear_error(lab: Lab) -> None:
    lab("note", "P01", "one")
    lab.folder.log.write_bytes(lab.folder.log.read_bytes().replace(b'"one"', b'"two"'))
    for command in (
        ["note", "P01", "x"],
        ["exclude", "P01", "--reason=x"],
        ["delete", "P01", "--yes"],
        ["status"],
    ):
        assert lab(*command) == 2
        assert "line 3: this event, or something before it, was changed" in lab.err
        assert lab.err.count("\n") == 1
    assert open_session(lab.log("P01")).state == "finished"
