"""A log is followed as it grows, and read again when it is another one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from offices import events_of, put, study_folder

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.office.live import LiveLog
from studyapp.session.events import Consented, Declined, Event, Interrupted, Left, Resumed, Started, Withdrawn
from studyapp.session.log_format import encode
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
    saved = open_session(path)
    assert (live.state, live.kind, live.chain) == (saved.state, saved.kind, saved.saved.chain)
    assert live.answers == len(saved.session.answers)
    assert live.receipt == receipt_of(saved.saved.chain)


def test_every_beginning_of_a_session_has_a_place(folder: StudyFolder) -> None:
    whole = events_of("P01")
    places = []
    for count in range(1, len(whole)):
        live = seen(put(folder, "P01", whole[:count]))
        assert live.state == "unfinished"
        places.append(str(live.place))
    assert places[0] == "the consent"
    assert "practice round 1 of 2" in places
    assert "round 4 of 4" in places
    assert "the break after round 2 of 4" in places
    assert places[-1] == "the end"


def test_an_event_that_is_half_written_is_not_there_yet(folder: StudyFolder) -> None:
    path = put(folder, "P01", events_of("P01", 8))
    raw = path.read_bytes()
    path.write_bytes(raw[:-10])
    live = seen(path)
    before = live.answers
    path.write_bytes(raw)
    assert live.update()
    assert (live.answers, live.problem) == (before + 1, "")


def test_a_log_that_did_not_change_is_not_read(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01"))
    assert not live.update()


def test_a_log_that_was_replaced_by_its_tombstone_is_read_again(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01"))
    gone = Withdrawn("deleted", 12, at=AT, by="experimenter", clock_ms=0.0)
    tombstone = put(folder, "other", [*events_of("P01", 1), gone])
    tombstone.rename(live.path)
    assert live.update()
    assert (live.state, live.answers, live.receipt, live.problem) == ("deleted", 0, None, "")


def test_a_log_that_was_cut_short_in_its_place_is_read_again(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01"))
    put(folder, "P01", events_of("P01", 8))
    assert live.update()
    assert (live.state, live.problem) == ("unfinished", "")


def test_a_log_that_was_written_anew_and_longer_is_read_again(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01", events_of("P01", 8, pilot=True)))
    put(folder, "P01")
    assert live.update()
    assert (live.state, live.kind, live.problem) == ("finished", "person", "")


def test_a_log_that_vanishes_is_a_problem_until_it_is_back(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01"))
    live.path.unlink()
    assert live.update()
    assert live.state == "broken"
    assert live.problem
    put(folder, "P01")
    assert live.update()
    assert (live.state, live.problem) == ("finished", "")


def test_a_log_that_was_changed_says_where_and_is_read_again_only_when_it_changes(
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
    assert not live.update()


@pytest.mark.parametrize("raw", [b"", b"\0\0\0", b"---\nevent: ses"])
def test_a_log_without_its_first_event_is_empty(folder: StudyFolder, raw: bytes) -> None:
    path = put(folder, "P01")
    path.write_bytes(raw)
    assert (seen(path).state, seen(path).problem) == ("empty", "")


def test_a_log_under_another_name_is_broken(folder: StudyFolder) -> None:
    live = seen(put(folder, "P02", events_of("P01")))
    assert (live.participant, live.state) == ("P02", "broken")
    assert "P01" in live.problem


def test_events_out_of_order_are_a_problem_that_names_no_model(folder: StudyFolder) -> None:
    events = events_of("P01")
    live = seen(put(folder, "P01", [events[0], *events[4:]]))
    assert live.state == "broken"
    assert "not a session" in live.problem
    head, *_ = events_of("P01", 1, plan=[])
    assert "not a session" in seen(put(folder, "P01", [head])).problem


def test_a_session_is_a_pilot_once_the_experimenter_looked_on(folder: StudyFolder) -> None:
    software: dict[str, str] = {}
    resumed = Resumed(at=AT, host="h", process=1, software=software, pilot=True, clock_ms=0.0)
    live = seen(put(folder, "P01", [*events_of("P01", 5), resumed]))
    assert (live.kind, live.resumes) == ("pilot", 1)


def test_minutes_are_those_of_all_sittings(folder: StudyFolder) -> None:
    software: dict[str, str] = {}
    resumed = Resumed(at=AT, host="h", process=1, software=software, pilot=False, clock_ms=0.0)
    left = Left(at=AT, clock_ms=90_000.0)
    live = seen(put(folder, "P01", [*events_of("P01", 1), left, resumed, left]))
    assert live.minutes == 3.0


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


def test_the_answers_of_a_session_are_not_kept(folder: StudyFolder) -> None:
    live = seen(put(folder, "P01"))
    assert live.answers > 0
    assert live.session is not None
    assert live.session.answers == []
    assert encode(events_of("P01")) == live.path.read_bytes()


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
