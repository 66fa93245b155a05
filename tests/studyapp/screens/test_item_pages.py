"""Questionnaires on the screen: one page per item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from driving import ROUNDS_ONLY, running, study_in

from studyapp.session.events import Responded
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


async def test_enter_held_down_leaves_no_item_empty(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.0, "hold": 1.5}, **with_two_texts(optional=True))
    async with running(loaded, tmp_path) as participant:
        await participant.press("enter", "y")
        participant.let_go()
        await participant.press("enter")
        assert "first" in participant.words()
        participant.let_go()
        await participant.hold("enter", lambda: "second" in participant.words())
        assert "second" in participant.words()
        assert [event.item for event in participant.events() if isinstance(event, Responded)] == ["first"]


async def test_two_enters_at_once_answer_one_item(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **with_two_texts(optional=False)), tmp_path) as participant:
        await participant.press("enter", "y", "enter")
        assert "first" in participant.words()
        await participant.hit_at_once(*"hello", "enter", "enter")
        await participant.until(lambda: "second" in participant.words())
        responses = [event for event in participant.events() if isinstance(event, Responded)]
        assert [(event.item, event.value) for event in responses] == [("first", "hello")]
