"""The contract of item kinds: every kind, and the new one of the recipe, works in every room."""

from __future__ import annotations

import csv
import json
import re
import sys
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
from studyapp.study import items
from studyapp.study.items import ITEMS, Categories, Entry, Item, Numbers, Say, Words
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.study import schema
from studyapp.study.texts import Texts


def _of_the_recipe() -> Any:
    """The class on the page about studies, which is added to nothing yet."""
    page = Path(items.__file__).with_name("README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0].replace("@ITEMS.add\n", "")
    names: dict[str, Any] = vars(sys.modules[items.__name__]) | {"Texts": Texts}
    exec(f"from __future__ import annotations\n{code}", names)
    return names["TrafficLight"]


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


COLOURS = ("red", "amber", "green")
LIGHT: Settings = {"id": "light", "kind": "traffic-light", "ask": "Which colour was {target}?"}
AT_END: Settings = LIGHT | {"id": "last", "ask": "Which colour now?", "caption": "{rounds} rounds"}
EXAMPLES: dict[str, Settings] = {
    "choice": {"choices": ["left", "{questions} right"]},
    "scale": {"least": 0, "most": 12, "low": "{words} low", "high": "high"},
    "text": {"longest": 5},
    "traffic-light": {"caption": "{questions}"},
    "age": {},
}
KEYS = [*"0123456789rag x", "left", "right", "up", "down", "backspace", "delete", "f1"]


@pytest.fixture(scope="module", autouse=True)
def _new_kinds() -> Iterator[None]:
    """The new kinds are known while this module is tested, in this process."""
    with ITEMS.also(_of_the_recipe()), ITEMS.also(Age), patch("studyapp.base.parallel.cores", return_value=1):
        yield


@pytest.fixture(scope="module")
def paper() -> LoadedStudy:
    return load("paper")


def example(kind: str, **changes: Any) -> Item:
    given = EXAMPLES.get(kind, {}) | changes
    return ITEMS[kind].model_validate({"id": "a", "kind": kind, "ask": "b"} | given)


def say(text: str, **_: str | int) -> str:
    return text


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
    for item in map(example, EXAMPLES):
        if item.typed:
            continue
        entry = Entry()
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


def test_what_is_no_answer_is_not_accepted() -> None:
    for kind, wrong in {"choice": ["right", 1], "scale": [-1, 13, "5"], "text": ["longer", 5]}.items():
        assert not any(map(example(kind).accepts, wrong))


def test_a_step_of_a_scale_is_chosen_by_a_click_and_named_below_its_dot_on_a_long_one() -> None:
    for most in (5, 7, 10, 20, 21):
        item = example("scale", least=1, most=most, low="not at all", high="very much")
        for value in range(1, most + 1):
            _, dots, chosen, *_ = item.draw(Entry(value), say).split("\n")
            assert item.click(1, dots.index("●"), say) == Entry(value)
            assert item.click(0, dots.index("●"), say) is None
            if most > 11:
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
    assert len(answers(rehearsed)) == 2 * 5
    assert set(answers(rehearsed)) <= set(COLOURS)
    words = ["--words", str(rehearsed / "words.txt")]
    assert main(["verify", str(rehearsed / "sessions"), *words]) == 0
    assert "2 of 2" in capsys.readouterr().out


def test_export_writes_the_answers_to_a_new_kind_and_analyse_counts_them(
    rehearsed: Path, tmp_path: Path
) -> None:
    sessions, out = str(rehearsed / "sessions"), tmp_path / "out"
    assert main(["export", sessions, "--out", str(out)]) == 0
    tables = [path.read_text(encoding="utf-8").splitlines() for path in out.rglob("*.csv")]
    rows = [row for table in tables for row in csv.DictReader(table) if row.get("item") in ("light", "last")]
    values = [value for row in rows for value in row.values() if value in COLOURS]
    assert sorted(values) == sorted(answers(rehearsed))
    words = ["--words", str(rehearsed / "words.txt")]
    assert main(["analyse", sessions, "--out", str(tmp_path / "results"), *words]) == 0
    for name in ("summary.json", "report.html"):
        text = (tmp_path / "results" / name).read_text()
        assert "Which colour now?" in text
        assert all(colour in text for colour in COLOURS)


async def test_new_kinds_are_answered_by_keys_or_by_typing_and_what_they_refuse_is_not_recorded(
    tmp_path: Path,
) -> None:
    asked = [LIGHT, {"kind": "age", "id": "age", "ask": "How old are you?"}]
    study = study_in(
        tmp_path, questionnaires={"new": asked}, after_round=["new"], consent=None, instructions=[],
        practice=[], questions=1, targets=["tea"], bonus=None,
    )  # fmt: skip
    async with running(study, tmp_path) as person:
        await person.press("enter", "y", "enter")
        assert person.page() == "traffic-light item"
        assert "Which colour was tea?" in person.text()
        await person.press("x", "a", "enter", "a", "b", "tab", "enter")
        assert person.page() == "age item"
        assert len([event for event in person.events() if isinstance(event, Responded)]) == 1
        await person.press("tab", "backspace", "backspace", "4", "2", "tab", "enter")
        given = [event for event in person.events() if isinstance(event, Responded)]
        assert [(event.item, event.value) for event in given] == [("light", "amber"), ("age", 42)]
