"""The instructions can be read again, over any page after them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from driving import ROUNDS_ONLY, running, study_in

from studyapp.session.events import Answered, Reread, Stayed
from studyapp.session.verification import verify

INSTRUCTIONS = ["The first page.", "The second page."]
STUDY = ROUNDS_ONLY | {"instructions": INSTRUCTIONS}


async def test_instructions_can_be_read_again_over_a_question_which_stays_as_it_was(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("y", "f1")
        assert "The first page." in participant.text()
        assert "relevant?" not in participant.text()
        await participant.press("n")  # answers nothing
        await participant.press("enter")
        assert "The second page." in participant.text()
        await asyncio.sleep(0.15)
        await participant.press("enter")
        assert participant.page() == "RoundPage"
        assert "● y  yes" in participant.text()
        assert participant.shows("question", question=1)
        again = participant.events()[-1]
        assert isinstance(again, Reread)
        await participant.press("enter")
        answered = participant.events()[-1]
        assert isinstance(answered, Answered)
        assert answered.rt_ms is not None
        assert answered.away_ms is not None
        assert 150 <= again.ms <= answered.away_ms + 1 < answered.rt_ms
        assert (answered.answer, answered.stray_keys) == ("y", 0)
        result = verify(participant.log)
        assert (result.verdict, result.notes) == ("verified", [])


async def test_escape_returns_from_any_page_of_the_instructions(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as participant:
        await participant.press("enter", "enter")
        assert participant.page() == "BeforeRoundPage"
        await participant.press("f1", "escape")
        assert participant.page() == "BeforeRoundPage"
        await participant.press("enter")
        assert participant.page() == "RoundPage"


async def test_one_can_leave_while_reading_again(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("f1")
        await participant.hit("ctrl+q")
        await participant.until(lambda: participant.shows("leave_title"))
        await participant.press("enter")
        assert participant.page() == "RoundPage"
        assert [type(event) for event in participant.events()[-2:]] == [Reread, Stayed]


async def test_a_window_made_small_and_large_again_leaves_the_instructions_up(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.press("f1")
        await participant.resize(50, 10)
        await participant.resize(80, 24)
        await participant.until_page("InstructionsAgain")
        await participant.press("escape")
        assert participant.page() == "RoundPage"


async def test_f1_is_shown_and_works_only_once_there_are_instructions_that_were_read(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **STUDY | {"consent": "Yes?"}), tmp_path) as participant:
        for page in ("ConsentPage", "InstructionsPage"):
            assert participant.page() == page
            assert not participant.shows("reread_hint")
            await participant.press("f1")
            assert participant.page() == page
            await participant.answer()
        assert participant.shows("reread_hint")
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, "P08") as participant:
        await participant.press("f1")
        assert participant.page() == "BeforeRoundPage"
        assert not participant.shows("reread_hint")
