"""Every page in the smallest window; and a window that is too small."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, Person, asking, running, study_in
from textual.events import Resize
from textual.geometry import Size

from studyapp.screens.app import SMALLEST, StudyApp
from studyapp.session.events import Responded
from studyapp.study.loading import load
from studyapp.study.questionnaires import READY_MADE

LONG_ID = "x" * 64
SCROLLING = ("ConsentPage", "InstructionsPage", "ConfirmItemsPage")
MODELS = {"Xantippe": {"teacher": "naive"}, "Ypsilon": {"teacher": "mixture"}}
SECRET = {*MODELS, "naive", "mixture", "planning", "teacher", "model", "models", "Laplace"}


def shown_id(person: Person) -> str:
    """What is in the corner below."""
    return person.text().rstrip().split("\n")[-1].split()[0]


@pytest.mark.parametrize(
    "look",
    [
        "dark",
        pytest.param("light", marks=pytest.mark.prove),
        pytest.param("terminal", marks=pytest.mark.prove),
    ],
)
async def test_every_page_fits_into_the_smallest_window_has_the_id_and_names_no_model(
    tmp_path: Path, look: str
) -> None:
    published = load().study
    changes = {
        "look": look,
        "models": MODELS,
        "questions": 15,
        "targets": ["elephant"],
        "consent": published.consent,
        "instructions": published.instructions,
        "at_end": ["nasa-tlx", "sus"],
        "breaks": {"every": 1},
    }
    width, height = SMALLEST
    pages, shown = set(), set[str]()

    def look_at(person: Person) -> None:
        page = person.page()
        pages.add(page)
        for line in person.app.screen.query("Line"):
            if line.content and page not in SCROLLING:
                assert line.region.bottom <= height, (page, line.id, person.text())
                assert line.region.right <= width, (page, line.id, person.text())
        corner = shown_id(person)
        assert corner.endswith("…")
        assert LONG_ID.startswith(corner[:-1])
        shown.update(person.words(), person.app.title.split(), person.app.sub_title.split())

    loaded = study_in(tmp_path, **ROUNDS_ONLY | changes)
    async with running(loaded, tmp_path, LONG_ID, size=SMALLEST) as person:
        while not person.session.over:
            look_at(person)
            assert person.shows("leave_hint")
            if person.page() == "scale item":
                twenty = person.session.step.item.most == 20  # type: ignore[union-attr]
                await person.press(*("1", "2") if twenty else ("4",), "enter")
            else:
                await person.answer()
        look_at(person)
        responses = [event for event in person.events() if isinstance(event, Responded)]
    assert pages == {*SCROLLING, "BeforeRoundPage", "RoundPage", "BreakPage", "scale item", "EndPage"}
    assert {"elephant", "yes", "relevant"} <= shown  # the screen was read
    assert not SECRET & shown
    items = [item.id for questionnaire in READY_MADE for item in questionnaire.items]
    assert [(event.item, event.value) for event in responses] == list(
        zip(items, [12] * 6 + [4] * 10, strict=True)
    )


async def test_a_window_that_is_too_small_says_so_and_takes_no_answers(tmp_path: Path) -> None:
    width, height = SMALLEST
    async with asking(tmp_path) as person:
        await person.resize(width - 1, height)
        assert person.shows("too_small", width=width, height=height)
        await person.hit("y", "enter")
        await person.resize(width, height)
        assert person.page() == "RoundPage"
        assert person.shows("question", question=1)
        await person.press("y", "enter")
        assert person.shows("question", question=2)


def test_a_window_whose_size_changes_while_the_app_ends_is_no_fault(tmp_path: Path) -> None:
    app = StudyApp(study_in(tmp_path), tmp_path / "sessions")
    app.on_resize(Resize(Size(50, 10), Size(50, 10)))  # there are no screens now, as when they are gone
