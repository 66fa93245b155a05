"""Pages in small windows."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, running, study_in

from studyapp.screens.app import SMALLEST
from studyapp.study.loading import load

SCROLLING = ("ConsentPage", "InstructionsPage", "ConfirmItemsPage")


@pytest.mark.parametrize(
    "look",
    [
        "dark",
        pytest.param("light", marks=pytest.mark.prove),
        pytest.param("terminal", marks=pytest.mark.prove),
    ],
)
async def test_everything_fits_into_the_smallest_window(tmp_path: Path, look: str) -> None:
    published = load().study
    changes = {
        "look": look,
        "questions": 15,
        "targets": ["elephant"],
        "consent": published.consent,
        "instructions": published.instructions,
        "at_end": ["nasa-tlx", "sus"],
        "breaks": {"every": 1},
        "answers": {"confirm": True},
    }
    width, height = SMALLEST
    pages = set()
    async with running(study_in(tmp_path, **ROUNDS_ONLY | changes), tmp_path, size=SMALLEST) as participant:
        while not participant.session.over:
            page = participant.page()
            pages.add(page)
            for line in participant.app.screen.query("Line"):
                if line.content and page not in SCROLLING:
                    assert line.region.bottom <= height, (page, line.id, participant.text())
                    assert line.region.right <= width, (page, line.id, participant.text())
            assert participant.shows("leave_hint")
            await participant.answer()
    assert pages == {*SCROLLING, "BeforeRoundPage", "RoundPage", "BreakPage", "scale item"}


async def test_a_window_that_is_too_small_says_so_and_takes_no_answers(tmp_path: Path) -> None:
    width, height = SMALLEST
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.go_to_first_question()
        await participant.resize(width - 1, height)
        await participant.until(lambda: participant.shows("too_small", width=width, height=height))
        await participant.hit("y", "enter")
        await participant.resize(width, height)
        await participant.until_page("RoundPage")
        assert participant.shows("question", question=1)
        await participant.press("y", "enter")
        assert participant.shows("question", question=2)
