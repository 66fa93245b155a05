"""Leaving: for now, for good, or not after all."""

from __future__ import annotations

import errno
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from driving import ROUNDS_ONLY, asking, running, study_in

from core.errors import FileError
from studyapp.base.clock import SimulatedClock
from studyapp.session.events import Answered, Left, Resumed, Started, Stayed, Withdrawn
from studyapp.session.sitting import Participant, peek


async def test_leaving_for_now_resumes_at_the_same_question(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("n", "enter")
        question = person.question()
        await person.press("ctrl+q")
        assert "If you leave now, you can come back at any time." in person.flat_text()
        await person.press("down", "enter")
        await person.until(lambda: person.shows("left_title"))
        assert "You can come back at any time." in person.flat_text()
        assert "until" not in person.flat_text()
        assert isinstance(person.events()[-1], Left)
        await person.hit("enter")
        loaded = person.app.loaded
    async with running(loaded, tmp_path) as person:
        assert person.shows("question", question=2)
        assert person.question() == question
        assert isinstance(person.events()[-1], Resumed)


async def test_staying_is_recorded_and_changes_nothing(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("y", "ctrl+q")
        assert person.shows("leave_title")
        await person.press("y", "n", "enter")
        assert person.page() == "RoundPage"
        stayed = person.events()[-1]
        assert isinstance(stayed, Stayed)
        assert "● y  yes" in person.text()
        await person.press("enter")
        answered = person.events()[-1]
        assert isinstance(answered, Answered)
        assert answered.answer == "y"
        assert answered.away_ms == stayed.ms > 0


async def test_withdrawing_keeps_the_answers_after_a_second_yes(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("y", "enter", "ctrl+q", "down", "down", "enter")
        assert person.shows("leave_sure_keep")
        assert not person.shows("leave_any_time")
        await person.press("enter")  # no: back to the first question
        assert person.shows("leave_title")
        assert not isinstance(person.events()[-1], Withdrawn)
        await person.press("down", "down", "enter", "down", "enter")
        await person.until(lambda: person.shows("withdrawn_keep"))
        assert not person.shows("left_any_time")
        events = person.events()
        assert isinstance(events[-1], Withdrawn)
        assert events[-1].data == "kept"
        assert [event for event in events if isinstance(event, Answered)]


async def test_withdrawing_deletes_the_answers_after_a_second_yes(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("y", "enter", "ctrl+q", "up", "enter")
        assert person.shows("leave_sure_delete")
        await person.press("enter")  # no: back to the first question
        assert person.shows("leave_title")
        await person.press("up", "enter", "down", "enter")
        await person.until(lambda: person.shows("withdrawn_delete"))
        assert [type(event) for event in person.events()] == [Started, Withdrawn]
        assert b'"event": "answer"' not in person.log.read_bytes()
        assert [path.name for path in person.log.parent.iterdir()] == [person.log.name]


async def test_a_withdrawal_that_cannot_be_saved_is_asked_about_again(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("ctrl+q", "down", "down", "enter", "down")
        with patch("os.fsync", side_effect=OSError(errno.ENOSPC, "full")):
            await person.press("enter")
        assert person.page() == "LeaveDialog"
        assert person.shows("not_saved")
        assert "the disk is full" in person.flat_text()
        assert not isinstance(person.events()[-1], Withdrawn)
        await person.press("down", "down", "enter", "down", "enter")
        await person.until(lambda: person.shows("withdrawn_keep"))
        assert isinstance(person.events()[-1], Withdrawn)


async def test_if_sessions_cannot_be_resumed_neither_leaving_for_now_nor_coming_back_is_offered(
    tmp_path: Path,
) -> None:
    async with running(study_in(tmp_path, resume={"allowed": False}), tmp_path) as person:
        await person.press("ctrl+q")
        assert person.shows("leave_keep")
        assert not person.shows("leave_for_now")
        assert not person.shows("leave_any_time")
        assert "until" not in person.flat_text()


async def test_leaving_says_until_when_one_can_come_back_and_keeps_the_promise(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY, resume={"within_hours": 24})
    async with running(loaded, tmp_path) as person:
        await person.press("ctrl+q")
        assert "If you leave now, you can come back until 20" in person.flat_text()
        await person.press("down", "enter")
        await person.until(lambda: person.shows("left_title"))
        left = person.events()[-1]
        assert isinstance(left, Left)
        limit = datetime.fromisoformat(left.at) + timedelta(hours=24)
        until = f"{limit.astimezone():%Y-%m-%d, %H:%M}"
        assert person.shows("left_until", until=until)
    minute = datetime.strptime(until, "%Y-%m-%d, %H:%M").astimezone()
    who = Participant("P07")
    assert peek(loaded, who, tmp_path / "sessions", clock=SimulatedClock(minute)) is not None
    with pytest.raises(FileError, match="the limit is 24"):
        peek(loaded, who, tmp_path / "sessions", clock=SimulatedClock(minute + timedelta(minutes=1)))


@pytest.mark.parametrize(
    ("resume", "leaves"), [({}, True), ({"allowed": False}, False), ({"within_hours": 24}, False)]
)
async def test_in_a_window_too_small_for_the_dialog_only_who_can_always_come_back_leaves(
    tmp_path: Path, resume: dict[str, object], leaves: bool
) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY, resume=resume), tmp_path) as person:
        await person.resize(60, 15)
        assert person.page() == "TooSmall"
        await person.hit("ctrl+q")
        assert isinstance(person.events()[-1], Left) is leaves
        assert person.app._exit is leaves


async def test_a_click_chooses_and_a_double_click_does_not_confirm_a_withdrawal(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY, resume={"allowed": False}, pace={"hold": 0.7})
    async with running(loaded, tmp_path) as person:
        texts = loaded.study.texts
        await person.press("ctrl+q")
        await person.click(loaded.say(texts.leave_keep), times=2)  # its second click falls on "Yes"
        assert person.shows("leave_sure_keep")
        person.let_go()
        await person.click(loaded.say(texts.leave_sure_yes_keep))
        await person.until(lambda: person.shows("withdrawn_keep"))
