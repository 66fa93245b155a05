"""Dates that contradict the stopwatch, each other, the study or the clock here are noted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from study_files import Recording, open_sitting, recorded, run

from studyapp.base.clock import iso
from studyapp.session import log
from studyapp.session.events import (
    Answered,
    Consented,
    Event,
    Finished,
    Responded,
    Resumed,
    RoundBegan,
    Started,
)
from studyapp.session.log_format import encode
from studyapp.session.verification import verify


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A finished session that was left once."""
    folder, whole = tmp_path_factory.mktemp("left"), recorded()
    sitting = open_sitting(whole.study, folder)
    sitting.record(Consented(sitting.at()))
    sitting.close()
    return replace(whole, events=tuple(run(whole.study, folder)), raw=(folder / "P01.yaml").read_bytes())


def notes(folder: Path, recording: Recording, events: list[Event]) -> list[str]:
    """What is noted about these events, which are verified all the same."""
    result = verify(recording.put(folder, events))
    assert (result.verdict, result.rederived) == ("verified", result.questions)
    return result.notes


def later(event: Any, by: timedelta) -> Any:
    name = "shown_at" if isinstance(event, Answered) else "at"
    return replace(event, **{name: iso(datetime.fromisoformat(getattr(event, name)) + by)})


def moved(recording: Recording, kind: type[Event], by: timedelta) -> tuple[list[Event], str]:
    """The events, every date from the first of a kind on moved, and the line of that one."""
    at = recording.nth(kind)
    line = encode(recording.events[:at]).count(b"\n") + 1
    return [*recording.events[:at], *(later(event, by) for event in recording.events[at:])], f"line {line}: "


def test_an_honest_session_has_nothing_to_note(tmp_path: Path, left: Recording) -> None:
    assert notes(tmp_path, left, list(left.events)) == []
    # The computer was off between two sittings.
    assert notes(tmp_path, left, moved(left, Resumed, timedelta(hours=5))[0]) == []
    # The session was left early.
    assert notes(tmp_path, left, list(left.events[:2])) == []


def test_dates_that_run_ahead_of_the_stopwatch_or_back_are_noted(tmp_path: Path, left: Recording) -> None:
    back, ahead = "the computer's clock was set back by ", "the dates run "
    for kind in (RoundBegan, Answered, Responded, Finished):
        for by, said in (
            (
                timedelta(days=3),
                f"{ahead}3.0 days ahead of the stopwatch here: the clock was set",
            ),
            (timedelta(minutes=5), f"{ahead}5.0 minutes ahead"),
            (timedelta(hours=-1), f"{back}3"),
            (timedelta(seconds=-0.2), None),
        ):
            events, line = moved(left, kind, by)
            found = notes(tmp_path, left, events)
            if said:
                assert found[0].startswith(line + said), (kind, by)
                assert len(found) == 1
    events, line = moved(left, Resumed, timedelta(hours=-5))  # resumed before it was left
    (note,) = notes(tmp_path, left, events)
    assert note.startswith(line + back)


def test_one_date_that_was_changed_shows_twice(tmp_path: Path, left: Recording) -> None:
    at, events = left.nth(RoundBegan), list(left.events)
    events[at] = later(events[at], timedelta(hours=5))
    first, second = notes(tmp_path, left, events)
    assert "the computer's clock was set back by" in first
    line = encode(events[:at]).count(b"\n") + 1
    assert second.startswith(f"line {line}: the dates run 5.0 hours ahead")


def test_a_clock_set_back_by_less_than_a_pause_shows_in_the_stopwatch(
    tmp_path: Path, left: Recording
) -> None:
    """The dates still run forward: only the stopwatch knows that more time has passed."""
    *events, end = left.events
    assert end.clock_ms is not None
    late = replace(end, clock_ms=end.clock_ms + 60_000.0)
    (note,) = notes(tmp_path, left, [*events, later(late, timedelta(seconds=20))])
    assert "the computer's clock was set back by 40." in note


def test_a_return_that_the_study_does_not_allow_is_noted(tmp_path: Path, left: Recording) -> None:
    (head, *events), line = moved(left, Resumed, timedelta(hours=5))
    assert isinstance(head, Started)
    for policy, said in (
        (
            {"within_hours": 4},
            "resumed 5.0 hours after the previous event; the limit is 4 hours (resume.within_hours)",
        ),
        ({"allowed": False}, "resumed, but the study does not allow it (resume.allowed: false)"),
    ):
        other = replace(head, study=head.study | {"resume": policy})
        assert notes(tmp_path, left, [other, *events]) == [line + said]


def test_a_persons_session_in_the_future_is_noted_and_a_simulated_one_is_not(
    tmp_path: Path, left: Recording
) -> None:
    head, *events = (later(event, timedelta(days=400)) for event in left.events)
    assert notes(tmp_path, left, [head, *events]) == []
    (note,) = notes(tmp_path, left, [replace(head, simulated=False, teacher=None), *events])
    assert note.startswith("its last date, ")
    assert note.endswith(", is in the future, according to the clock of this computer")


def test_a_finished_session_without_its_end_is_noted(tmp_path: Path, left: Recording) -> None:
    (note,) = notes(tmp_path, left, list(left.events[:-1]))
    assert "every question is answered, but the end of the session ('finished') is missing" in note
    path = tmp_path / "P01.yaml"
    assert "(incomplete)" in verify(path).message
    run(left.study, tmp_path)  # resuming it saves the end
    assert (verify(path).notes, isinstance(log.read(path).events[-1], Finished)) == ([], True)
