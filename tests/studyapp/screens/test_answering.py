"""Answering the questions of a round: what counts, what doesn't, and how it is timed."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, Person, running, study_in
from meddling import cut, emptied, grown, overwritten, removed, replaced
from textual.events import Paste

from studyapp.screens import round as round_page
from studyapp.screens.page import Page
from studyapp.session.events import Answered
from studyapp.session.verification import verify


def answers_of(participant: Person) -> list[Answered]:
    return [event for event in participant.events() if isinstance(event, Answered)]


def keys_of(participant: Person) -> list[str]:
    return [answer.answer for answer in answers_of(participant)]


async def test_an_answer_can_be_changed_before_enter_and_wrong_keys_never_count(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("enter")
        assert participant.shows("choose_first")
        await participant.press("x", "tab", "f1", "left")
        assert participant.shows("wrong_key")
        await participant.press("y")
        assert "● y  yes" in participant.text()
        await participant.press("n", "Y", "N")
        assert "● n  no" in participant.text()
        await participant.press("enter")
        (answer,) = answers_of(participant)
        assert (answer.question, answer.answer, answer.changes, answer.stray_keys) == (1, "n", 3, 4)
        assert f"{answer.word} no" in participant.text()


async def test_with_single_key_answers_no_enter_is_needed(tmp_path: Path) -> None:
    answers = {"yes": "k", "no": "e", "confirm": False}
    async with running(study_in(tmp_path, answers=answers, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.press("enter", "k", "e", "k")
        assert keys_of(participant) == ["y", "n", "y"]


async def test_keys_pressed_before_a_question_is_on_screen_do_not_answer_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.3, "hold": 0.0}, answers={"confirm": False}, **ROUNDS_ONLY)
    async with running(loaded, tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.hit("y", "n", "n", "y")  # one answer, and three keys during the pause
        await participant.settled()
        assert keys_of(participant) == ["y"]
        assert participant.shows("question", question=2)


async def test_a_key_held_down_answers_one_question(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.05, "hold": 1.5}, answers={"confirm": False}, **ROUNDS_ONLY)
    async with running(loaded, tmp_path) as participant:
        await participant.press("enter")
        await participant.hold("y", lambda: participant.shows("question", question=2))
        assert keys_of(participant) == ["y"]
        assert participant.shows("too_quick")
        participant.let_go()
        await participant.press("y")
        assert keys_of(participant) == ["y", "y"]


async def test_a_paste_answers_nothing(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        participant.app.screen.post_message(Paste("y\ny\ny\n"))
        await participant.handled()
        assert participant.shows("wrong_key")
        assert not answers_of(participant)


async def test_an_answer_that_cannot_be_saved_keeps_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        before = participant.log.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            await participant.press("y", "enter")
            assert participant.shows("not_saved")
            assert "the disk is full" in participant.flat_text()
            assert participant.shows("question", question=1)
            assert participant.log.read_bytes() == before
        await participant.press("enter")
        assert keys_of(participant) == ["y"]
        assert participant.shows("question", question=2)
        assert not participant.shows("not_saved")


async def test_the_time_under_a_covered_page_is_recorded_apart(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.resize(50, 10)
        await asyncio.sleep(0.1)
        await participant.resize(80, 24)
        await participant.press("y", "backspace", "n", "enter")
        (answer,) = answers_of(participant)
        assert answer.first_choice_ms is not None
        assert answer.last_choice_ms is not None
        assert answer.away_ms is not None
        assert answer.rt_ms is not None
        assert 100 <= answer.away_ms <= answer.first_choice_ms < answer.last_choice_ms < answer.rt_ms
        assert answer.changes == 1


async def test_a_question_covered_just_before_it_appeared_was_not_away_for_longer_than_it_was_there(
    tmp_path: Path,
) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        page = participant.app.screen
        assert isinstance(page, Page)
        page.came_back(60.0)  # a dialog that was opened while the question was being painted
        await participant.press("y", "enter")
        (answer,) = answers_of(participant)
        assert answer.away_ms == answer.rt_ms


async def test_a_session_with_pages_that_were_covered_is_verified_without_a_note(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        for _ in range(2):
            await participant.press("ctrl+q")
            await asyncio.sleep(0.15)  # longer than what passes for an inexact clock
            await participant.press("enter")  # go on
            await participant.resize(50, 10)
            await participant.resize(80, 24)
            await participant.press("y", "enter")
        result = verify(participant.log)
        assert (result.verdict, result.rederived, result.notes) == ("verified", 2, [])


@pytest.mark.parametrize("damage", [emptied, cut, overwritten, grown, replaced, removed])
async def test_a_participant_notices_nothing_when_another_program_changes_the_log(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        for question in (1, 2):
            damage(participant.log)
            assert participant.shows("question", question=question)
            await participant.press("y", "enter")
            assert not participant.shows("not_saved")
        assert participant.shows("question", question=3)
        assert keys_of(participant) == ["y", "y"]


async def test_the_latest_answer_is_always_in_the_list(tmp_path: Path) -> None:
    questions = 30  # more than the list has room for
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": questions, "answers": {"confirm": False}})
    async with running(loaded, tmp_path, size=(60, 20)) as participant:
        await participant.press("enter", *"n" * (questions - 2))
        shown = participant.text().count(" no")
        first, last = answers_of(participant)[0], participant.question()
        assert shown < questions - 2
        await participant.press("y")
        assert f"{last} yes" in participant.text()
        assert f"{first.word} yes" not in participant.text()


async def test_what_follows_the_first_question_is_computed_before_it_appears(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        sitting = participant.app.sitting
        assert sitting is not None
        await participant.until(lambda: sitting._questions)
        assert sitting._questions is not None
        assert sitting._questions._next is not None
        assert "relevant?" not in participant.text()


async def test_nothing_is_computed_until_a_moment_after_the_next_question_has_appeared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_page, "QUIET", 0.5)
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("n", "enter")
        sitting = participant.app.sitting
        assert sitting is not None
        assert sitting._questions is not None
        questions = sitting._questions
        assert questions._next is None
        await participant.until(lambda: questions._next)


async def test_an_answer_within_that_moment_is_followed_by_the_right_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY)
    asked = []
    for moment, folder in ((0.0, "early"), (30.0, "late")):
        monkeypatch.setattr(round_page, "QUIET", moment)
        async with running(loaded, tmp_path / folder) as participant:
            await participant.press("enter", *["n", "enter"] * loaded.study.questions)
            asked.append([(answer.word, answer.digest) for answer in answers_of(participant)])
    assert len(asked[0]) == loaded.study.questions
    assert asked[0] == asked[1]


# Clicks


async def test_a_click_on_an_answer_counts_like_its_key(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.click("y  yes")
        assert "● y  yes" in participant.text()
        assert not answers_of(participant)
        await participant.click("n  no")
        assert "● n  no" in participant.text()
        await participant.press("enter")
        (answer,) = answers_of(participant)
        assert (answer.answer, answer.changes, answer.stray_keys) == ("n", 1, 0)
        assert answer.first_choice_ms is not None
        assert answer.last_choice_ms is not None
        assert answer.rt_ms is not None
        assert 0 < answer.first_choice_ms < answer.last_choice_ms < answer.rt_ms


async def test_without_confirmation_a_click_alone_answers(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, answers={"confirm": False}, **ROUNDS_ONLY)
    async with running(loaded, tmp_path) as participant:
        await participant.press("enter")
        await participant.click("y  yes")
        await participant.settled()
        assert keys_of(participant) == ["y"]


async def test_a_click_elsewhere_does_nothing_and_is_no_stray_key(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        before = participant.text()
        rows = before.split("\n")
        row = next(number for number, line in enumerate(rows) if "○ y" in line)
        between = rows[row].index("yes") + 5
        for column, line in ((between, row), (2, row), (30, 3), (3, 23), (79, 0)):
            await participant.click_at(column, line)
        await participant.click_at(rows[row].index("yes"), row, button=3)
        assert participant.text() == before
        await participant.press("y", "enter")
        (answer,) = answers_of(participant)
        assert answer.stray_keys == 0


async def test_a_click_before_a_question_is_on_screen_does_not_answer_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 3.0, "hold": 0.0}, answers={"confirm": False}, **ROUNDS_ONLY)
    async with running(loaded, tmp_path) as participant:
        await participant.go_to_first_question()
        rows = participant.text().split("\n")
        row = next(number for number, line in enumerate(rows) if "○ y" in line)
        await participant.hit("n")
        await participant.click_at(rows[row].index("yes"), row)
        await participant.settled()
        assert keys_of(participant) == ["n"]
