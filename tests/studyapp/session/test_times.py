"""Dates that contradict the stopwatch, each other, the study or the clock here are noted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from study_files import loaded, open_sitting, run, small

from studyapp.base.clock import iso
from studyapp.session import log
from studyapp.session.events import Answered, Consented, Finished, Resumed, RoundBegan, Started
from studyapp.session.log_format import encode
from studyapp.session.verification import verify


def session(folder: Path, **settings: Any) -> Path:
    """A finished session that was left once."""
    study = loaded(folder, small(**settings))
    sitting = open_sitting(study, folder)
    sitting.record(Consented(sitting.at()))
    sitting.close()
    run(study, folder)
    return folder / "P01.yaml"


def rewritten(path: Path, change: Callable[[Any], Any]) -> Path:
    path.write_bytes(encode([change(event) for event in log.read(path).events]))
    return path


def later(event: Any, by: timedelta) -> Any:
    name = "shown_at" if isinstance(event, Answered) else "at"
    return replace(event, **{name: iso(datetime.fromisoformat(getattr(event, name)) + by)})


def moved_from(path: Path, kind: type[Any], by: timedelta) -> tuple[Path, int]:
    """The log with every date from the first event of a kind on moved, and the line of that event."""
    events = log.read(path).events
    at = next(i for i, event in enumerate(events) if isinstance(event, kind))
    path.write_bytes(encode([*events[:at], *(later(event, by) for event in events[at:])]))
    return path, log.read(path).lines[at]


def test_an_honest_session_has_nothing_to_note(tmp_path: Path) -> None:
    assert verify(session(tmp_path)).notes == []


@pytest.mark.parametrize("kind", [RoundBegan, Answered, Finished])
@pytest.mark.parametrize(("by", "said"), [(timedelta(days=3), "3.0 days"), (timedelta(minutes=5), "5.0 min")])
def test_dates_that_run_ahead_of_the_stopwatch_are_noted(
    tmp_path: Path, kind: type[Any], by: timedelta, said: str
) -> None:
    path, line = moved_from(session(tmp_path), kind, by)
    result = verify(path)
    assert result.verdict == "verified"
    note = result.notes[0]
    assert note.startswith(f"line {line}: the dates run {said}")
    assert note.endswith("ahead of the stopwatch here: the clock was set forward, or the computer slept")


def test_one_date_that_was_changed_shows_twice(tmp_path: Path) -> None:
    path = session(tmp_path)
    events = log.read(path).events
    at = next(i for i, event in enumerate(events) if isinstance(event, RoundBegan))
    events[at] = later(events[at], timedelta(hours=5))
    path.write_bytes(encode(events))
    back, ahead = verify(path).notes
    assert "the computer's clock was set back by" in back
    assert ahead.startswith(f"line {log.read(path).lines[at]}: the dates run 5.0 hours ahead")


def test_a_clock_set_back_by_less_than_a_pause_shows_in_the_stopwatch(tmp_path: Path) -> None:
    """The dates still run forward: only the stopwatch knows that more time has passed."""
    path = session(tmp_path)
    at = next(i for i, event in enumerate(log.read(path).events) if isinstance(event, Finished))
    events = log.read(path).events
    late = replace(events[at], clock_ms=events[at].clock_ms + 60_000.0)
    events[at] = later(late, timedelta(seconds=20))
    path.write_bytes(encode(events))
    (note,) = verify(path).notes
    assert "the computer's clock was set back by 40." in note


def test_a_computer_that_is_off_between_two_sittings_is_nothing_to_note(tmp_path: Path) -> None:
    path, _ = moved_from(session(tmp_path), Resumed, timedelta(hours=5))
    assert verify(path).notes == []


def test_a_session_resumed_before_it_was_left_is_noted(tmp_path: Path) -> None:
    path, line = moved_from(session(tmp_path), Resumed, timedelta(hours=-5))
    (note,) = verify(path).notes
    assert note.startswith(f"line {line}: the computer's clock was set back by")


def test_a_return_after_the_limit_of_the_study_is_noted(tmp_path: Path) -> None:
    path, line = moved_from(session(tmp_path, resume={"within_hours": 4}), Resumed, timedelta(hours=5))
    assert verify(path).notes == [
        f"line {line}: resumed 5.0 hours after the previous event; the limit is 4 hours (resume.within_hours)"
    ]


def test_a_return_that_the_study_does_not_allow_is_noted(tmp_path: Path) -> None:
    def forbidden(event: Any) -> Any:
        if isinstance(event, Started):
            return replace(event, study=event.study | {"resume": {"allowed": False}})
        return event

    (note,) = verify(rewritten(session(tmp_path), forbidden)).notes
    assert note.endswith("resumed, but the study does not allow it (resume.allowed: false)")


def test_a_person_s_session_in_the_future_is_noted(tmp_path: Path) -> None:
    def by_a_person(event: Any) -> Any:
        event = later(event, timedelta(days=400))
        return replace(event, simulated=False, teacher=None) if isinstance(event, Started) else event

    (note,) = verify(rewritten(session(tmp_path), by_a_person)).notes
    assert note.startswith("its last date, ")
    assert note.endswith(", is in the future, according to the clock of this computer")


def test_a_finished_session_without_its_end_is_noted(tmp_path: Path) -> None:
    path = session(tmp_path)
    *events, end = log.read(path).events
    assert isinstance(end, Finished)
    path.write_bytes(encode(events))
    result = verify(path)
    assert (result.verdict, result.receipt) == ("verified", None)
    assert "(incomplete)" in result.message
    (note,) = result.notes
    assert "every question is answered, but the end of the session ('finished') is missing" in note
    run(loaded(tmp_path, small()), tmp_path)  # resuming it saves the end
    assert verify(path).notes == []
    assert verify(path).receipt is not None


def test_a_session_that_was_left_early_does_not_lack_its_end(tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    sitting.close()
    assert verify(tmp_path / "P01.yaml").notes == []
