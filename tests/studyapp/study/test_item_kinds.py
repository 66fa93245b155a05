"""The contract of item kinds: every kind, and a new one that is nothing but a class, works in every room."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal
from unittest.mock import patch

import pytest
from driving import running, study_in
from hypothesis import given
from hypothesis import strategies as st
from study_files import Settings, loaded, small, write

from core.errors import FileError
from studyapp.cli import main
from studyapp.session.events import Responded
from studyapp.session.log import read
from studyapp.study.fields import LineInRound
from studyapp.study.items import ITEMS, Categories, Entry, Item, Numbers, Say, Words
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.study import schema
from studyapp.study.texts import Texts


class TrafficLight(Item):
    """Red, amber or green: a kind that studyapp does not have."""

    name: ClassVar[str] = "traffic-light"
    levels: ClassVar[tuple[str, ...]] = ("red", "amber", "green")

    kind: Literal["traffic-light"]
    caption: LineInRound = ""

    @property
    def measure(self) -> Categories:
        return Categories(self.levels)

    def accepts(self, value: str | int) -> bool:
        return value in self.levels

    def simulated(self, uniform: float) -> str:
        return self.levels[int(uniform * 3)]

    def hint(self, texts: Texts, say: Say) -> str:
        return say(texts.enter)

    def draw(self, entry: Entry, say: Say) -> str:
        return f"{say(self.caption)} {entry.value or '...'}"

    def press(self, entry: Entry, key: str) -> Entry | None:
        del entry
        return next((Entry(level) for level in self.levels if level[0] == key), None)


LIGHT: Settings = {"id": "light", "kind": "traffic-light", "ask": "Which colour was {target}?"}
AT_END: Settings = LIGHT | {"id": "last", "ask": "Which colour now?", "caption": "{rounds} rounds"}
EXAMPLES: dict[str, Settings] = {
    "choice": {"choices": ["left", "{questions} right"]},
    "scale": {"least": 0, "most": 12, "low": "{words} low", "high": "high"},
    "text": {"longest": 5},
    "traffic-light": {"caption": "{questions}"},
}
KEYS = [*"0123456789rag x", "left", "right", "up", "down", "backspace", "delete", "f1"]


@pytest.fixture(scope="module", autouse=True)
def _new_kind() -> Iterator[None]:
    """The new kind is known while this module is tested, in this process."""
    with ITEMS.also(TrafficLight), patch("studyapp.base.parallel.cores", return_value=1):
        yield


@pytest.fixture(scope="module")
def paper() -> LoadedStudy:
    return load("paper")


def example(kind: str, **changes: Any) -> Item:
    return ITEMS[kind].model_validate({"id": "a", "kind": kind, "ask": "b"} | EXAMPLES[kind] | changes)


# Every kind


@given(uniform=st.floats(0, 1, exclude_max=True))
def test_a_simulated_answer_is_accepted_and_fits_the_measure(uniform: float) -> None:
    for kind in EXAMPLES:
        item = example(kind)
        value = item.simulated(uniform)
        assert value is not None
        assert item.accepts(value)
        match item.measure:
            case Numbers(least, most):
                assert least <= float(value) <= most
            case Categories(levels):
                assert value in levels
            case Words():
                assert isinstance(value, str)


@given(keys=st.lists(st.sampled_from(KEYS), max_size=12), line=st.integers(0, 20), column=st.integers(0, 200))
def test_any_keys_and_clicks_lead_to_an_answer_that_is_accepted_and_can_be_drawn(
    paper: LoadedStudy, keys: list[str], line: int, column: int
) -> None:
    for kind in EXAMPLES.keys() - {"text"}:
        item, entry = example(kind), Entry()
        for key in keys:
            entry = item.press(entry, key) or entry
            assert entry.value is None or item.accepts(entry.value)
            drawn = item.draw(entry, paper.say)
            if entry.value is not None:
                assert "{" not in item.wording(entry.value, paper.say)
            assert 0 <= item.line(entry) < len(drawn.split("\n"))
            assert "{" not in drawn
        assert "{" not in item.hint(Texts(), paper.say)
        clicked = item.click(line, column, paper.say)
        assert clicked is None or (clicked.value is not None and item.accepts(clicked.value))


def test_every_kind_is_in_the_schema_and_has_its_faults_reported(tmp_path: Path) -> None:
    assert set(ITEMS.names) == set(EXAMPLES)
    for kind in EXAMPLES:
        assert f'"const": "{kind}"' in json.dumps(schema())
        item = example(kind)
        assert ("ask",) in dict(item.lines())
        wrong = item.model_dump(exclude_none=True) | {"optonal": True}
        study = small(questionnaires={"q": [wrong]}, after_round=["q"], at_end=[])
        problem = r"q\[1\]\.optonal \(did you mean 'optional'\?\); allowed: kind, id, ask"
        with pytest.raises(FileError, match=problem):
            loaded(tmp_path, study)


def say(text: str, **_: str | int) -> str:
    return text


def test_a_click_on_a_step_of_a_scale_chooses_it() -> None:
    for most in (5, 7, 10, 20, 21):
        scale = {
            "kind": "scale",
            "id": "a",
            "ask": "b",
            "most": most,
            "low": "not at all",
            "high": "very much",
        }
        item = ITEMS["scale"].model_validate(scale)
        for value in range(1, most + 1):
            _, dots, *_ = item.draw(Entry(value), say).split("\n")
            assert item.click(1, dots.index("●"), say) == Entry(value)
            assert item.click(0, dots.index("●"), say) is None


def test_on_a_long_scale_the_chosen_number_is_below_its_dot() -> None:
    item = ITEMS["scale"].model_validate({"kind": "scale", "id": "a", "ask": "b", "least": 0, "most": 20})
    for value in (0, 1, 10, 20):
        _, dots, chosen, _ = item.draw(Entry(value), say).split("\n")
        assert dots.index("●") == len(chosen) - len(str(value))
        assert chosen.strip() == str(value)


# A new kind, in every room


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two simulated sessions of a study that asks the new kind."""
    folder = tmp_path_factory.mktemp("new-kind")
    questionnaires = {"lights": [LIGHT], "end": [AT_END]}
    path = write(folder, small(questionnaires=questionnaires, after_round=["lights"], at_end=["end"]))
    arguments = ["--teacher", "random", "--participants", "2", "--sessions", str(folder / "sessions")]
    assert main(["rehearse", "--study", str(path), *arguments]) == 0
    return folder


