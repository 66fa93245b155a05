"""Answering the questions of a round: what counts, what doesn't, and how it is timed."""

from __future__ import annotations

import errno
import threading
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from driving import KEYSTROKE, MORNING, ROUNDS_ONLY, Person, asking, brought, running, study_in
from meddling import cut, emptied, grown, overwritten, removed, replaced
from textual.events import Paste

from studyapp.base.clock import ms
from studyapp.screens import round as round_page
from studyapp.screens.page import Page
from studyapp.session.events import Answered, Finished
from studyapp.session.questions import Questions
from studyapp.session.session import AskWord
from studyapp.session.verification import verify

KEY_MS = ms(KEYSTROKE)


def answers_of(person: Person) -> list[Answered]:
    return [event for event in person.events() if isinstance(event, Answered)]


def keys_of(person: Person) -> list[str]:
    return [answer.answer for answer in answers_of(person)]


async def test_an_answer_can_be_changed_before_enter_and_wrong_keys_never_count(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.press("enter")
        assert person.shows("choose_first")
        await person.press("x", "tab", "f1", "left")
        assert person.shows("wrong_key")
        await person.press("y")
        assert "● y  yes" in person.text()
        await person.press("n", "Y", "N")
        assert "● n  no" in person.text()
        await person.press("enter")
        (answer,) = answers_of(person)
        assert (answer.question, answer.answer, answer.changes, answer.stray_keys) == (1, "n", 3, 4)
        assert f"{answer.word} no" in person.text()


async def test_with_single_key_answers_neither_a_key_nor_a_click_needs_enter(tmp_path: Path) -> None:
    async with asking(tmp_path, answers={"yes": "k", "no": "e", "confirm": False}) as person:
        await person.press("k", "e")
        await person.click("k  yes")
        await person.settled()
        assert keys_of(person) == ["y", "n", "y"]


async def test_no_key_and_no_click_answers_a_question_before_it_is_on_screen(tmp_path: Path) -> None:
    async with asking(tmp_path, pace={"pause": 3.0, "hold": 0.0}, answers={"confirm": False}) as person:
        rows = person.text().split("\n")
        row = next(number for number, line in enumerate(rows) if "○ y" in line)
        await person.hit("y", "n", "n", "y")  # one answer, and three keys during the pause
        await person.click_at(rows[row].index("yes"), row)
        assert "relevant?" not in person.text()
        await person.settled()
        assert keys_of(person) == ["y"]
        assert person.shows("question", question=2)


async def test_a_key_held_down_answers_one_question(tmp_path: Path) -> None:
    async with asking(tmp_path, pace={"pause": 0.05, "hold": 1.5}, answers={"confirm": False}) as person:
        await person.hold("y", lambda: person.shows("question", question=2))
        assert keys_of(person) == ["y"]
        assert person.shows("too_quick")
        person.let_go()
        await person.press("y")
        assert [(answer.answer, answer.stray_keys) for answer in answers_of(person)] == [("y", 0), ("y", 1)]


async def test_a_paste_answers_nothing(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        person.app.screen.post_message(Paste("y\ny\ny\n"))
        await person.handled()
        assert person.shows("wrong_key")
        assert not answers_of(person)


# Times


async def test_the_time_of_an_answer_runs_from_its_painted_question_to_the_key_that_confirms_it(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path, pace={"pause": 1.0, "hold": 0.0}) as person:
        painted: list[float] = []  # when the second question was on the screen

        def slow_terminal() -> None:
            person.time.wait(0.5)
            if person.shows("question", question=2) and "relevant?" in person.text():
                painted.append(person.time.seconds())

        await person.press("y")
        person.drawn = slow_terminal
        await person.press("enter")
        person.drawn = lambda: None
        confirmed = person.app.last_key
        await person.press("n", "x", "y", "enter")
        answer = answers_of(person)[1]
        shown = person.app.last_key - answer.rt_ms / 1000  # type: ignore[operator]
        assert shown == pytest.approx(painted[0], abs=0.0002)
        assert answer.delay_ms == pytest.approx(ms(painted[0] - confirmed), abs=0.2)
        assert answer.delay_ms >= 1000 + 500  # the pause, and the painting
        shown_at = datetime.fromisoformat(answer.shown_at) - MORNING
        assert shown_at.total_seconds() == pytest.approx(painted[0], abs=0.001)
        times = answer.first_choice_ms, answer.last_choice_ms, answer.rt_ms
        assert times == pytest.approx((KEY_MS, 3 * KEY_MS, 4 * KEY_MS), abs=0.2)


async def test_time_under_a_covered_page_is_recorded_apart_and_verified_without_a_note(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path, pace={"pause": 1.0, "hold": 0.0}) as person:
        await person.resize(50, 10)
        person.time.wait(60.0)
        await person.resize(80, 24)
        await person.press("y", "backspace", "n")
        await person.hit("enter", "ctrl+q")  # during the pause, which begins anew afterwards
        person.time.wait(30.0)
        await person.press("enter", "y", "ctrl+q")
        person.time.wait(30.0)
        await person.press("enter", "enter")
        first, second = answers_of(person)
        assert (first.away_ms, first.changes) == (60_000, 1)
        assert first.rt_ms == pytest.approx(60_000 + 4 * KEY_MS, abs=0.2)
        assert second.delay_ms == pytest.approx(1000, abs=0.2)
        assert second.away_ms == pytest.approx(30_000 + KEY_MS, abs=0.2)
        assert second.rt_ms == pytest.approx(30_000 + 4 * KEY_MS, abs=0.2)
        result = verify(person.log)
        assert (result.verdict, result.rederived, result.notes) == ("verified", 2, [])


async def test_a_question_covered_just_before_it_appeared_was_not_away_for_longer_than_it_was_there(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path) as person:
        page = person.app.screen
        assert isinstance(page, Page)
        page.came_back(60.0)  # a dialog that was opened while the question was being painted
        await person.press("y", "enter")
        (answer,) = answers_of(person)
        assert answer.away_ms == answer.rt_ms


# Saving


FULL = OSError(errno.ENOSPC, "full")


async def test_an_answer_that_cannot_be_saved_keeps_the_question(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        before = person.log.read_bytes()
        with patch("os.fsync", side_effect=FULL):
            await person.press("y", "enter")
        assert person.shows("not_saved")
        assert "the disk is full" in person.flat_text()
        assert person.shows("question", question=1)
        assert person.log.read_bytes() == before
        await person.press("enter")
        assert keys_of(person) == ["y"]
        assert person.shows("question", question=2)
        assert not person.shows("not_saved")


async def test_an_end_that_cannot_be_saved_is_saved_with_enter(tmp_path: Path) -> None:
    async with asking(tmp_path, targets=["tea"], questions=1) as person:
        await person.press("y", "enter", "enter")
        with patch("os.fsync", side_effect=[None, FULL]):  # the answer is saved
            await person.press("y", "enter")
            await person.until(lambda: person.shows("end_title"))
        assert person.shows("not_saved")
        assert isinstance(person.events()[-1], Answered)
        await person.press("enter")
        assert not person.shows("not_saved")
        assert isinstance(person.events()[-1], Finished)


async def test_a_participant_notices_nothing_when_another_program_changes_the_log(tmp_path: Path) -> None:
    damages = [emptied, cut, overwritten, grown, replaced, removed]
    async with asking(tmp_path, questions=len(damages) + 1) as person:
        for question, damage in enumerate(damages, 1):
            damage(person.log)
            await person.press("y", "enter")
            assert person.shows("question", question=question + 1), damage
            assert not person.shows("not_saved"), damage
        assert keys_of(person) == ["y"] * len(damages)


async def test_the_latest_answer_is_always_in_the_list(tmp_path: Path) -> None:
    questions = 30  # more than the list has room for
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": questions, "answers": {"confirm": False}})
    brought(loaded, tmp_path, lambda step: isinstance(step, AskWord) and step.question == questions - 1)
    async with running(loaded, tmp_path, size=(60, 20)) as person:
        await person.press("y")
        given = [f"{answer.word} {'yes' if answer.answer == 'y' else 'no'}" for answer in answers_of(person)]
        lines = str(person.app.screen.query_one("#answers").content).split("\n")  # type: ignore[attr-defined]
        shown = " · ".join(lines).split(" · ")
        assert len(shown) < len(given) == questions - 1
        assert shown == given[-len(shown) :]
        assert all(line in person.text() for line in lines)


# What is computed, and when


def questions_of(person: Person) -> Questions:
    assert person.app.sitting is not None
    assert person.app.sitting._questions is not None
    return person.app.sitting._questions


async def test_a_question_that_is_not_ready_when_it_is_due_is_late(tmp_path: Path) -> None:
    ready = threading.Event()
    async with asking(tmp_path) as person:
        await person.hit("n")
        questions_of(person)._pool.submit(ready.wait)
        await person.hit("enter")
        person.time.wait(5.0)
        await person.handled()
        assert "relevant?" not in person.text()
        ready.set()
        await person.press("y", "enter", "y", "enter")
        assert [answer.late for answer in answers_of(person)] == [False, True, False]
        assert answers_of(person)[1].delay_ms == pytest.approx(5000, abs=0.2)


async def test_what_follows_the_first_question_is_computed_before_it_appears(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as person:
        assert questions_of(person)._next is not None
        assert "relevant?" not in person.text()


async def test_nothing_is_computed_until_a_moment_after_the_next_question_has_appeared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_page, "QUIET", 10.0)
    async with asking(tmp_path) as person:
        await person.press("n", "enter")
        questions = questions_of(person)
        for seconds, computed in ((9.8, False), (0.3, True)):  # after 9.8, the moment of the first is over
            assert questions._next is None
            person.time.wait(seconds)
            await person.handled()
            assert (questions._next is not None) == computed


async def test_an_answer_within_that_moment_is_followed_by_the_right_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    for moment, folder in ((0.0, "early"), (30.0, "late")):
        monkeypatch.setattr(round_page, "QUIET", moment)
        (tmp_path / folder).mkdir()
        async with asking(tmp_path / folder) as person:
            await person.press(*["n", "enter"] * 3)
            asked.append([(answer.word, answer.digest) for answer in answers_of(person)])
    assert len(asked[0]) == 3
    assert asked[0] == asked[1]


# Clicks


async def test_a_click_on_an_answer_counts_like_its_key(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        await person.click("y  yes")
        assert "● y  yes" in person.text()
        assert not answers_of(person)
        await person.click("n  no")
        assert "● n  no" in person.text()
        await person.press("enter")
        (answer,) = answers_of(person)
        assert (answer.answer, answer.changes, answer.stray_keys) == ("n", 1, 0)
        times = answer.first_choice_ms, answer.last_choice_ms, answer.rt_ms
        assert times == pytest.approx((KEY_MS, 2 * KEY_MS, 3 * KEY_MS), abs=0.2)


async def test_a_click_elsewhere_does_nothing_and_is_no_stray_key(tmp_path: Path) -> None:
    async with asking(tmp_path) as person:
        before = person.text()
        rows = before.split("\n")
        row = next(number for number, line in enumerate(rows) if "○ y" in line)
        between = rows[row].index("yes") + 5
        for column, line in ((between, row), (2, row), (30, 3), (3, 23), (79, 0)):
            await person.click_at(column, line)
        await person.click_at(rows[row].index("yes"), row, button=3)
        assert person.text() == before
        await person.press("y", "enter")
        (answer,) = answers_of(person)
        assert answer.stray_keys == 0
