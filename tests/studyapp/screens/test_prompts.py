"""What the pages of a session say: one truthful prompt, and what is new about a round or a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, Person, running, study_in

from studyapp.screens.pages import BreakPage
from studyapp.session.events import Answered
from studyapp.study.loading import load

PROMPTS = ("choose", "confirm", "enter", "begin_round", "more", "choose_first", "choice_hint")


def prompts(participant: Person) -> list[str]:
    return [name for name in PROMPTS if participant.shows(name)]


async def test_the_foot_of_a_round_follows_the_state_of_the_answer(tmp_path: Path) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"pace": {"pause": 2.0, "hold": 0.0}})
    async with running(loaded, tmp_path) as participant:
        assert prompts(participant) == ["begin_round"]
        await participant.hit("enter")
        assert prompts(participant) == []  # there is no question yet
        await participant.settled()
        assert prompts(participant) == ["choose"]
        await participant.press("x")
        assert participant.shows("wrong_key")
        assert prompts(participant) == ["choose"]
        await participant.press("y")
        assert not participant.shows("wrong_key")
        assert prompts(participant) == ["confirm"]
        await participant.press("x")
        assert prompts(participant) == ["confirm"]
        await participant.press("backspace")
        assert prompts(participant) == ["choose"]
        await participant.press("n")
        await participant.hit("enter")
        assert prompts(participant) == []
        await participant.settled()
        assert prompts(participant) == ["choose"]


async def test_the_foot_of_the_consent_follows_the_choice_which_may_be_a_click(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path) as participant:
        assert prompts(participant) == ["choose"]
        await participant.click("y  yes, I agree")
        assert "● y" in participant.text()
        assert prompts(participant) == ["confirm"]
        await participant.press("enter")
        assert participant.page() == "InstructionsPage"


LONG = "\n\n".join(f"Paragraph {number}." for number in range(7))
ITEMS = [{"id": f"i{n}", "kind": "choice", "ask": f"Which of {n}?", "choices": ["a", "b"]} for n in range(8)]
LONG_PAGES: dict[str, tuple[dict[str, object], str]] = {
    "ConsentPage": ({"consent": LONG}, "choose"),
    "InstructionsPage": ({"instructions": [f"{LONG}\n\nFor\n\nexample:", "The end."]}, "enter"),
    "ConfirmItemsPage": ({"questionnaires": {"q": ITEMS}, "at_end": ["q"]}, "check_confirm"),
}


@pytest.mark.parametrize("page", LONG_PAGES)
async def test_the_foot_says_that_there_is_more_below_for_as_long_as_there_is(
    tmp_path: Path, page: str
) -> None:
    changes, prompt = LONG_PAGES[page]
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": 1, "targets": ["tea"]} | changes)
    async with running(loaded, tmp_path, size=(80, 20)) as participant:
        while participant.page() != page:
            await participant.answer()

        async def says(name: str, not_this: str) -> None:
            await participant.until(lambda: participant.shows(name) and not participant.shows(not_this))

        await says("more", prompt)
        await participant.hit("x")
        await participant.hit("end")
        await says(prompt, "more")
        assert not participant.shows("wrong_key")
        assert not participant.shows("wrong_enter")
        await participant.hit("up")
        await says("more", prompt)
        await participant.resize(80, 40)
        await says(prompt, "more")
        await participant.resize(80, 20)
        await says("more", prompt)


async def test_a_wrong_key_adds_no_second_prompt(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path) as participant:
        await participant.press("y", "enter", "x")
        assert participant.page() == "InstructionsPage"
        assert participant.shows("wrong_enter")
        assert participant.text().count("Press Enter") == 1
        await participant.press("ctrl+q", "down", "enter")
        await participant.until(lambda: participant.shows("left_title"))
        await participant.press("x")
        assert participant.shows("wrong_enter")
        assert participant.shows("close")
        assert participant.text().count("Press Enter") == 1


async def test_the_countdown_of_a_break_and_its_bar_run_over_the_same_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {"questions": 1, "breaks": {"every": 1, "seconds": 600}}
    async with running(study_in(tmp_path, **ROUNDS_ONLY | changes), tmp_path) as participant:
        while participant.page() != "BreakPage":
            await participant.answer()
        page = participant.app.screen
        assert isinstance(page, BreakPage)
        began = page.up_since
        assert began is not None

        async def after(seconds: float) -> None:
            monkeypatch.setattr(participant.app.clock, "seconds", lambda: began + seconds)
            page._tick()
            await participant.handled()

        for passed, left, solid in ((0.2, 600, 0), (150.1, 450, 12), (300.5, 300, 24), (450.9, 150, 36)):
            await after(passed)
            assert participant.shows("break_wait", seconds=left)
            assert not participant.shows("enter")
            assert participant.text().count("━") == solid
        await participant.hit("enter")
        assert participant.page() == "BreakPage"
        await after(600)
        assert participant.shows("enter")
        assert participant.text().count("━") == 48
        await participant.press("enter")
        assert participant.page() == "BeforeRoundPage"


async def test_the_progress_bar_counts_what_its_caption_counts(tmp_path: Path) -> None:
    changes = ROUNDS_ONLY | {"questions": 1, "practice": ["cat"]}
    async with running(study_in(tmp_path, **changes), tmp_path) as participant:
        done = []
        while not participant.session.over:
            if participant.page() == "BeforeRoundPage":
                count = participant.session.rounds_done()
                assert participant.shows("progress", done=count)
                bar = next(line for line in participant.text().split("\n") if "╌" in line)
                assert bar.count("━") == 12 * count  # of 48, in 4 rounds
                done.append(count)
            await participant.answer()
        assert done == [0, 0, 0, 1, 2, 3]


async def test_the_page_before_a_round_says_that_the_word_comes_again(tmp_path: Path) -> None:
    changes = ROUNDS_ONLY | {"questions": 1, "practice": ["cat"]}
    async with running(study_in(tmp_path, **changes), tmp_path) as participant:
        said = []
        while not participant.session.over:
            if participant.page() == "BeforeRoundPage":
                said.append(participant.shows("same_word"))
            await participant.answer()
        assert said == [False, True] * 3


async def test_a_question_about_a_word_that_was_asked_in_the_round_is_shown_as_a_new_one(
    tmp_path: Path,
) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": 12, "targets": ["tea"]})
    async with running(loaded, tmp_path) as participant:
        again = []
        while not participant.session.over:
            if participant.page() == "RoundPage":
                round_ = participant.session.step.round  # type: ignore[union-attr]
                words = [answer.word for answer in participant.session.answers_in(round_)]
                asked = participant.question() in words
                assert participant.shows("asked_again") is asked
                again.append(asked)
            await participant.answer()
        assert {True, False} == set(again)
        words = [event.word for event in participant.events() if isinstance(event, Answered)]
        assert len(words) == len(again) == 24


@pytest.mark.parametrize(("pilot", "text"), [(True, None), (False, "This word was asked before. " * 4)])
async def test_the_line_about_a_new_question_is_never_cut_off(
    tmp_path: Path, pilot: bool, text: str | None
) -> None:
    texts = {} if text is None else {"asked_again": text.strip()}
    changes = ROUNDS_ONLY | {"questions": 12, "targets": ["tea"], "texts": texts}
    async with running(study_in(tmp_path, **changes), tmp_path, pilot=pilot) as participant:
        await participant.go_to_first_question()
        while not participant.app.screen.query_one("#asked-again").content:  # type: ignore[attr-defined]
            await participant.answer()
        line = participant.app.screen.query_one("#asked-again")
        shown = participant.text().split("\n")[line.region.y : line.region.bottom]
        said = " ".join(" ".join(row[line.region.x : line.region.right] for row in shown).split())
        assert said == participant.app.loaded.study.texts.asked_again
        ask = participant.app.screen.query_one("#ask").region
        assert ask.y == line.region.bottom


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_the_target_stays_where_it_is_and_is_there_in_plain_letters(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY | {"questions": 1})
    async with running(loaded, tmp_path, size=size) as participant:
        rows = set()
        pages = set()
        while not participant.session.over:
            page, name = participant.app.screen, participant.page()
            assert participant.shows("target", target=page.round_.target)  # type: ignore[attr-defined]
            rows.add(page.query_one("#target").region.y)
            pages.add(name)
            await participant.answer()
        assert pages == {"BeforeRoundPage", "RoundPage"}
        assert len(rows) == 1


async def test_targets_change_their_size_together_when_the_window_does(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("tea 1 2\ngrandmotherhoods 2 1\ncat 1 1\n", encoding="utf-8")
    changes = {"words": "own.txt", "targets": ["tea", "grandmotherhoods"], "practice": []}
    async with running(study_in(tmp_path, **ROUNDS_ONLY | changes), tmp_path, size=(60, 20)) as participant:
        assert "┏" not in participant.text()
        await participant.resize(80, 24)
        await participant.until(lambda: "┏" in participant.text())
        await participant.resize(60, 20)
        await participant.until(lambda: "┏" not in participant.text())


@pytest.mark.parametrize("name", ["paper", "beyond", "short"])
def test_the_instructions_say_how_often_each_word_comes(name: str) -> None:
    loaded = load(name)
    text = " ".join(" ".join(loaded.say(page) for page in loaded.study.instructions).split())
    assert f"Each word to find comes up in {len(loaded.study.models)} rounds, one after the other." in text
    assert "Each time, the system starts from scratch." in text
    assert "model" not in text


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
async def test_the_pilot_view_fits_beside_the_question(tmp_path: Path, size: tuple[int, int]) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, size=size, pilot=True) as participant:
        await participant.go_to_first_question()
        text = participant.text()
        assert "the learner's belief" in text
        assert f"▸{participant.question():>10.10}" in text or "more" in text
        assert text.count("0.50") >= 10
        belief = participant.app.screen.query_one("#belief")
        assert belief.region.right <= size[0]
        assert len(str(belief.content).split("\n")) <= participant.app.screen.query_one("#body").size.height  # type: ignore[attr-defined]
        await participant.press("y")
        assert participant.shows("confirm")


async def test_in_a_narrower_window_the_pilot_view_says_what_it_needs(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, size=(60, 20), pilot=True) as participant:
        await participant.go_to_first_question()
        assert "the learner's belief needs a window of 80 columns" in participant.flat_text()
        await participant.resize(80, 24)
        await participant.until(lambda: "would it get a yes?" in participant.text())
        assert "needs a window" not in participant.text()