def answers(folder: Path) -> list[str]:
    """All answers to the new kind, from the logs."""
    events = [event for path in sorted((folder / "sessions").glob("*.yaml")) for event in read(path).events]
    return [str(event.value) for event in events if isinstance(event, Responded)]


def test_check_accepts_a_new_kind_rehearse_answers_it_and_verify_agrees(
    rehearsed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(rehearsed / "study.yaml")]) == 0
    assert "12 (2 per round); 5 in questionnaires" in capsys.readouterr().out
    given_answers = answers(rehearsed)
    assert len(given_answers) == 2 * 5
    assert set(given_answers) <= set(TrafficLight.levels)
    words = ["--words", str(rehearsed / "words.txt")]
    assert main(["verify", str(rehearsed / "sessions"), *words]) == 0
    assert "2 of 2" in capsys.readouterr().out


def test_export_writes_the_answers_to_a_new_kind(rehearsed: Path, tmp_path: Path) -> None:
    assert main(["export", str(rehearsed / "sessions"), "--out", str(tmp_path / "out")]) == 0
    rows = [
        row
        for path in (tmp_path / "out").rglob("*.csv")
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        if row.get("item") in ("light", "last")
    ]
    values = [row[column] for row in rows for column in row if row[column] in TrafficLight.levels]
    assert sorted(values) == sorted(answers(rehearsed))


def test_analyse_counts_the_answers_to_a_new_kind(rehearsed: Path, tmp_path: Path) -> None:
    words = ["--words", str(rehearsed / "words.txt")]
    assert main(["analyse", str(rehearsed / "sessions"), "--out", str(tmp_path / "out"), *words]) == 0
    text = (tmp_path / "out" / "summary.json").read_text()
    assert "Which colour now?" in text
    assert all(f'"{level}"' in text for level in TrafficLight.levels)
    report = (tmp_path / "out" / "report.html").read_text()
    assert "Which colour now?" in report
    assert "amber" in report


class Age(Item):
    """A whole number, typed: another kind that studyapp does not have."""

    name: ClassVar[str] = "age"
    typed: ClassVar[bool] = True

    kind: Literal["age"]

    @property
    def measure(self) -> Numbers:
        return Numbers(0, 120)

    @property
    def longest_text(self) -> int:
        return 3

    def accepts(self, value: str | int) -> bool:
        return isinstance(value, int) and 0 <= value <= 120

    def simulated(self, uniform: float) -> int:
        return int(120 * uniform)

    def hint(self, texts: Texts, say: Say) -> str:
        return say(texts.text_hint)

    def read(self, text: str) -> str | int:
        return int(text) if text.isdecimal() else text


async def test_a_typed_kind_may_read_numbers_and_what_it_refuses_is_not_recorded(tmp_path: Path) -> None:
    item = {"kind": "age", "id": "age", "ask": "How old are you?"}
    with ITEMS.also(Age):
        study = study_in(
            tmp_path, questionnaires={"you": [item]}, after_round=["you"], consent=None, instructions=[],
            practice=[], questions=1, targets=["tea"], bonus=None,
        )  # fmt: skip
        async with running(study, tmp_path) as person:
            await person.press("enter", "y", "enter", "a", "b", "tab", "enter")
            assert person.page() == "age item"
            assert not [event for event in person.events() if isinstance(event, Responded)]
            await person.press("tab", "backspace", "backspace", "4", "2", "tab", "enter")
            response = next(event for event in person.events() if isinstance(event, Responded))
            assert (response.item, response.value) == ("age", 42)


async def test_a_new_kind_is_answered_by_its_keys_on_the_screen(tmp_path: Path) -> None:
    study = study_in(
        tmp_path, questionnaires={"lights": [LIGHT]}, after_round=["lights"], consent=None, instructions=[],
        practice=[], questions=1, targets=["tea"], bonus=None,
    )  # fmt: skip
    async with running(study, tmp_path) as person:
        await person.press("enter", "y", "enter")
        assert person.page() == "traffic-light item"
        assert "Which colour was tea?" in person.text()
        await person.press("x", "a", "enter")
        response = next(event for event in person.events() if isinstance(event, Responded))
        assert (response.item, response.value) == ("light", "amber")
