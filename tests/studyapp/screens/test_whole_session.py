"""A participant completes a whole session by keyboard, in the real app."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from driving import Person, running, study_in
from terminal import answer_to

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.session.events import Answered, Declined, Event, Finished, Started
from studyapp.session.headless import attend
from studyapp.session.log import read
from studyapp.session.receipts import receipt_of
from studyapp.session.session import AskItem, AskWord
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.plan import Round
from studyapp.study.texts import Texts

# The fields of events that differ between two sessions with the same answers.
TIMES = (
    "at",
    "shown_at",
    "rt_ms",
    "first_choice_ms",
    "last_choice_ms",
    "away_ms",
    "ms",
    "compute_ms",
    "clock_ms",
    "delay_ms",
    "late",
    "host",
    "process",
    "simulated",
    "teacher",
)
PRACTICE_ROUNDS = 2  # of the small study
# Every kind of page, with few questions.
EVERY_PAGE: dict[str, Any] = {
    "targets": ["tea"],
    "questions": 2,
    "breaks": {"every": 1},
    "bonus": {"within": 2, "rounds": 1, "won": "Well done.", "lost": "Too bad."},
}


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


async def follow_the_script(participant: Person) -> None:
    """Give the scripted answers by keyboard, to the end of the session."""
    session = participant.session
    while not session.over:
        step = session.step
        if participant.page() == "RoundPage" and isinstance(step, AskWord):
            yes = scripted_answer(step.round, step.question, participant.question())
            await participant.press("y" if yes else "n", "enter")
        else:
            await participant.answer()


def without_times(events: list[Event]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in dataclasses.asdict(event).items() if name not in TIMES}
        for event in events
    ]


async def test_a_session_by_keyboard_and_a_headless_one_write_the_same_events(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path) as participant:
        await follow_the_script(participant)
        by_keyboard = participant.events()
        assert participant.shows("end_title")
        receipt = receipt_of(read(participant.log).chain)
        assert f"The receipt for your session: {receipt} Please write it down." in participant.flat_text()
        assert participant.shows("end")
        await participant.hit("enter")
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting.open(loaded, Participant("P07", teacher="random"), tmp_path / "headless", clock=clock)
    attend(sitting, Scripted(), clock)
    sitting.close()
    headless = read(tmp_path / "headless" / "P07.yaml").events
    assert isinstance(by_keyboard[-1], Finished)
    assert sum(isinstance(event, Answered) for event in by_keyboard) == 18
    assert without_times(by_keyboard) == without_times(headless)


async def test_the_id_page_refuses_bad_ids(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, participant=None) as participant:
        assert participant.shows("id_ask")
        for wrong in ("../x", "a b"):
            await participant.hit(*wrong, "enter")
            assert participant.shows("id_wrong")
            await participant.hit(*["backspace"] * 5)
        assert not (tmp_path / "sessions").exists()
        await participant.hit(*"P-0_7", "enter")
        await participant.this_is_me()
        assert participant.page() == "ConsentPage"
        assert (tmp_path / "sessions" / "P-0_7.yaml").exists()


async def test_a_session_of_a_changed_study_is_refused_without_naming_a_model(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path) as participant:
        await participant.press("y", "enter")
    models = {"naive": {"teacher": "naive"}, "mixture": {"teacher": "mixture", "beta": 7}}
    changed = study_in(tmp_path, models=models)
    async with running(changed, tmp_path, participant=None) as participant:
        await participant.press(*"P07", "enter")
        text = participant.flat_text()
        assert "the study has changed since this session began" in text
        assert "studyapp run --participant P07" in text
        said = f"{text} {participant.app.error}"
        assert not {"mixture", "naive", "beta", "models"} & set(re.findall(r"\w+", said))


async def test_a_second_start_with_the_same_id_says_which_process_holds_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    holder = Sitting.open(loaded, Participant("P07"), tmp_path / "sessions")
    async with running(loaded, tmp_path, participant=None) as participant:
        await participant.hit(*"P07", "enter")
        assert participant.page() == "IdPage"
        assert participant.shows("cannot_go_on")
        assert f"process {holder.session.started.process}" in participant.flat_text()
    holder.close()


async def test_without_consent_the_session_ends_and_asks_again_next_time(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path) as participant:
        await participant.press("n", "enter")
        assert participant.shows("declined")
        assert isinstance(participant.events()[-1], Declined)
        await participant.hit("enter")
    async with running(loaded, tmp_path) as participant:
        assert participant.page() == "ConsentPage"


async def test_nobody_can_agree_to_a_text_they_have_not_seen(tmp_path: Path) -> None:
    consent = "\n\n".join(f"Paragraph {number}." for number in range(20))
    async with running(study_in(tmp_path, consent=consent), tmp_path) as participant:
        await participant.handled()
        assert participant.shows("more")
        assert not participant.shows("consent_ask")
        await participant.press("y", "enter")
        assert participant.page() == "ConsentPage"
        await participant.press("pagedown", "pagedown", "pagedown", "down")
        await participant.until(lambda: participant.shows("consent_ask"))
        await participant.press("y", "enter")
        assert participant.page() == "InstructionsPage"


async def test_enter_held_down_turns_one_page_of_the_instructions(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, consent=None, instructions=["One.", "Two.", "Three."], pace={"hold": 1.5})
    async with running(loaded, tmp_path) as participant:
        await participant.hold("enter", lambda: participant.shows("page", page=2, pages=3))
        assert participant.shows("page", page=2, pages=3)


async def test_no_page_shows_which_model_asks(tmp_path: Path) -> None:
    models = {"Xantippe": {"teacher": "naive"}, "Ypsilon": {"teacher": "mixture"}}
    secret = {"Xantippe", "Ypsilon", "naive", "mixture", "planning", "teacher", "model", "Laplace"}
    async with running(study_in(tmp_path, models=models, **EVERY_PAGE), tmp_path) as participant:
        pages, shown = set(), set[str]()
        while not participant.session.over:
            pages.add(participant.page())
            shown |= participant.words() | {
                *participant.app.title.split(),
                *participant.app.sub_title.split(),
            }
            await participant.answer()
        shown |= participant.words()
    assert pages >= {
        "ConsentPage", "InstructionsPage", "BeforeRoundPage", "RoundPage", "BreakPage", "scale item"
    }  # fmt: skip
    assert {"Please", "One", "How", "yes"} <= shown  # of the small study: the screen was read
    assert not secret & shown


async def test_a_study_in_another_language_changes_only_its_file(tmp_path: Path) -> None:
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
        texts=texts,
        title="äotsikko",
        consent="äsuostumus",
        instructions=["äohje"],
        questionnaires={"kysely": items},
        after_round=["kysely"],
        answers={"yes": "k", "no": "e"},
        **EVERY_PAGE | {"bonus": {"within": 2, "rounds": 1, "won": "äv", "lost": "äl"}},
    )
    allowed = set(loaded.vocabulary.words) | {"k", "e", "p", "x", "xa"}

    def foreign(participant: Person) -> set[str]:
        return {word for word in participant.words() if "ä" not in word and word.lower() not in allowed}

    async with running(loaded, tmp_path, participant=None) as participant:
        assert not foreign(participant)
        await participant.hit(*"P7", "enter")
        await participant.until_page("WhoPage")
        assert not foreign(participant)
        await participant.this_is_me()
        await participant.press("ctrl+q")
        assert participant.page() == "LeaveDialog"
        assert not foreign(participant)
        await participant.press("escape")
        pages = set()
        while not participant.session.over:
            await participant.press("x")
            assert not foreign(participant), participant.text()
            pages.add(participant.page())
            await participant.answer()
        receipt = receipt_of(read(participant.log).chain)
        assert foreign(participant) <= set(re.findall("[a-f]+", receipt))
    assert pages >= {
        "ConsentPage",
        "InstructionsPage",
        "BeforeRoundPage",
        "RoundPage",
        "BreakPage",
        "choice item",
        "scale item",
        "text item",
    }


async def test_the_pilot_view_of_a_belief_over_targets_shows_how_likely_each_word_is_the_target(
    tmp_path: Path,
) -> None:
    models = {
        name: {"teacher": "person", "belief": "targets", "selection": name} for name in ("greedy", "thompson")
    }
    study = study_in(tmp_path, models=models)
    async with running(study, tmp_path, size=(120, 30), pilot=True) as participant:
        await participant.go_to_first_question()
        assert "is it the word to find?" in participant.text()
        assert "0.05" in participant.text()  # one of twenty words


async def test_the_pilot_view_shows_the_belief_and_the_log_says_so(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, size=(120, 30), pilot=True) as participant:
        await participant.go_to_first_question()
        assert "PILOT" in participant.text()
        assert "0.50" in participant.text()
        started = participant.events()[0]
        assert isinstance(started, Started)
        assert started.pilot
