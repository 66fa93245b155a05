"""A log is followed as it grows, and read again when it is another one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from offices import events_of, put, study_folder

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.office.live import LiveLog, outcome
from studyapp.session.events import Consented, Declined, Event, Interrupted, Left, Resumed, Started, Withdrawn
from studyapp.session.ids import log_path
from studyapp.session.receipts import receipt_of
from studyapp.session.saved import open_session
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load

AT = "2026-11-18T12:00:00.000Z"
FACTS = ("state", "kind", "place", "question", "answers", "late", "stray_keys", "minutes", "receipt", "chain")


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path)


def seen(path: Path) -> LiveLog:
    live = LiveLog(path)
    live.update()
    return live


def facts(live: LiveLog) -> dict[str, Any]:
    return {name: getattr(live, name) for name in FACTS}


def test_a_log_read_bit_by_bit_says_what_the_whole_log_says(folder: StudyFolder) -> None:
    path = put(folder, "P01")
    raw, live = path.read_bytes(), LiveLog(path)
    path.write_bytes(b"")
    for end in range(0, len(raw) + 97, 97):
        with path.open("ab") as file:
            file.write(raw[end - 97 : end] if end else b"")
        live.update()
        assert not live.problem
    assert facts(live) == facts(seen(path))
    assert live.session is not None
    assert live.session.answers == [], "they are counted, and then forgotten"
    saved = open_session(path)
    assert (live.state, live.kind, live.chain) == (saved.state, saved.kind, saved.saved.chain)
    assert live.answers == len(saved.session.answers)
    assert live.receipt == receipt_of(saved.saved.chain)


def test_every_beginning_of_a_session_has_a_place(folder: StudyFolder) -> None:
    whole = events_of("P01")
    lives = [seen(put(folder, "P01", whole[:count])) for count in range(1, len(whole))]
    assert {live.state for live in lives} == {"unfinished"}
    first, *places, last = (str(live.place) for live in lives)
    assert (first, last) == ("the consent", "the end")
    assert {"practice round 1 of 2", "round 4 of 4", "the break after round 2 of 4"} <= {*places}


def test_a_log_that_is_another_one_now_is_read_again(folder: StudyFolder) -> None:
    gone = Withdrawn("deleted", 12, at=AT, by="experimenter", clock_ms=0.0)
    live = seen(put(folder, "P01"))
    put(folder, "other", [*events_of("P01", 1), gone]).rename(live.path)
    assert live.update()
    assert (live.state, live.answers, live.receipt, live.problem) == ("deleted", 0, None, "")
    live = seen(put(folder, "P01"))
    put(folder, "P01", events_of("P01", 8, pilot=True))  # cut short in its place
    assert live.update()
    assert (live.state, live.kind, live.problem) == ("unfinished", "pilot", "")
    put(folder, "P01")  # written anew, and longer
    assert live.update()
    assert (live.state, live.kind, live.problem) == ("finished", "person", "")
    live.path.unlink()
    assert live.update()
    assert live.state == "broken"
    assert live.problem
    put(folder, "P01")
    assert live.update()
    assert (live.state, live.problem) == ("finished", "")
    assert not live.update()


def test_a_log_that_was_changed_says_where_and_is_read_again_once_it_changes(
    folder: StudyFolder,
) -> None:
    path = put(folder, "P01")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"answer": "y"', b'"answer": "n"', 1))
    live = seen(path)
    assert live.state == "broken"
    assert live.problem.startswith("line ")
    assert not live.update()
    path.write_bytes(whole + b"more")
    assert live.update()
    assert (live.state, live.problem) == ("finished", "")


def test_what_is_no_whole_session_of_this_participant_says_so_and_names_no_model(folder: StudyFolder) -> None:
    path = put(folder, "P01")
    for raw in (b"", b"\0\0\0", b"---\nevent: ses"):
        path.write_bytes(raw)
        assert (seen(path).state, seen(path).problem) == ("empty", "")
    live = seen(put(folder, "P02", events_of("P01")))
    assert (live.participant, live.state) == ("P02", "broken")
    assert "P01" in live.problem
    head, *later = events_of("P01")
    for events in ([head, *later[3:]], events_of("P01", 1, plan=[])):
        live = seen(put(folder, "P01", events))
        assert live.state == "broken"
        assert "not a session" in live.problem


def test_sittings_are_put_together(folder: StudyFolder) -> None:
    """Once the experimenter looked on, a session is a pilot; minutes are those of all sittings."""
    software: dict[str, str] = {}
    resumed = Resumed(at=AT, host="h", process=1, software=software, pilot=True, clock_ms=0.0)
    left = Left(at=AT, clock_ms=90_000.0)
    live = seen(put(folder, "P01", [*events_of("P01", 1), left, resumed, left]))
    assert (live.kind, live.resumes, live.minutes) == ("pilot", 1, 3.0)


def test_a_session_is_open_while_its_process_lives_and_it_was_not_left(folder: StudyFolder) -> None:
    here = {"host": os.uname().nodename, "process": os.getpid()}
    events = events_of("P01", 5, **here)
    assert seen(put(folder, "P01", events)).is_open
    assert not seen(put(folder, "P01", [*events, Left(at=AT, clock_ms=0.0)])).is_open
    assert not seen(put(folder, "P01", events_of("P01", 5, host="elsewhere", process=os.getpid()))).is_open
    assert not seen(put(folder, "P01", events_of("P01", 5))).is_open


def test_a_log_is_read_while_its_session_holds_the_lock(folder: StudyFolder) -> None:
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting.open(load(folder.file), Participant("P01"), folder.sessions, clock=clock)
    try:
        live = seen(sitting.path)
        assert (live.state, live.is_open) == ("unfinished", True)
        sitting.record(Left(at=sitting.at()))
        assert live.update()
        assert not live.is_open
    finally:
        sitting.close()


def test_a_session_stays_declined_until_it_is_resumed(folder: StudyFolder) -> None:
    started, *_ = events_of("P01")
    assert isinstance(started, Started)
    declined = [started, Declined(at=AT, clock_ms=1.0)]
    resumed = Resumed(at=AT, host="h", process=1, software=started.software, pilot=False, clock_ms=0.0)
    courses: list[tuple[list[Event], str]] = [
        ([], "declined"),
        ([Interrupted("SIGHUP", at=AT, clock_ms=2.0)], "declined"),  # by closing the window
        ([resumed], "unfinished"),
        ([resumed, Declined(at=AT, clock_ms=1.0)], "declined"),
        ([resumed, Consented(at=AT, clock_ms=1.0)], "unfinished"),
        ([Withdrawn("kept", 0, at=AT, clock_ms=2.0)], "withdrawn"),
    ]
    for later, state in courses:
        live = seen(put(folder, "P01", [*declined, *later]))
        assert (live.state, live.problem) == (state, "")
        assert not live.is_open


def test_how_a_session_ended_is_one_line(folder: StudyFolder) -> None:
    folder.sessions.mkdir()
    path = log_path(folder.sessions, "P01")
    assert outcome(path) == "P01 has not begun."
    put(folder, "P01", events_of("P01", 8))
    assert outcome(path) == "P01 has not finished (practice round 2 of 2)."
    put(folder, "P01")
    assert outcome(path).startswith("P01 finished. Bonus due: ")
    path.write_bytes(b"?")
    assert outcome(path).startswith("P01: this is not a studyapp session log")
