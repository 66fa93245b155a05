"""Leaving: for now, for good, or not after all."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, running, study_in

from core.errors import FileError
from studyapp.base.clock import SimulatedClock
from studyapp.session.events import Answered, Left, Resumed, Started, Stayed, Withdrawn
from studyapp.session.sitting import Participant, peek


async def test_leaving_for_now_resumes_at_the_same_question(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("n", "enter")
        question = participant.question()
        await participant.press("ctrl+q", "down", "enter")
        await participant.until(lambda: participant.shows("left_title"))
        assert isinstance(participant.events()[-1], Left)
        await participant.hit("enter")
    async with running(loaded, tmp_path) as participant:
        assert participant.shows("question", question=2)
        assert participant.question() == question
        assert isinstance(participant.events()[-1], Resumed)


async def test_staying_is_recorded_and_changes_nothing(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("y", "ctrl+q")
        assert participant.shows("leave_title")
        await participant.press("y", "n", "enter")
        assert participant.page() == "RoundPage"
        assert isinstance(participant.events()[-1], Stayed)
        assert "● y  yes" in participant.text()
        await participant.press("enter")
        answered = participant.events()[-1]
        assert isinstance(answered, Answered)
        assert answered.away_ms is not None
        assert answered.rt_ms is not None
        assert 0 < answered.away_ms < answered.rt_ms


async def test_withdrawing_keeps_the_answers_after_a_second_yes(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("y", "enter", "ctrl+q", "down", "down", "enter")
        assert participant.shows("leave_sure_keep")
        await participant.press("enter")  # no: back to the first question
        assert participant.shows("leave_title")
        assert not isinstance(participant.events()[-1], Withdrawn)
        await participant.press("down", "down", "enter", "down", "enter")
        await participant.until(lambda: participant.shows("withdrawn_keep"))
        events = participant.events()
        assert isinstance(events[-1], Withdrawn)
        assert events[-1].data == "kept"
        assert [event for event in events if isinstance(event, Answered)]


async def test_withdrawing_deletes_the_answers_after_a_second_yes(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("y", "enter", "ctrl+q", "up", "enter")
        assert participant.shows("leave_sure_delete")
        await participant.press("enter")  # no: back to the first question
        assert participant.shows("leave_title")
        await participant.press("up", "enter", "down", "enter")
        await participant.until(lambda: participant.shows("withdrawn_delete"))
        events = participant.events()
        assert [type(event) for event in events] == [Started, Withdrawn]
        assert b'"event": "answer"' not in participant.log.read_bytes()
        assert [path.name for path in participant.log.parent.iterdir()] == [participant.log.name]


async def test_if_sessions_cannot_be_resumed_leaving_for_now_is_not_offered(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, resume={"allowed": False}), tmp_path) as participant:
        await participant.press("ctrl+q")
        assert participant.shows("leave_keep")
        assert not participant.shows("leave_for_now")


async def test_leaving_says_until_when_one_can_come_back_and_keeps_the_promise(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY, resume={"within_hours": 24})
    async with running(loaded, tmp_path) as participant:
        await participant.press("ctrl+q")
        assert "If you leave now, you can come back until 20" in participant.flat_text()
        await participant.press("down", "enter")
        await participant.until(lambda: participant.shows("left_title"))
        left = participant.events()[-1]
        assert isinstance(left, Left)
        limit = datetime.fromisoformat(left.at) + timedelta(hours=24)
        until = f"{limit.astimezone():%Y-%m-%d, %H:%M}"
        assert participant.shows("left_until", until=until)
    minute = datetime.strptime(until, "%Y-%m-%d, %H:%M").astimezone()
    who = Participant("P07")
    assert peek(loaded, who, tmp_path / "sessions", clock=SimulatedClock(minute)) is not None
    with pytest.raises(FileError, match="the limit is 24"):
        peek(loaded, who, tmp_path / "sessions", clock=SimulatedClock(minute + timedelta(minutes=1)))


async def test_without_a_limit_leaving_says_that_one_can_come_back_at_any_time(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.press("ctrl+q")
        assert "If you leave now, you can come back at any time." in participant.flat_text()
        assert "until" not in participant.flat_text()
        await participant.press("down", "enter")
        await participant.until(lambda: participant.shows("left_title"))
        assert "You can come back at any time." in participant.flat_text()
        assert "until" not in participant.flat_text()


async def test_who_withdraws_is_not_told_to_come_back(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.press("ctrl+q", "down", "down", "enter")
        assert not participant.shows("leave_any_time")
        await participant.press("down", "enter")
        await participant.until(lambda: participant.shows("withdrawn_keep"))
        assert not participant.shows("left_any_time")


async def test_if_sessions_cannot_be_resumed_nothing_is_said_about_coming_back(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, resume={"allowed": False}), tmp_path) as participant:
        await participant.press("ctrl+q")
        assert not participant.shows("leave_any_time")
        assert "until" not in participant.flat_text()


@pytest.mark.parametrize(
    ("resume", "leaves"), [({}, True), ({"allowed": False}, False), ({"within_hours": 24}, False)]
)
async def test_in_a_window_too_small_for_the_dialog_only_who_can_always_come_back_leaves(
    tmp_path: Path, resume: dict[str, object], leaves: bool
) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY, resume=resume), tmp_path) as participant:
        await participant.resize(60, 15)
        await participant.until(lambda: participant.page() == "TooSmall")
        await participant.hit("ctrl+q")
        assert isinstance(participant.events()[-1], Left) is leaves
        assert participant.app._exit is leaves


async def test_a_click_chooses_and_a_double_click_does_not_confirm_a_withdrawal(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY, resume={"allowed": False}, pace={"hold": 0.7})
    async with running(loaded, tmp_path) as participant:
        await participant.press("ctrl+q")
        lines = participant.app.screen.query_one("#dialog-list").query("Line")
        await participant.pilot.click(lines[1], times=2)  # withdraw; its second click falls on "Yes"
        await participant.handled()
        assert participant.shows("leave_sure_keep")
        participant.let_go()
        await participant.pilot.click(lines[1])
        await participant.until(lambda: participant.shows("withdrawn_keep"))
