"""A participant completes a whole session by keyboard, in the real app."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from driving import MORNING, Person, running, study_in
from terminal import answer_to

from studyapp.base.clock import SimulatedClock
from studyapp.session.events import Answered, Event, Finished
from studyapp.session.headless import attend
from studyapp.session.log import read
from studyapp.session.receipts import receipt_of
from studyapp.session.session import AskItem, AskWord
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.plan import Round
from studyapp.study.texts import Texts

# The fields of events that differ between two sessions with the same answers, beside those in milliseconds.
DIFFERING = ("at", "shown_at", "late", "host", "process", "simulated", "teacher")
PRACTICE_ROUNDS = 2  # of the small study


def scripted_answer(round_: Round, question: int, word: str) -> bool:
    number = round_.round if round_.practice else round_.round - PRACTICE_ROUNDS
    return answer_to(round_.practice, number, question, word)


class Scripted:
    """Gives the scripted answers without a keyboard."""

    def answer(self, round_: Round, question: int, word: str, history: list[Answered]) -> bool:  # noqa: ARG002
        return scripted_answer(round_, question, word)

    def respond(self, step: AskItem) -> int:  # noqa: ARG002
        return 5

    def thinking_time(self, step: AskWord | AskItem) -> float:  # noqa: ARG002
        return 1.0


async def follow_the_script(person: Person) -> None:
    """Give the scripted answers by keyboard, to the end of the session."""
    session = person.session
    while not session.over:
        step = session.step
        if person.page() == "RoundPage" and isinstance(step, AskWord):
            yes = scripted_answer(step.round, step.question, person.question())
            await person.press("y" if yes else "n", "enter")
        else:
            await person.answer()


def without_times(events: list[Event]) -> list[dict[str, Any]]:
    return [
        {
            name: value
            for name, value in dataclasses.asdict(event).items()
            if name not in DIFFERING and not name.endswith("ms")
        }
        for event in events
    ]


async def test_a_session_by_keyboard_and_a_headless_one_write_the_same_events(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path) as person:
        await follow_the_script(person)
        by_keyboard = person.events()
        assert person.shows("end_title")
        receipt = receipt_of(read(person.log).chain)
        assert f"The receipt for your session: {receipt} Please write it down." in person.flat_text()
        assert person.shows("end")
        finished = by_keyboard[-1]
        assert isinstance(finished, Finished)
        assert ("Well done." in person.flat_text()) is finished.bonus
        await person.hit("enter")
    clock = SimulatedClock(MORNING)
    sitting = Sitting.open(loaded, Participant("P07", teacher="random"), tmp_path / "headless", clock=clock)
    attend(sitting, Scripted(), clock)
    sitting.close()
    headless = read(tmp_path / "headless" / "P07.yaml").events
    assert sum(isinstance(event, Answered) for event in by_keyboard) == 18
    assert without_times(by_keyboard) == without_times(headless)


async def test_enter_held_down_turns_one_page_of_the_instructions(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, consent=None, instructions=["One.", "Two.", "Three."], pace={"hold": 1.5})
    async with running(loaded, tmp_path) as person:
        await person.hold("enter", lambda: person.shows("page", page=2, pages=3))
        assert person.shows("page", page=2, pages=3)


def fixed_colors(person: Person) -> set[str]:
    """The colours on the screen that are not the terminal's own."""
    strips = person.app.screen._compositor.render_strips()
    shown = [(segment.text, segment.style) for strip in strips for segment in strip if segment.style]
    colors = [(text, color) for text, style in shown for color in (style.color, style.bgcolor) if color]
    return {f"{text!r}: {color.name}" for text, color in colors if not color.is_default}


async def test_a_study_in_another_language_and_in_the_terminals_own_colours_changes_only_its_file(
    tmp_path: Path,
) -> None:
    texts = {
        name: " ".join(
            [f"ä{name.replace('_', 'ä')}ä", *(f"{{{hole}}}" for hole in Texts.own_placeholders(name))]
        )
        for name in Texts.model_fields
    }
    items = [
        {"id": "a", "kind": "choice", "ask": "äa", "choices": ["äb", "äc"]},
        {"id": "b", "kind": "scale", "ask": "äd", "low": "äe", "high": "äf"},
        {"id": "c", "kind": "text", "ask": "äg", "optional": True},
    ]
    loaded = study_in(
        tmp_path,
        look="terminal",
        texts=texts,
        title="äotsikko",
        consent="äsuostumus",
        instructions=["\n\n".join(f"äohje {number}" for number in range(20))],
        questionnaires={"kysely": items},
        after_round=["kysely"],
        answers={"yes": "k", "no": "e"},
        targets=["tea"],
        questions=2,
        breaks={"every": 1},
        bonus={"within": 2, "rounds": 1, "won": "äv", "lost": "äl"},
    )
    allowed = set(loaded.vocabulary.words) | {"k", "e", "p", "x", "xa"}

    def foreign(person: Person) -> set[str]:
        assert fixed_colors(person) == set(), person.text()
        return {word for word in person.words() if "ä" not in word and word.lower() not in allowed}

    pages = set()
    async with running(loaded, tmp_path, participant=None) as person:
        assert not foreign(person)
        await person.hit(*"P7")
        assert not foreign(person)
        await person.hit("enter")
        await person.until_page("WhoPage")
        assert not foreign(person)
        await person.this_is_me()
        await person.press("ctrl+q")
        assert person.page() == "LeaveDialog"
        assert not foreign(person)
        await person.press("escape")
        while not person.session.over:
            await person.press("x")
            assert not foreign(person), person.text()
            pages.add(person.page())
            await person.answer()
        receipt = receipt_of(read(person.log).chain)
        assert foreign(person) <= set(re.findall("[A-Za-z]+", receipt))
    assert pages == {
        "ConsentPage",
        "InstructionsPage",
        "BeforeRoundPage",
        "RoundPage",
        "BreakPage",
        "choice item",
        "scale item",
        "text item",
        "ConfirmItemsPage",
    }
