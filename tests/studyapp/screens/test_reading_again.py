"""The instructions can be read again, over any page after them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driving import ROUNDS_ONLY, Person, running, study_in

from studyapp.base.clock import ms
from studyapp.session.events import Answered, Reread, Stayed
from studyapp.session.verification import verify

STUDY: dict[str, Any] = ROUNDS_ONLY | {"instructions": ["The first page.", "The second page."]}


async def go_to_first_question(person: Person) -> None:
    await person.press("enter", "enter")
    assert person.page() == "BeforeRoundPage"
    await person.press("enter")


async def test_instructions_can_be_read_again_over_a_question_which_stays_as_it_was(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as person:
        await go_to_first_question(person)
        shown = person.time.seconds()
        await person.press("y", "f1")
        assert "The first page." in person.text()
        assert "relevant?" not in person.text()
        await person.press("n")  # answers nothing
        await person.press("enter")
        assert "The second page." in person.text()
        person.time.wait(60.0)
        await person.press("enter")
        assert person.page() == "RoundPage"
        assert "● y  yes" in person.text()
        assert person.shows("question", question=1)
        again = person.events()[-1]
        assert isinstance(again, Reread)
        await person.press("enter")
        answered = person.events()[-1]
        assert isinstance(answered, Answered)
        assert again.ms == answered.away_ms
        assert again.ms == pytest.approx(60_000 + 3 * 250, abs=0.2)
        assert answered.rt_ms == pytest.approx(ms(person.app.last_key - shown), abs=0.2)
        assert (answered.answer, answered.stray_keys) == ("y", 0)
        result = verify(person.log)
        assert (result.verdict, result.notes) == ("verified", [])


async def test_escape_returns_from_any_page_and_ctrl_q_leads_to_the_dialog(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as person:
        await person.press("enter", "enter", "f1", "escape")
        assert person.page() == "BeforeRoundPage"
        await person.press("enter", "f1", "enter", "escape")
        assert person.page() == "RoundPage"
        await person.press("f1")
        await person.hit("ctrl+q")
        await person.until(lambda: person.shows("leave_title"))
        await person.press("enter")
        assert person.page() == "RoundPage"
        assert [type(event) for event in person.events()[-2:]] == [Reread, Stayed]


async def test_a_window_made_small_and_large_again_leaves_the_instructions_up(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as person:
        await go_to_first_question(person)
        await person.press("f1")
        await person.resize(50, 10)
        await person.resize(80, 24)
        await person.until_page("InstructionsAgain")
        await person.press("escape")
        assert person.page() == "RoundPage"


async def test_f1_is_shown_and_works_only_once_there_are_instructions_that_were_read(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY | {"consent": "Yes?"}), tmp_path) as person:
        for page in ("ConsentPage", "InstructionsPage"):
            assert person.page() == page
            assert not person.shows("reread_hint")
            await person.press("f1")
            assert person.page() == page
            await person.answer()
        assert person.shows("reread_hint")
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, "P08") as person:
        await person.press("f1")
        assert person.page() == "BeforeRoundPage"
        assert not person.shows("reread_hint")
