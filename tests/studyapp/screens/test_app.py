"""A participant goes through a session by keyboard, in the real app."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from driving import Player, playing, study_in
from terminal import answer_to

from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.session.events import (
    Answered,
    Declined,
    Event,
    Finished,
    Left,
    Responded,
    Resumed,
    Started,
    Stayed,
    Withdrawn,
)
from studyapp.session.headless import attend
from studyapp.session.log import read
from studyapp.session.session import AskItem, AskWord
from studyapp.session.sitting import Sitting
from studyapp.study.loading import load
from studyapp.study.plan import Round
from studyapp.study.questionnaires import READY_MADE
from studyapp.study.texts import Texts

TIMES = (
    "at",
    "shown_at",
    "rt_ms",
    "first_choice_ms",
    "last_choice_ms",
    "away_ms",
    "ms",
    "compute_ms",
    "delay_ms",
    "late",
    "host",
    "process",
    "simulated",
    "teacher",
)


def title_of(played: Round) -> str:
    return f"Practice {played.round}" if played.practice else f"Round {played.round - 2}"


class Scripted:
    """Answers as the scripted keyboard does, without one."""

    def answer(self, played: Round, question: int, word: str, history: list[Answered]) -> bool:  # noqa: ARG002
        return answer_to(title_of(played), question, word)

    def respond(self, step: AskItem) -> int:  # noqa: ARG002
        return 5

    def thinks(self, step: AskWord | AskItem) -> float:  # noqa: ARG002
        return 1.0


async def play_to_the_end(player: Player) -> None:
    """Press what the script says on every page, until the last."""
    session = player.app.sitting.session if player.app.sitting else None
    assert session is not None
    while not session.over:
        step = session.step
        match player.page(), step:
            case "ConsentPage", _:
                await player.press("y", "enter")
            case "RoundPage", AskWord(played, question):
                word = player.app.screen._open.asked.word  # type: ignore[attr-defined]
                yes = answer_to(title_of(played), question, word)
                await player.press("y" if yes else "n", "enter")
            case "scale item", _:
                await player.press("5", "enter")
            case _:
                await player.press("enter")


def without_times(events: list[Event]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in dataclasses.asdict(event).items() if name not in TIMES}
        for event in events
    ]


async def test_a_run_by_keyboard_and_a_headless_one_write_the_same_events(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with playing(loaded, tmp_path) as player:
        await play_to_the_end(player)
        by_keyboard = player.events()
        assert "Thank you!" in player.text()
        await player.pilot.press("enter")
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting(loaded, "P07", tmp_path / "headless", clock=clock, teacher="random")
    attend(sitting, Scripted(), clock)
    sitting.close()
    headless = read(tmp_path / "headless" / "P07.yaml").events
    assert isinstance(by_keyboard[-1], Finished)
    assert sum(isinstance(event, Answered) for event in by_keyboard) == 18
    assert without_times(by_keyboard) == without_times(headless)


async def test_without_an_id_it_asks_for_one_and_refuses_what_is_none(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path, participant=None) as player:
        assert "Please type your participant ID" in player.text()
        for wrong in ("../x", "", "a b"):
            await player.pilot.press(*wrong, "enter")
            await player.pilot.pause()
            assert "letters, digits, - and _" in player.text()
            await player.pilot.press(*["backspace"] * 5)
        assert not (tmp_path / "sessions").exists()
        await player.pilot.press(*"P-0_7", "enter")
        await player.pilot.pause()
        assert "P-0_7 is a new ID" in player.text()
        assert not (tmp_path / "sessions").exists()
        await player.pilot.press("enter")
        await player.until(lambda: player.page() == "ConsentPage")
        assert (tmp_path / "sessions" / "P-0_7.yaml").exists()


async def test_a_second_start_with_the_same_id_is_told_who_holds_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    holder = Sitting(loaded, "P07", tmp_path / "sessions")
    async with playing(loaded, tmp_path, participant=None) as player:
        await player.pilot.press(*"P07", "enter")
        await player.pilot.pause()
        assert player.page() == "IdPage"
        shown = player.said()
        assert "call the experimenter" in shown
        assert f"process {holder.session.started.process}" in shown
    holder.close()


async def test_an_id_whose_session_is_over_is_told_so_in_the_words_of_the_study(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, texts={"id_over": "{id} on jo valmis."})
    finished = Sitting(loaded, "P07", tmp_path / "sessions")
    finished.withdraw(delete=False)
    finished.close()
    async with playing(loaded, tmp_path, participant=None) as player:
        await player.pilot.press(*"P07", "enter")
        await player.pilot.pause()
        assert player.page() == "IdPage"
        assert "P07 on jo valmis." in player.said()


async def test_the_published_texts_are_true_of_other_questions_and_keys(tmp_path: Path) -> None:
    paper = load("paper").study
    loaded = study_in(
        tmp_path,
        questions=8,
        answers={"yes": "j", "no": "f"},
        consent=paper.consent,
        instructions=paper.instructions,
    )
    async with playing(loaded, tmp_path) as player:
        assert f"about {loaded.extent.minutes} minutes" in player.said()
        assert "Press j for yes or f for no." in player.said()
        await player.press("j", "enter", "enter")
        assert "Each round has 8 questions." in player.said()
        assert "Press j for yes or f for no." in player.said()
        await player.press("enter")
        assert "the first 2 rounds do not count" in player.said()


async def test_without_consent_the_session_waits_and_asks_again_next_time(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with playing(loaded, tmp_path) as player:
        await player.press("n", "enter")
        assert "You did not agree" in player.text()
        assert isinstance(player.events()[-1], Declined)
        await player.pilot.press("enter")
    async with playing(loaded, tmp_path) as player:
        await player.press("enter")
        assert player.page() == "ConsentPage"


async def at_first_question(player: Player) -> None:
    await player.press("y", "enter", "enter", "enter", "enter")
    assert player.page() == "RoundPage"


async def test_an_answer_can_be_changed_before_enter_and_wrong_keys_never_count(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.press("enter")
        assert "Please choose first" in player.text()
        await player.press("x", "tab", "f1", "left")
        assert "That key does nothing here" in player.text()
        await player.press("y")
        assert "● y  yes" in player.text()
        await player.press("n", "Y", "N")
        assert "● n  no" in player.text()
        await player.press("enter")
        answered = player.events()[-1]
        assert isinstance(answered, Answered)
        assert (answered.question, answered.answer, answered.changes, answered.stray_keys) == (1, "n", 3, 4)
        assert f"{answered.word} no" in player.text()


async def test_with_one_key_answers_need_no_enter(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, answers={"yes": "k", "no": "e", "confirm": False})
    async with playing(loaded, tmp_path) as player:
        await player.press("k", "enter", "enter", "enter", "enter")
        await player.press("k", "e", "k")
        answers = [event.answer for event in player.events() if isinstance(event, Answered)]
        assert answers == ["y", "n", "y"]


async def test_keys_pressed_before_a_question_is_on_screen_do_not_answer_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.3, "hold": 0.0}, answers={"confirm": False})
    async with playing(loaded, tmp_path) as player:
        await at_first_question(player)
        await player.pilot.press("y", "n", "n", "y")  # one answer, and three keys into the pause
        await player.settled()
        assert [event.answer for event in player.events() if isinstance(event, Answered)] == ["y"]
        assert "Question 2 of 3" in player.text()


async def test_a_key_held_down_answers_once(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, pace={"pause": 0.05, "hold": 0.5}, answers={"confirm": False})
    async with playing(loaded, tmp_path) as player:
        for key in ("y", "enter", "enter", "enter", "enter"):
            await player.settled()
            await player.pilot.pause(0.55)
            await player.pilot.press(key)
        await player.until(lambda: player.page() == "RoundPage")
        await player.settled()
        for _ in range(30):
            await player.pilot.press("y")
            await player.pilot.pause(0.03)
        assert len([event for event in player.events() if isinstance(event, Answered)]) == 1


async def test_a_paste_answers_nothing(tmp_path: Path) -> None:
    from textual.events import Paste

    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        player.app.screen.post_message(Paste("y\ny\ny\n"))
        await player.pilot.pause()
        assert "That key does nothing here" in player.text()
        assert not [event for event in player.events() if isinstance(event, Answered)]


async def test_an_answer_that_cannot_be_saved_keeps_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import os

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        before = player.log.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            await player.press("y", "enter")
            shown = player.said()
            assert "could not be saved" in shown
            assert "the disk is full" in shown
            assert "Question 1 of 3" in shown
            assert player.log.read_bytes() == before
        await player.press("enter")
        assert isinstance(player.events()[-1], Answered)
        assert "Question 2 of 3" in player.text()
        assert "could not be saved" not in player.text()


async def test_leaving_for_now_comes_back_to_the_very_question(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with playing(loaded, tmp_path) as player:
        await at_first_question(player)
        await player.press("n", "enter", "ctrl+q", "down", "enter")
        await player.until(lambda: "See you later" in player.text())
        assert isinstance(player.events()[-1], Left)
        await player.pilot.press("enter")
    async with playing(loaded, tmp_path) as player:
        assert "Welcome back" in player.text()
        await player.press("enter")
        assert "Question 2 of 3" in player.text()
        assert isinstance(player.events()[-1], Resumed)


async def test_going_on_after_the_question_whether_to_leave_is_recorded_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.press("y", "ctrl+q")
        assert "Do you want to stop?" in player.text()
        await player.press("y", "n", "enter")
        await player.settled()
        assert isinstance(player.events()[-1], Stayed)
        assert "● y  yes" in player.text()
        await player.press("enter")
        answered = player.events()[-1]
        assert isinstance(answered, Answered)
        assert 0 < answered.away_ms < answered.rt_ms


async def test_withdrawing_keeps_the_answers_where_that_was_chosen(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.press("y", "enter", "ctrl+q", "down", "down", "enter")
        await player.until(lambda: "Your answers are kept" in player.text())
        events = player.events()
        assert isinstance(events[-1], Withdrawn)
        assert events[-1].data == "kept"
        assert [event for event in events if isinstance(event, Answered)]


async def test_withdrawing_deletes_the_answers_when_asked_twice(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.press("y", "enter", "ctrl+q", "up", "enter")
        assert "Are you sure?" in player.said()
        await player.press("enter")  # no, keep them: back to the first question
        assert "Do you want to stop?" in player.text()
        await player.press("up", "enter", "down", "enter")
        await player.until(lambda: "have been deleted" in player.text())
        events = player.events()
        assert [type(event) for event in events] == [Started, Withdrawn]
        assert b'"event": "answer"' not in player.log.read_bytes()
        assert [path.name for path in player.log.parent.iterdir()] == [player.log.name]


async def test_a_window_that_is_too_small_is_told_so_and_answers_nothing(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.pilot.resize_terminal(59, 20)
        await player.pilot.pause()
        assert "Please make the window larger" in player.said()
        await player.pilot.press("y", "enter")
        await player.pilot.resize_terminal(60, 20)
        await player.settled()
        assert "Question 1 of 3" in player.text()
        await player.press("y", "enter")
        assert "Question 2 of 3" in player.text()


def words_on(player: Player) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", player.text()))


async def test_no_page_shows_which_model_asks(tmp_path: Path) -> None:
    models = {"Xantippe": {"teacher": "naive"}, "Ypsilon": {"teacher": "mixture"}}
    told = {"Xantippe", "Ypsilon", "naive", "mixture", "planning", "teacher", "model", "Laplace"}
    async with playing(study_in(tmp_path, models=models), tmp_path) as player:
        shown: set[str] = set()
        session = player.app.sitting.session  # type: ignore[union-attr]
        while not session.over:
            shown |= words_on(player) | set(re.findall(r"\w+", f"{player.app.title} {player.app.sub_title}"))
            await play_one(player)
        shown |= words_on(player)
    assert {"relevant", "practice", "find"} <= shown
    assert not told & shown


async def play_one(player: Player) -> None:
    """Complete one step."""
    session = player.app.sitting.session  # type: ignore[union-attr]
    position, yes = session.position, session.study.answers.yes
    for _ in range(10):  # instructions have several pages
        if session.position > position or session.over:
            return
        key = {
            "ConsentPage": yes,
            "RoundPage": yes,
            "scale item": "5",
            "choice item": "1",
            "text item": "a",
        }.get(player.page())
        await player.press(*([key] if key else []), "enter")
    raise AssertionError(f"the step is not to be completed:\n{player.text()}")


async def test_a_study_in_another_language_changes_only_its_file(tmp_path: Path) -> None:
    texts = {
        name: " ".join(
            [f"ä{name.replace('_', 'ä')}ä{{{{", *(f"{{{own}}}" for own in Texts.own_placeholders(name))]
        )
        for name in Texts.model_fields
    }
    items = [
        {"id": "a", "kind": "choice", "ask": "äa{{", "choices": ["äb{{", "äc {target}"]},
        {"id": "b", "kind": "scale", "ask": "äd", "low": "äe{{", "high": "äf{{"},
        {"id": "c", "kind": "text", "ask": "äg{{", "optional": True},
    ]
    loaded = study_in(
        tmp_path,
        texts=texts,
        title="äotsikko",
        consent="äsuostumus{{",
        instructions=["äohje{{"],
        questionnaires={"kysely": items},
        after_round=["kysely"],
        answers={"yes": "k", "no": "e"},
        bonus={"within": 3, "rounds": 1, "won": "äv{{", "lost": "äl{{"},
    )
    allowed = set(loaded.vocabulary.words) | {"k", "e", "P", "x"}

    def foreign(player: Player) -> set[str]:
        assert "{{" not in player.text()  # every text has its placeholders and braces filled in
        return {word for word in words_on(player) if "ä" not in word and word.lower() not in allowed}

    async with playing(loaded, tmp_path, participant=None) as player:
        assert not foreign(player)
        await player.pilot.press(*"P7", "enter", "enter")
        await player.until(lambda: player.page() == "ConsentPage")
        await player.press("ctrl+q")
        assert not foreign(player)
        await player.press("escape")
        session = player.app.sitting.session  # type: ignore[union-attr]
        pages = set()
        while not session.over:
            await player.press("x")
            assert not foreign(player), player.text()
            pages.add(player.page())
            await play_one(player)
        assert not foreign(player)
    assert pages >= {
        "ConsentPage",
        "InstructionsPage",
        "BeginRoundPage",
        "RoundPage",
        "BreakPage",
        "choice item",
        "scale item",
        "text item",
    }


@pytest.mark.parametrize("look", ["dark", "light", "terminal"])
async def test_everything_fits_into_60_by_20(tmp_path: Path, look: str) -> None:
    published = load()
    loaded = study_in(
        tmp_path,
        look=look,
        questions=15,
        targets=["elephant"],
        consent=published.study.consent,
        instructions=published.study.instructions,
        questionnaires={},
        after_round=["nasa-tlx"] if look == "dark" else [],
        at_end=["sus"] if look == "light" else [],
        bonus=None,
        practice=[],
    )
    seen = set()
    async with playing(loaded, tmp_path, size=(60, 20)) as player:
        session = player.app.sitting.session  # type: ignore[union-attr]
        while not session.over:
            seen.add(player.page())
            screen = player.app.screen
            for line in screen.query("Line"):
                region = line.region
                if line.content and player.page() not in ("ConsentPage", "InstructionsPage"):  # these scroll
                    assert region.bottom <= 20, (player.page(), line.id, player.text())
                    assert region.right <= 60, (player.page(), line.id, player.text())
            assert "leave" in player.said()
            await play_one(player)
    assert "RoundPage" in seen


async def test_nasa_tlx_and_sus_are_ready_to_use(tmp_path: Path) -> None:
    loaded = study_in(
        tmp_path,
        targets=["tea"],
        practice=[],
        questions=1,
        after_round=[],
        questionnaires={},
        at_end=["nasa-tlx", "sus"],
        bonus=None,
    )
    async with playing(loaded, tmp_path) as player:
        session = player.app.sitting.session  # type: ignore[union-attr]
        while not session.over:
            if player.page() == "scale item":
                await player.press(*("1", "2") if session.step.item.most == 20 else ("4",), "enter")  # type: ignore[union-attr]
            else:
                await play_one(player)
        responses = [event for event in player.events() if isinstance(event, Responded)]
    assert [event.item for event in responses] == [
        item.id for questionnaire in READY_MADE for item in questionnaire.items
    ]
    assert [event.value for event in responses] == [12] * 6 + [4] * 10


async def test_the_pilot_view_shows_the_belief_and_the_log_says_so(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path, size=(120, 30), pilot=True) as player:
        await at_first_question(player)
        assert "PILOT" in player.text()
        assert "0.50" in player.text()
        started = player.events()[0]
        assert isinstance(started, Started)
        assert started.pilot


async def test_enter_held_down_leaves_no_question_empty(tmp_path: Path) -> None:
    items = [{"id": name, "kind": "text", "ask": name, "optional": True} for name in ("first", "second")]
    loaded = study_in(
        tmp_path, questionnaires={"t": items}, after_round=["t"], pace={"pause": 0.0, "hold": 1.5},
        consent=None, instructions=[], practice=[], questions=1, bonus=None,
    )  # fmt: skip
    async with playing(loaded, tmp_path) as player:
        for key in ("enter", "y", "enter"):
            await player.settled()
            await player.pilot.pause(1.55)
            await player.pilot.press(key)
        await player.until(lambda: "first" in player.text())
        await player.pilot.pause(1.55)
        for _ in range(20):
            await player.pilot.press("enter")
            await player.pilot.pause(0.03)
        responses = [event.item for event in player.events() if isinstance(event, Responded)]
        assert responses == ["first"]
        assert "second" in player.text()


async def test_nobody_agrees_to_what_was_never_on_the_screen(tmp_path: Path) -> None:
    consent = "\n\n".join(f"Paragraph {number}." for number in range(20))
    async with playing(study_in(tmp_path, consent=consent), tmp_path) as player:
        await player.pilot.pause()
        assert "There is more below" in player.text()
        assert "Do you agree" not in player.text()
        await player.press("y", "enter")
        assert player.page() == "ConsentPage"
        await player.press("pagedown", "pagedown", "pagedown", "down")
        assert "Do you agree" in player.text()
        await player.press("y", "enter")
        assert player.page() == "InstructionsPage"


async def test_enter_held_down_does_not_turn_the_instructions(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, consent=None, instructions=["One.", "Two.", "Three."], pace={"hold": 0.5})
    async with playing(loaded, tmp_path) as player:
        for _ in range(10):
            await player.pilot.press("enter")
            await player.pilot.pause(0.03)
        assert "page 2 of 3" in player.text()


async def test_two_enters_at_once_answer_one_item(tmp_path: Path) -> None:
    items = [{"id": name, "kind": "text", "ask": name} for name in ("first", "second")]
    loaded = study_in(
        tmp_path, questionnaires={"t": items}, after_round=["t"], consent=None, instructions=[], practice=[],
        questions=1, bonus=None,
    )  # fmt: skip
    async with playing(loaded, tmp_path) as player:
        await player.press("enter", "y", "enter")
        await player.until(lambda: "first" in player.text())
        await player.pilot.press(*"hello", "enter", "enter")
        await player.until(lambda: "second" in player.text())
        responses = [(event.item, event.value) for event in player.events() if isinstance(event, Responded)]
        assert responses == [("first", "hello")]


async def test_where_sessions_are_not_resumed_nobody_is_offered_to_come_back(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path, resume={"allowed": False}), tmp_path) as player:
        await player.press("ctrl+q")
        assert "Withdraw" in player.text()
        assert "come back later" not in player.text()


async def test_time_under_another_page_is_told_apart(tmp_path: Path) -> None:
    async with playing(study_in(tmp_path), tmp_path) as player:
        await at_first_question(player)
        await player.pilot.resize_terminal(50, 10)
        await player.pilot.pause(0.3)
        await player.pilot.resize_terminal(80, 24)
        await player.settled()
        await player.press("y", "backspace", "n", "enter")
        answered = player.events()[-1]
        assert isinstance(answered, Answered)
        assert 300 <= answered.away_ms <= answered.first_choice_ms < answered.last_choice_ms < answered.rt_ms
        assert answered.changes == 1


async def test_the_latest_answer_is_always_in_the_list(tmp_path: Path) -> None:
    loaded = study_in(
        tmp_path, questions=40, targets=["tea"], practice=[], consent=None, instructions=[], bonus=None
    )
    async with playing(loaded, tmp_path, size=(60, 20)) as player:
        await player.press("enter")
        for number in range(35):
            await player.press("y" if number == 34 else "n", "enter")
        assert player.text().count(" yes") == 3  # the choice, the hint, and the last answer
