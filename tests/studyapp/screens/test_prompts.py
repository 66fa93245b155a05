"""What the pages of a session say: one truthful prompt, and what is new about a round or a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, Person, brought, running, study_in

from studyapp.screens.pages import BreakPage
from studyapp.session.session import AskConsent, ConfirmItems, Instruct, Rest, Step
from studyapp.study.loading import load

PROMPTS = ("choose", "confirm", "enter", "begin_round", "more", "choose_first", "choice_hint")


def prompts(person: Person) -> list[str]:
    return [name for name in PROMPTS if person.shows(name)]


async def test_the_foot_of_a_round_follows_the_state_of_the_answer(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"pace": {"pause": 2.0, "hold": 0.0}})
    async with running(loaded, tmp_path) as person:
        assert prompts(person) == ["begin_round"]
        await person.hit("enter")
        assert prompts(person) == []  # there is no question yet
        await person.settled()
        assert prompts(person) == ["choose"]
        await person.press("x")
        assert person.shows("wrong_key")
        assert prompts(person) == ["choose"]
        await person.press("y")
        assert not person.shows("wrong_key")
        assert prompts(person) == ["confirm"]
        await person.press("x")
        assert prompts(person) == ["confirm"]
        await person.press("backspace")
        assert prompts(person) == ["choose"]
        await person.press("n")
        await person.hit("enter")
        assert prompts(person) == []
        await person.settled()
        assert prompts(person) == ["choose"]


async def test_the_foot_of_the_consent_follows_the_choice_which_may_be_a_click(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path) as person:
        assert prompts(person) == ["choose"]
        await person.click("y  yes, I agree")
        assert "● y" in person.text()
        assert prompts(person) == ["confirm"]
        await person.press("enter")
        assert person.page() == "InstructionsPage"


LONG = "\n\n".join(f"Paragraph {number}." for number in range(7))
ITEMS = [{"id": f"i{n}", "kind": "choice", "ask": f"Which of {n}?", "choices": ["a", "b"]} for n in range(8)]
LONG_PAGES: dict[type[Step], tuple[dict[str, object], str]] = {
    AskConsent: ({"consent": LONG}, "choose"),
    Instruct: ({"instructions": [f"{LONG}\n\nFor\n\nexample:", "The end."]}, "enter"),
    ConfirmItems: ({"questionnaires": {"q": ITEMS}, "at_end": ["q"]}, "check_confirm"),
}


@pytest.mark.parametrize("page", LONG_PAGES)
async def test_the_foot_says_that_there_is_more_below_for_as_long_as_there_is(
    tmp_path: Path, page: type[Step]
) -> None:
    changes, prompt = LONG_PAGES[page]
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": 1, "targets": ["tea"]} | changes)
    brought(loaded, tmp_path, lambda step: isinstance(step, page))
    async with running(loaded, tmp_path, size=(80, 20)) as person:

        async def says(name: str, not_this: str) -> None:
            await person.until(lambda: person.shows(name) and not person.shows(not_this))

        await says("more", prompt)
        await person.hit("x")
        await person.hit("end")
        await says(prompt, "more")
        assert not person.shows("wrong_key")
        assert not person.shows("wrong_enter")
        await person.hit("up")
        await says("more", prompt)
        await person.resize(80, 40)
        await says(prompt, "more")
        await person.resize(80, 20)
        await says("more", prompt)


async def test_a_wrong_key_adds_no_second_prompt(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path) as person:
        await person.press("y", "enter", "x")
        assert person.page() == "InstructionsPage"
        assert person.shows("wrong_enter")
        assert person.text().count("Press Enter") == 1
        await person.press("ctrl+q", "down", "enter")
        await person.until(lambda: person.shows("left_title"))
        await person.press("x")
        assert person.shows("wrong_enter")
        assert person.shows("close")
        assert person.text().count("Press Enter") == 1


async def test_the_countdown_of_a_break_and_its_bar_run_over_the_same_seconds(tmp_path: Path) -> None:
    changes = {"questions": 1, "breaks": {"every": 1, "seconds": 600}}
    loaded = study_in(tmp_path, **ROUNDS_ONLY | changes)
    brought(loaded, tmp_path, lambda step: isinstance(step, Rest))
    async with running(loaded, tmp_path) as person:
        page = person.app.screen
        assert isinstance(page, BreakPage)

        async def after(seconds: float) -> None:
            person.time.wait(page.up_since + seconds - person.time.seconds())
            page._tick()
            await person.handled()

        for passed, left, solid in ((0.2, 600, 0), (150.1, 450, 12), (300.5, 300, 24), (450.9, 150, 36)):
            await after(passed)
            assert person.shows("break_wait", seconds=left)
            assert not person.shows("enter")
            assert person.text().count("━") == solid
        await person.hit("enter")
        assert person.page() == "BreakPage"
        await after(600)
        assert person.shows("enter")
        assert person.text().count("━") == 48
        await person.press("enter")
        assert person.page() == "BeforeRoundPage"


async def test_before_a_round_the_progress_bar_agrees_with_its_caption_and_a_word_that_comes_again_is_said(
    tmp_path: Path,
) -> None:
    changes = ROUNDS_ONLY | {"questions": 1, "practice": ["cat"]}
    async with running(study_in(tmp_path, **changes), tmp_path) as person:
        done, again = [], []
        while not person.session.over:
            if person.page() == "BeforeRoundPage":
                number, count = len(done) + 1, person.session.rounds_done()
                heading, place = ("practice_round", number) if number <= 2 else ("real_round", number - 2)
                assert person.shows(heading, round=place)
                assert person.shows("progress", done=count)
                bar = next(line for line in person.text().split("\n") if "╌" in line)
                assert bar.count("━") == 12 * count  # of 48, in 4 rounds
                done.append(count)
                again.append(person.shows("same_word"))
            await person.answer()
        assert done == [0, 0, 0, 1, 2, 3]
        assert again == [False, True] * 3


@pytest.mark.parametrize(("pilot", "text"), [(True, None), (False, "This word was asked before. " * 4)])
async def test_a_question_about_a_word_that_was_asked_in_the_round_is_shown_as_a_new_one_in_full(
    tmp_path: Path, pilot: bool, text: str | None
) -> None:
    texts = {} if text is None else {"asked_again": text.strip()}
    changes = ROUNDS_ONLY | {"questions": 12, "targets": ["tea"], "texts": texts}
    async with running(study_in(tmp_path, **changes), tmp_path, pilot=pilot) as person:
        said, asked = person.app.loaded.study.texts.asked_again, []
        await person.press("enter")
        while person.page() == "RoundPage":
            word, line = person.question(), person.app.screen.query_one("#asked-again")
            rows = person.text().split("\n")[line.region.y : line.region.bottom]
            shown = " ".join(" ".join(row[line.region.x : line.region.right] for row in rows).split())
            assert shown == (said if word in asked else "")
            assert person.app.screen.query_one("#ask").region.y == line.region.bottom
            asked.append(word)
            await person.press("y", "enter")
        assert len(set(asked)) < len(asked) == 12


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_the_target_stays_where_it_is_and_is_there_in_plain_letters(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": 1, "targets": ["tea"]})
    async with running(loaded, tmp_path, size=size) as person:
        rows = []
        while not person.session.over:
            page = person.app.screen
            assert person.shows("target", target="tea")
            rows.append(page.query_one("#target").region.y)
            await person.answer()
        assert len(rows) == 4
        assert len(set(rows)) == 1


async def test_targets_change_their_size_together_when_the_window_does(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("tea 1 2\ngrandmotherhoods 2 1\ncat 1 1\n", encoding="utf-8")
    changes = {"words": "own.txt", "targets": ["tea", "grandmotherhoods"], "practice": []}
    async with running(study_in(tmp_path, **ROUNDS_ONLY | changes), tmp_path, size=(60, 20)) as person:
        assert "┏" not in person.text()
        await person.resize(80, 24)
        assert "┏" in person.text()
        await person.resize(60, 20)
        assert "┏" not in person.text()


def test_the_instructions_say_how_often_each_word_comes() -> None:
    for name in ("paper", "beyond", "short"):
        loaded = load(name)
        text = " ".join(" ".join(loaded.say(page) for page in loaded.study.instructions).split())
        count = len(loaded.study.models)
        assert f"Each word to find comes up in {count} rounds, one after the other." in text, name
        assert "Each time, the system starts from scratch." in text, name
        assert "model" not in text, name
