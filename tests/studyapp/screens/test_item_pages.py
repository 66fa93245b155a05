"""Questionnaires on the screen: one page per item."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from driving import ROUNDS_ONLY, Person, brought, running, study_in
from textual.events import Paste

from studyapp.screens.app import SMALLEST
from studyapp.screens.widgets import TextEntry
from studyapp.session.events import Confirmed, Responded
from studyapp.session.session import AskItem, ConfirmItems, Step
from studyapp.session.verification import verify

CHOICE = {"id": "a", "kind": "choice", "ask": "Which?", "choices": ["left", "right"]}
SCALE = {"id": "b", "kind": "scale", "ask": "How much?", "most": 7, "low": "little", "high": "much"}
TEXT = {"id": "c", "kind": "text", "ask": "What else?"}
THREE = [CHOICE, SCALE, TEXT | {"optional": True}]
MANY = [
    {"id": f"i{number}", "kind": "scale", "ask": f"How much of {number}?", "most": 7} for number in range(12)
]


@asynccontextmanager
async def at(
    step: type[Step], items: list[dict[str, Any]], folder: Path, **options: Any
) -> AsyncIterator[Person]:
    """A session that has come to its items, or to their confirmation."""
    pace = {"pause": 0.0, "hold": options.pop("hold", 0.0)}
    changes = {"questionnaires": {"q": items}, "at_end": ["q"], "questions": 1, "targets": ["tea"]}
    loaded = study_in(folder, **ROUNDS_ONLY | changes | {"pace": pace})
    brought(loaded, folder, lambda now: isinstance(now, step))
    async with running(loaded, folder, **options) as person:
        yield person


def responses_of(person: Person) -> list[tuple[str, str | int | None]]:
    return [(event.item, event.value) for event in person.events() if isinstance(event, Responded)]


async def test_enter_held_down_leaves_no_item_empty(tmp_path: Path) -> None:
    items = [TEXT | {"id": name, "ask": name, "optional": True} for name in ("first", "second")]
    async with at(AskItem, items, tmp_path, hold=1.5) as person:
        assert "first" in person.words()
        await person.hit("tab")
        await person.hold("enter", lambda: "second" in person.words())
        assert "second" in person.words()
        assert person.app.screen.query_one(TextEntry).text == ""
        assert responses_of(person) == [("first", None)]


async def test_two_enters_at_once_answer_one_item(tmp_path: Path) -> None:
    items = [TEXT | {"id": name, "ask": name} for name in ("first", "second")]
    async with at(AskItem, items, tmp_path) as person:
        await person.hit_at_once(*"hello", "tab")
        await person.hit_at_once("enter", "enter")
        await person.until(lambda: "second" in person.words())
        assert responses_of(person) == [("first", "hello")]


# Free text


async def test_free_text_has_several_lines_and_the_foot_says_how_to_confirm_it(tmp_path: Path) -> None:
    async with at(AskItem, [TEXT], tmp_path) as person:
        assert person.shows("text_hint")
        await person.press(*"One", "enter", *"two")
        assert person.page() == "text item"
        await person.press("tab")
        assert person.shows("text_confirm")
        assert not person.shows("text_hint")
        await person.press("x")
        assert person.shows("wrong_key")
        await person.press("tab", "s", "tab", "enter")
        assert responses_of(person) == [("c", "One\ntwos")]


async def test_text_can_be_pasted_without_what_cannot_be_seen_up_to_its_length(tmp_path: Path) -> None:
    async with at(AskItem, [TEXT | {"longest": 12}], tmp_path) as person:
        person.app.screen.focused.post_message(Paste("a\x1b[31mb\r\nc\td\u202ee and more"))  # type: ignore[union-attr]
        await person.handled()
        assert person.shows("text_full", longest=12)
        await person.press("x", "tab", "enter")
        assert responses_of(person) == [("c", "a[31mb\ncde a")]


@pytest.mark.parametrize(("optional", "prompt"), [(True, "text_skip"), (False, "text_empty")])
async def test_the_foot_of_an_empty_text_says_what_can_be_done(
    tmp_path: Path, optional: bool, prompt: str
) -> None:
    async with at(AskItem, [TEXT | {"optional": optional}], tmp_path) as person:
        await person.press(" ", "tab")
        assert person.shows(prompt)
        assert not person.shows("text_confirm")
        if not optional:
            await person.press("enter")
            assert person.shows("needed")
            assert person.shows("text_hint")  # where the participant is again
            assert responses_of(person) == []
        else:
            await person.press("tab")
        await person.press("a", "tab")
        assert person.shows("text_confirm")
        assert not person.shows(prompt)
        await person.press("enter")
        assert responses_of(person) == [("c", "a")]


# Going back


async def test_an_answer_can_be_gone_back_to_and_changed_until_all_are_confirmed(tmp_path: Path) -> None:
    async with at(AskItem, THREE, tmp_path) as person:
        assert not person.shows("back")
        await person.press("backspace")  # there is nothing to go back to
        assert person.shows("wrong_key")
        await person.press("1", "enter", "5", "enter", *"so", "tab", "enter")
        assert person.shows("check_title")
        assert "left" in person.words()
        assert "5 (1: little, 7: much)" in person.text()
        assert "so" in person.words()
        await person.press("backspace", "backspace", "backspace")
        assert "● 1  left" in person.text()
        assert person.shows("item_given")
        await person.press("2", "enter")
        assert "●" in person.text()  # the next item, with its answer
        await person.press("enter", "enter")
        assert person.shows("check_title")
        assert responses_of(person) == [("a", "left"), ("b", 5), ("c", "so"), ("a", "right")]
        await person.press("enter")
        assert person.shows("end_title")
        assert isinstance(person.events()[-2], Confirmed)


async def test_going_back_over_a_text_erases_nothing_and_tab_leads_into_it(tmp_path: Path) -> None:
    async with at(AskItem, THREE, tmp_path) as person:
        await person.press("1", "enter", "5", "enter", *"so", "tab", "backspace", "6", "enter")
        assert person.page() == "text item"  # which was not confirmed, and stayed
        assert "so" in person.words()
        await person.press(*" far", "tab", "enter", "backspace")
        assert person.page() == "text item"
        assert person.shows("text_given")
        assert person.shows("back")
        await person.press("backspace")
        assert person.page() == "scale item"
        await person.press("enter", "tab", "!", "tab", "enter")
        assert person.shows("check_title")
        given = [("a", "left"), ("b", 5), ("b", 6), ("c", "so far"), ("c", "so far!")]
        assert responses_of(person) == given


async def test_after_a_crash_answers_are_still_there_and_can_be_gone_back_to(tmp_path: Path) -> None:
    async with at(AskItem, THREE, tmp_path) as person:
        await person.press("1", "enter", "5", "enter")
        loaded = person.app.loaded
    async with running(loaded, tmp_path) as person:
        assert person.page() == "text item"
        await person.press("tab", "backspace")
        assert person.page() == "scale item"
        assert "●" in person.text()
        await person.press("6", "enter", "tab", "enter")
    async with running(loaded, tmp_path) as person:
        assert person.shows("check_title")
        assert person.shows("skipped")
        await person.press("enter")
        assert responses_of(person) == [("a", "left"), ("b", 5), ("b", 6), ("c", None)]
        assert verify(person.log).verdict == "verified"


# Confirming


async def test_answers_below_the_window_are_not_confirmed_before_they_can_be_seen(tmp_path: Path) -> None:
    async with at(ConfirmItems, MANY, tmp_path, size=SMALLEST) as person:
        assert "There is more below. Use the arrow keys." in person.flat_text()
        assert not person.shows("check_confirm")
        await person.press("backspace")  # going back is always possible
        assert person.page() == "scale item"
        await person.press("enter")
        for _ in range(3):
            await person.press("enter")
            assert person.shows("wrong_key")
            assert person.shows("more")
            assert person.page() == "ConfirmItemsPage"
        assert not any(isinstance(event, Confirmed) for event in person.events())
        await person.hit("end")
        await person.until(lambda: person.shows("check_confirm"))
        assert not person.shows("more")
        assert not person.shows("wrong_key")
        await person.press("enter")
        assert person.shows("end_title")
        assert isinstance(person.events()[-2], Confirmed)


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([CHOICE, SCALE], "Press Enter for the next page, or change your answer."),
        ([CHOICE], "Press Enter to confirm, or change your answer."),
    ],
)
async def test_the_foot_says_whether_enter_confirms_an_answer_or_leads_to_the_next_page(
    tmp_path: Path, items: list[dict[str, Any]], said: str
) -> None:
    async with at(AskItem, items, tmp_path) as person:
        assert not person.shows("item_given")
        assert not person.shows("confirm")
        await person.press("1")
        assert said in person.flat_text()
        await person.press("enter")
        if len(items) == 2:
            await person.press("5")
            assert said in person.flat_text()
        else:
            assert person.shows("end_title")


# Clicks


async def test_a_click_chooses_an_answer_and_enter_confirms_it(tmp_path: Path) -> None:
    async with at(AskItem, THREE, tmp_path) as person:
        before = person.text()
        for column, row in ((3, 2), (40, 20), (2, 23), (70, 23), (79, 0)):
            await person.click_at(column, row)
        await person.click_at(2, 4, button=3)
        assert person.text() == before
        await person.click("2  right")
        assert "● 2  right" in person.text()
        assert person.shows("item_given")
        await person.press("enter")
        rows = person.text().split("\n")
        row = next(number for number, line in enumerate(rows) if "○" in line)
        third = [column for column, character in enumerate(rows[row]) if character == "○"][2]
        await person.click_at(third, row)
        await person.press("enter")
        await person.click("What else?")  # the text stays where keys go
        await person.press(*"ok", "tab", "enter")
        assert responses_of(person) == [("a", "right"), ("b", 3), ("c", "ok")]
