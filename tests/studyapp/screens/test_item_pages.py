"""Questionnaires on the screen: one page per item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driving import ROUNDS_ONLY, Person, running, study_in
from textual.events import Paste

from studyapp.screens.app import SMALLEST
from studyapp.session.events import Confirmed, Responded
from studyapp.session.verification import verify
from studyapp.study.questionnaires import READY_MADE


def with_two_texts(*, optional: bool) -> dict[str, Any]:
    """One question, then two items of free text."""
    items = [{"id": name, "kind": "text", "ask": name, "optional": optional} for name in ("first", "second")]
    return ROUNDS_ONLY | {"questionnaires": {"texts": items}, "after_round": ["texts"], "questions": 1}


async def test_nasa_tlx_and_sus_are_ready_to_use(tmp_path: Path) -> None:
    changes = {"targets": ["tea"], "questions": 1, "at_end": ["nasa-tlx", "sus"]}
    async with running(study_in(tmp_path, **ROUNDS_ONLY | changes), tmp_path) as participant:
        while not participant.session.over:
            if participant.page() == "scale item":
                twenty = participant.session.step.item.most == 20  # type: ignore[union-attr]
                await participant.press(*("1", "2") if twenty else ("4",), "enter")
            else:
                await participant.answer()
        responses = [event for event in participant.events() if isinstance(event, Responded)]
    assert [event.item for event in responses] == [
        item.id for questionnaire in READY_MADE for item in questionnaire.items
    ]
    assert [event.value for event in responses] == [12] * 6 + [4] * 10


def responses_of(participant: Person) -> list[tuple[str, str | int | None]]:
    return [(event.item, event.value) for event in participant.events() if isinstance(event, Responded)]


async def test_enter_held_down_leaves_no_item_empty(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.0, "hold": 1.5}, **with_two_texts(optional=True))
    async with running(loaded, tmp_path) as participant:
        await participant.press("enter", "y")
        participant.let_go()
        await participant.press("enter")
        assert "first" in participant.words()
        participant.let_go()
        await participant.hit("tab")
        await participant.hold("enter", lambda: "second" in participant.words())
        assert "second" in participant.words()
        assert responses_of(participant) == [("first", None)]


async def test_two_enters_at_once_answer_one_item(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **with_two_texts(optional=False)), tmp_path) as participant:
        await participant.press("enter", "y", "enter")
        assert "first" in participant.words()
        await participant.hit_at_once(*"hello", "tab")
        await participant.hit_at_once("enter", "enter")
        await participant.until(lambda: "second" in participant.words())
        assert responses_of(participant) == [("first", "hello")]


# Free text


def with_text(**settings: Any) -> dict[str, Any]:
    """One question, then one item of free text."""
    item = {"id": "text", "kind": "text", "ask": "Anything?"} | settings
    return ROUNDS_ONLY | {"questionnaires": {"text": [item]}, "after_round": ["text"], "questions": 1}


async def test_free_text_has_several_lines_and_the_foot_says_how_to_confirm_it(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **with_text()), tmp_path) as participant:
        await participant.press("enter", "y", "enter")
        assert participant.shows("text_hint")
        await participant.press(*"One", "enter", *"two")
        assert participant.page() == "text item"
        await participant.press("tab")
        assert participant.shows("text_confirm")
        assert not participant.shows("text_hint")
        await participant.press("x")
        assert participant.shows("wrong_key")
        await participant.press("tab", "s", "tab", "enter")
        assert responses_of(participant) == [("text", "One\ntwos")]


async def test_text_can_be_pasted_without_what_cannot_be_seen_up_to_its_length(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **with_text(longest=12)), tmp_path) as participant:
        await participant.press("enter", "y", "enter")
        participant.app.screen.focused.post_message(Paste("a\x1b[31mb\r\nc\td\u202ee and more"))  # type: ignore[union-attr]
        await participant.handled()
        assert participant.shows("text_full", longest=12)
        await participant.press("x", "tab", "enter")
        assert responses_of(participant) == [("text", "a[31mb\ncde a")]


async def test_text_that_is_needed_cannot_be_empty(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **with_text()), tmp_path) as participant:
        await participant.press("enter", "y", "enter", " ", "enter", "tab", "enter")
        assert participant.shows("needed")
        assert participant.shows("text_hint")  # where the participant is again
        await participant.press("a", "tab", "enter")
        assert responses_of(participant) == [("text", "a")]


@pytest.mark.parametrize(("optional", "prompt"), [(True, "text_skip"), (False, "text_empty")])
async def test_the_foot_of_an_empty_text_says_what_can_be_done(
    tmp_path: Path, optional: bool, prompt: str
) -> None:
    async with running(study_in(tmp_path, **with_text(optional=optional)), tmp_path) as participant:
        await participant.press("enter", "y", "enter", " ", "tab")
        assert participant.shows(prompt)
        assert not participant.shows("text_confirm")
        await participant.press("tab", "a", "tab")
        assert participant.shows("text_confirm")
        assert not participant.shows(prompt)


# Going back

ITEMS = [
    {"id": "a", "kind": "choice", "ask": "Which?", "choices": ["left", "right"]},
    {"id": "b", "kind": "scale", "ask": "How much?", "most": 7, "low": "little", "high": "much"},
    {"id": "c", "kind": "text", "ask": "What else?", "optional": True},
]
THREE = ROUNDS_ONLY | {"questionnaires": {"q": ITEMS}, "at_end": ["q"], "questions": 1, "targets": ["tea"]}


async def go_to_items(participant: Person) -> None:
    while participant.page() != "choice item":
        await participant.answer()


async def test_an_answer_can_be_gone_back_to_and_changed_until_all_are_confirmed(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **THREE), tmp_path) as participant:
        await go_to_items(participant)
        assert not participant.shows("back")
        await participant.press("backspace")  # there is nothing to go back to
        assert participant.shows("wrong_key")
        await participant.press("1", "enter", "5", "enter", *"so", "tab", "enter")
        assert participant.shows("check_title")
        assert "left" in participant.words()
        assert "5 (1: little, 7: much)" in participant.text()
        assert "so" in participant.words()
        await participant.press("backspace", "backspace", "backspace")
        assert "● 1  left" in participant.text()
        assert participant.shows("item_given")
        await participant.press("2", "enter")
        assert "●" in participant.text()  # the next item, with its answer
        await participant.press("enter", "enter")
        assert participant.shows("check_title")
        assert responses_of(participant) == [("a", "left"), ("b", 5), ("c", "so"), ("a", "right")]
        await participant.press("enter")
        assert participant.shows("end_title")
        assert isinstance(participant.events()[-2], Confirmed)


async def test_an_answer_that_was_not_confirmed_stays_when_the_participant_goes_back(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **THREE), tmp_path) as participant:
        await go_to_items(participant)
        await participant.press("1", "enter", "5", "enter", *"so", "tab", "backspace", "enter")
        assert participant.page() == "text item"
        assert "so" in participant.words()
        await participant.press(*" far", "tab", "enter")
        assert responses_of(participant) == [("a", "left"), ("b", 5), ("c", "so far")]


async def test_going_back_over_a_text_erases_nothing_and_tab_leads_into_it(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **THREE), tmp_path) as participant:
        await go_to_items(participant)
        await participant.press("1", "enter", "5", "enter", *"so", "tab", "enter", "backspace")
        assert participant.page() == "text item"
        assert participant.shows("text_given")
        assert participant.shows("back")
        await participant.press("backspace")
        assert participant.page() == "scale item"
        await participant.press("enter", "tab", *" far", "tab", "enter")
        assert participant.shows("check_title")
        assert responses_of(participant) == [("a", "left"), ("b", 5), ("c", "so"), ("c", "so far")]


async def test_after_a_crash_answers_are_still_there_and_can_be_gone_back_to(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **THREE)
    async with running(loaded, tmp_path) as participant:
        await go_to_items(participant)
        await participant.press("1", "enter", "5", "enter")
    async with running(loaded, tmp_path) as participant:
        assert participant.page() == "text item"
        await participant.press("tab", "backspace")
        assert participant.page() == "scale item"
        assert "●" in participant.text()
        await participant.press("6", "enter", "tab", "enter")
    async with running(loaded, tmp_path) as participant:
        assert participant.shows("check_title")
        assert participant.shows("skipped")
        await participant.press("enter")
        assert responses_of(participant) == [("a", "left"), ("b", 5), ("b", 6), ("c", None)]
        assert verify(participant.log).verdict == "verified"


# Confirming

MANY = [
    {"id": f"i{number}", "kind": "scale", "ask": f"How much of {number}?", "most": 7} for number in range(12)
]


async def test_answers_below_the_window_are_not_confirmed_before_they_can_be_seen(tmp_path: Path) -> None:
    changes = THREE | {"questionnaires": {"q": MANY}}
    async with running(study_in(tmp_path, **changes), tmp_path, size=SMALLEST) as participant:
        while participant.page() != "ConfirmItemsPage":
            await participant.answer()
        await participant.until(lambda: participant.shows("more"))
        assert "There is more below. Use the arrow keys." in participant.flat_text()
        assert not participant.shows("check_confirm")
        for _ in range(3):
            await participant.press("enter")
            assert participant.shows("wrong_key")
            assert participant.shows("more")
            assert participant.page() == "ConfirmItemsPage"
        assert not any(isinstance(event, Confirmed) for event in participant.events())
        await participant.hit("end")
        await participant.until(lambda: participant.shows("check_confirm"))
        assert not participant.shows("more")
        assert not participant.shows("wrong_key")
        await participant.press("enter")
        assert participant.shows("end_title")
        assert isinstance(participant.events()[-2], Confirmed)


async def test_answers_below_the_window_can_still_be_gone_back_to(tmp_path: Path) -> None:
    changes = THREE | {"questionnaires": {"q": MANY}}
    async with running(study_in(tmp_path, **changes), tmp_path, size=SMALLEST) as participant:
        while participant.page() != "ConfirmItemsPage":
            await participant.answer()
        await participant.until(lambda: participant.shows("more") and participant.shows("back"))
        await participant.press("backspace")
        assert participant.page() == "scale item"


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (ITEMS[:2], "Press Enter for the next page, or change your answer."),
        (ITEMS[:1], "Press Enter to confirm, or change your answer."),
    ],
)
async def test_the_foot_says_whether_enter_confirms_an_answer_or_leads_to_the_next_page(
    tmp_path: Path, items: list[dict[str, Any]], said: str
) -> None:
    changes = THREE | {"questionnaires": {"q": items}}
    async with running(study_in(tmp_path, **changes), tmp_path) as participant:
        await go_to_items(participant)
        assert not participant.shows("item_given")
        assert not participant.shows("confirm")
        await participant.press("1")
        assert said in participant.flat_text()
        assert participant.shows("item_given") != participant.shows("confirm")
        await participant.press("enter")
        if len(items) == 2:
            await participant.press("5")
            assert said in participant.flat_text()
        else:
            assert participant.shows("end_title")


# Clicks


async def test_a_click_chooses_an_answer_and_enter_confirms_it(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **THREE), tmp_path) as participant:
        await go_to_items(participant)
        await participant.click("2  right")
        assert "● 2  right" in participant.text()
        assert participant.shows("item_given")
        await participant.press("enter")
        rows = participant.text().split("\n")
        row = next(number for number, line in enumerate(rows) if "○" in line)
        third = [column for column, character in enumerate(rows[row]) if character == "○"][2]
        await participant.click_at(third, row)
        await participant.press("enter")
        assert responses_of(participant) == [("a", "right"), ("b", 3)]


async def test_clicks_elsewhere_and_with_another_button_do_nothing(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **THREE), tmp_path) as participant:
        await go_to_items(participant)
        before = participant.text()
        for column, row in ((3, 2), (40, 20), (2, 23), (70, 23), (79, 0)):
            await participant.click_at(column, row)
        await participant.click_at(2, 4, button=3)
        assert participant.text() == before
        await participant.press("1", "enter", "2", "enter")
        await participant.click("What else?")  # the text stays where keys go
        await participant.press(*"ok", "tab", "enter")
        assert responses_of(participant)[-1] == ("c", "ok")
