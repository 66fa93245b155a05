"""``studyapp note``, ``exclude``, ``delete``: what is decided about a participant is in the study's log."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from study_files import loaded, open_sitting, small
from study_folders import Lab, make

from core.errors import FileError
from studyapp.cli import main
from studyapp.office import deletion, study_log
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
from studyapp.session.saved import open_session

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02"), capsys)


# Notes


def test_a_note_is_in_the_studys_log_and_nowhere_else_and_listed_without_a_text(lab: Lab) -> None:
    before = lab.log("P01").read_bytes()
    assert lab("note", "P01") == 0
    assert "no notes about P01" in lab.out
    assert lab("note", "P01", "wore", "gloves") == 0
    assert lab.out == "Note about P01 saved: wore gloves\n"
    note = lab.events[-1]
    assert isinstance(note, Noted)
    assert (note.participant, note.text) == ("P01", "wore gloves")
    assert lab.log("P01").read_bytes() == before
    lab("note", "P01", "--", "--odd")
    assert lab("note", "P01") == 0
    first, second = lab.out.splitlines()
    assert first.endswith("wore gloves")
    assert second.endswith("--odd")


def test_what_can_not_be_written_down_is_refused_in_one_line(lab: Lab) -> None:
    for given in (
        *(["note", "P01", text] for text in ("two\nlines", "\x1b[2J", "", "  ", "x" * 2001)),
        ["exclude", "P01", "--reason", " "],
        ["exclude", "P01", "--undo", "--reason", "no"],
        ["delete", "P01"],
    ):
        assert lab(*given) == 2
        assert lab.err.startswith("studyapp: ")
        assert lab.err.count("\n") == 1
        assert lab.names == ["study"]
    assert "add --yes" in lab.err, "without a terminal, a deletion needs it"
    assert open_session(lab.log("P01")).state == "finished"


# Who


def test_a_participant_who_is_not_there_is_refused(lab: Lab) -> None:
    for command in (["note", "x"], ["exclude", "--reason", "x"], ["delete", "--yes"]):
        for given, said in (
            ("P03", "did you mean"),
            ("p01", "did you mean 'P01'"),
            ("Q99", "known: P01, P02"),
            ("../P01", "use 1 to 64"),
        ):
            assert lab(command[0], given, *command[1:]) == 2
            assert said in lab.err
            assert lab.names == ["study"]


def test_a_study_folder_can_be_named_and_must_be_elsewhere(
    lab: Lab, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("", "sessions"):
        assert main(["note", "P01", "x", "--in", str(tmp_path / "mine" / place)]) == 0
        assert capsys.readouterr().out == "Note about P01 saved: x\n"
    assert lab.names == ["study", "note", "note"]
    monkeypatch.chdir(tmp_path)
    for command in (["note", "P01", "x"], ["exclude", "P01", "--reason=x"], ["delete", "P01"]):
        assert main(command) == 2
        assert "go to a study folder, or name one with --in DIR" in capsys.readouterr().err


# Exclusions


def test_an_exclusion_is_made_and_undone_openly_and_says_whether_the_study_had_been_unblinded(
    lab: Lab,
) -> None:
    assert lab("exclude", "P01", "--reason", "slept") == 0
    assert lab.out == "P01 is excluded from the analysis: slept\n"
    assert list(lab.conduct.excluded) == ["P01"]
    assert lab("exclude", "P01", "--undo", "--reason", "it was P02") == 0
    assert lab.conduct.excluded == {}
    study_log.append(lab.folder.log, Unblinded("done", 2, 0))
    assert lab("exclude", "P02", "--reason", "slept") == 0
    assert "was already unblinded" in lab.out
    kinds = [(type(event), event.unblinded) for event in lab.conduct.decisions]
    assert kinds == [(Excluded, False), (Included, False), (Excluded, True)]


# Deletions


def test_a_finished_session_becomes_a_tombstone(lab: Lab) -> None:
    for kind in ("torn", "damaged"):
        lab.log("P01").with_name(f"P01.yaml.{kind}-20261116T093000000000Z").write_bytes(b"answers")
    other = lab.log("P02").with_name("P02.yaml.torn-20261116T093000000000Z")
    other.write_bytes(b"answers")
    answers = sum(isinstance(event, Answered) for event in log.read(lab.log("P01")).events)
    assert lab("delete", "P01", "--yes", "--reason", "asked for it") == 0
    assert lab.out.startswith(f"Deleted {answers} answers of P01. sessions/P01.yaml keeps only its first ")
    _, withdrawn = log.read(lab.log("P01")).events
    assert isinstance(withdrawn, Withdrawn)
    assert (withdrawn.data, withdrawn.by, withdrawn.answers) == ("deleted", "experimenter", answers)
    deleted = lab.events[-1]
    assert isinstance(deleted, Deleted)
    assert (deleted.participant, deleted.answers, deleted.reason) == ("P01", answers, "asked for it")
    assert b'"answer"' not in lab.log("P01").read_bytes()
    left = sorted(path.name for path in lab.folder.sessions.iterdir())
    assert left == ["P01.yaml", "P02.yaml", other.name], "what was set aside from it is gone, too"
    before, raw = lab.names, lab.log("P01").read_bytes()
    assert lab("delete", "P01", "--yes") == 0
    assert "were already deleted on" in lab.out
    assert (lab.names, lab.log("P01").read_bytes()) == (before, raw)
    assert lab("status") == 0
    assert "1 deleted" in lab.out
    assert lab("verify") == 0
    assert lab("export", "--out", "tables") == 0


def test_an_open_session_is_not_deleted_and_an_unfinished_one_is(lab: Lab) -> None:
    sitting = open_sitting(loaded(lab.folder.path, small()), lab.folder.sessions, "P03")
    try:
        before = lab.log("P03").read_bytes()
        assert lab("delete", "P03", "--yes") == 2
        assert "this session is already open" in lab.err
        assert lab.log("P03").read_bytes() == before
        assert lab.names == ["study"]
    finally:
        sitting.close()
    assert lab("delete", "P03", "--yes") == 0
    assert lab.out.startswith("Deleted 0 answers of P03. ")


def test_as_much_as_can_be_read_of_a_damaged_log_stays_as_its_tombstone(lab: Lab) -> None:
    raw, other = (lab.log(participant).read_bytes() for participant in ("P01", "P02"))
    lab.log("P01").write_bytes(other)
    assert lab("delete", "P01", "--yes") == 2
    assert "this is the log of P02, but the file is not named P02.yaml" in lab.err
    assert lab.names == ["study"]
    lab.log("P01").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert lab("delete", "P01", "--yes") == 0
    assert lab.out.startswith("Deleted all answers of P01. ")
    assert open_session(lab.log("P01")).state == "deleted"
    assert lab.conduct.deleted["P01"].answers is None
    for headless in (b"", b"\0" * 4096, b"just: notes\n...\n", b"---\nevent: session\nschema: 1\n...\n"):
        lab.log("P01").write_bytes(headless)
        assert lab("delete", "P01", "--yes") == 0
        assert "could not be read, and was removed" in lab.out
        assert not lab.log("P01").exists()
        assert lab.conduct.deleted["P01"].head is None
    assert lab("delete", "P01", "--yes") == 0
    assert "were already deleted on" in lab.out


def test_it_names_whatever_still_has_the_answers_and_the_notes_that_stay(lab: Lab) -> None:
    study_log.append(
        lab.folder.log,
        BackedUp("backups/one.zip", "0" * 64, ["P01", "P02"]),
        BackedUp("backups/two.zip", "0" * 64, ["P02"]),
        Exported("export", True, ["P01"]),
        Exported("export", True, ["P01"], host="the-other-machine"),
        Exported("export", True, ["P01"]),
    )
    lab("note", "P01", "slept")
    assert lab("delete", "P01", "--yes") == 0
    assert "  backups/one.zip (a backup of " in lab.out
    assert "two.zip" not in lab.out
    assert lab.out.count("  export (an export of ") == 2, "one here, which replaced another, and one there"
    assert lab.out.count(", on the-other-machine)") == 1
    assert "1 note about P01 stays in study.log.yaml" in lab.out


class Killed(BaseException):
    """The process is no more."""


def dies(moment: int, act: Callable[[], object], death: BaseException) -> bool:
    """Do something, and fail from the nth call on that changes a file; was there such a call?

    A killed process changes nothing more, whatever its code would still do.  A full disk takes no more bytes.
    """
    every = ("write", "fsync", "ftruncate", "truncate", "unlink", "rename", "replace", "link")
    left = moment

    def deadly(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise death
            return call(*given, **named)

        return called

    with pytest.MonkeyPatch.context() as patched:
        for name in every if isinstance(death, Killed) else ("write",):
            patched.setattr(os, name, deadly(getattr(os, name)))
        with suppress(Killed, FileError):
            act()
    return left < 0


@pytest.mark.parametrize("death", [Killed(), OSError(28, "No space left on device")])
def test_stopped_at_any_moment_the_answers_are_deleted_or_the_next_command_says_so(
    tmp_path: Path, capsys: Capture, death: BaseException
) -> None:
    outcomes, moment, stopped = set(), 0, True
    while stopped:
        folder = make(tmp_path / str(moment), "P01")
        aside = folder.sessions / "P01.yaml.torn-20261116T093000000000Z"
        aside.write_bytes(b"answers")
        stopped = dies(moment, partial(deletion.delete, folder, "P01"), death)
        lab = Lab(folder, capsys)
        decided = "P01" in lab.conduct.deleted
        whole = open_session(lab.log("P01")).state == "finished"
        outcomes.add((decided, whole))
        assert decided or whole, "answers are gone, and nothing says so"
        assert lab("status") == 0
        assert ("the deletion of P01 was interrupted; to complete it:" in lab.err) == (decided and whole)
        deletion.complete(folder)
        if decided:
            assert open_session(lab.log("P01")).state == "deleted"
            assert lab("delete", "P01", "--yes") == 0
            assert lab.names.count("delete") == 1
        moment += 1
    assert outcomes == {(False, True), (True, True), (True, False)}


# The study's log


def test_the_study_file_that_was_changed_is_an_event_with_the_names_of_its_settings(lab: Lab) -> None:
    text = lab.folder.file.read_text().replace("title: A small study", "title: A study")
    lab.folder.file.write_text(text.replace("teacher: naive", "teacher: mixture\n    beta: 3"))
    lab("note", "P01", "one")
    lab("note", "P01", "two")
    lab.folder.file.write_text(lab.folder.file.read_text().replace("seed: 7\n", "nonsense: 1\n"))
    lab("note", "P01", "three")  # a study file with faults keeps nobody from taking notes
    assert lab.names == ["study", "study", "note", "note", "study", "note"]
    changes = [event.settings for event in lab.events if isinstance(event, StudyChanged)]
    assert changes == [[], ["title", "models"], ["seed"]]
    assert "plain" not in lab.folder.log.read_text()


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
