"""``studyapp status``: who is where, and nothing about models or outcomes."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from study_files import loaded, open_sitting, small
from study_folders import Lab, make

from studyapp.cli import main
from studyapp.commands.status import _table
from studyapp.office import study_log
from studyapp.office.conduct import Conduct
from studyapp.office.events import Deleted
from studyapp.office.status import Status
from studyapp.office.table import COLUMNS
from studyapp.session import log
from studyapp.session.events import Consented, Declined

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lab(tmp_path: Path, capsys: Capture) -> Lab:
    return Lab(make(tmp_path / "mine", "P01", "P02"), capsys)


def listed(lab: Lab, *arguments: str) -> dict[str, dict[str, object]]:
    assert lab("status", "--json", *arguments) == 0
    return {row["participant"]: row for row in json.loads(lab.out)}


def test_a_folder_without_sessions_says_so(tmp_path: Path, capsys: Capture) -> None:
    lab = Lab(make(tmp_path / "mine"), capsys)
    assert lab("status") == 0
    assert lab.out == "0 participants in sessions\n"
    assert listed(lab) == {}


def test_every_participant_has_a_row_with_the_public_fields_and_none_of_outcomes(lab: Lab) -> None:
    sitting = open_sitting(loaded(lab.folder.path, small()), lab.folder.sessions, "P03")
    sitting.record(Consented(at=sitting.at()))
    try:
        rows = listed(lab)
        assert set(rows) == {"P01", "P02", "P03"}
        assert {row["state"] for row in rows.values()} == {"finished", "unfinished"}
        assert {"participant", "state", "round", "rounds", "last"} <= set(rows["P03"])
        assert rows["P03"]["last"] is not None
        assert not {"model", "reward", "found", "target", "word", "answer"} & set(rows["P03"])
        assert lab("status") == 0
        assert "3 participants: 1 open, 2 finished" in lab.out
    finally:
        sitting.close()
    sitting = open_sitting(loaded(lab.folder.path, small()), lab.folder.sessions, "P04")
    sitting.record(Declined(at=sitting.at()))
    assert listed(lab)["P04"]["state"] == "declined"
    sitting.close()
    assert lab("status") == 0
    assert "4 participants: 1 open, 2 finished, 1 declined" in lab.out


def test_warnings_are_on_stderr_also_beside_json(lab: Lab) -> None:
    """What has become of the data must not depend on who reads it."""
    head = log.read_head(lab.log("P01"))
    assert head is not None
    study_log.append(lab.folder.log, Deleted("P01", 3, head.chain))
    lab.folder.log.with_name("study.log.yaml.torn-1").write_text("torn")
    lab.log("P02").write_text("nonsense: 1\n...\n")
    assert lab("status") == 0
    assert "1 finished, 1 broken" in lab.out
    said = lab.err
    rows = listed(lab)
    assert list(rows) == ["P01", "P02"], "stdout is JSON alone"
    assert rows["P02"]["problem"]
    assert lab.err == said
    assert "studyapp: P02: " in said
    assert "study.log.yaml.torn-1 has part of an event that was never completed; read it" in said
    assert "the deletion of P01 was interrupted; to complete it: studyapp delete P01" in said


def test_a_folder_can_be_named_also_one_of_logs_without_a_study(lab: Lab, tmp_path: Path) -> None:
    lab("note", "P01", "slept")
    shutil.copytree(lab.folder.sessions, tmp_path / "logs")
    for place, note in (("mine", "slept"), ("mine/sessions", "slept"), ("logs", None)):
        assert [row["note"] for row in listed(lab, str(tmp_path / place)).values()] == [note, None]


# What verify writes down


def test_verify_writes_every_verdict_down_once_and_again_when_it_changes(lab: Lab, tmp_path: Path) -> None:
    def verify(place: str, code: int = 0) -> None:
        assert main(["verify", str(tmp_path / "mine" / place)]) == code

    verify("sessions/P01.yaml")
    assert lab.names == ["study", "verify"]
    verify("")
    assert lab.names == ["study", "verify", "verify"], "of P01, nothing is new"
    assert {row["verified"] for row in listed(lab).values()} == {"yes"}
    raw = lab.log("P01").read_bytes()
    lab.log("P01").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    verify("sessions", 1)
    assert lab.conduct.verified["P01"].verdict == "changed"
    lab.log("P01").write_bytes(raw)
    verify("sessions/P01.yaml")
    assert lab.conduct.verified["P01"].verdict == "verified"
    assert lab.names.count("verify") == 4
    (lab.folder.path / "rehearsal").mkdir()
    shutil.copy(lab.log("P01"), lab.folder.path / "rehearsal")
    verify("rehearsal")  # its words are found from anywhere
    assert lab.names.count("verify") == 4, "this session is not the study's"


def test_a_damaged_log_of_the_study_does_not_change_the_verdicts(lab: Lab) -> None:
    lab.folder.log.write_text("nonsense\n...\n")
    assert lab("verify") == 0
    assert "2 of 2 logs passed" in lab.out
    assert "the verdicts were not written down" in lab.err


def test_a_narrow_window_cuts_no_state_and_no_time(lab: Lab) -> None:
    """With every column there is."""
    status = Status(lab.folder.sessions)
    status.update()
    row = replace(
        status.rows(Conduct())[0],
        kind="person",
        state="unfinished",
        place="round 12 of 38, question 14",
        last="2020-11-18T09:30:00.000Z",
        minutes=123.0,
        resumes=2,
        late=14,
        stray_keys=12,
        verified="yes",
        note="a long remark " * 20,
    )
    console = Console(file=io.StringIO(), width=80)
    console.print(_table([row], console.width))
    assert isinstance(console.file, io.StringIO)
    heading, line = console.file.getvalue().splitlines()
    assert heading.split() == [column.heading for column in COLUMNS]
    for column in COLUMNS[:-1]:
        assert column.cell(row) in line
    assert line.rstrip().endswith("…")
