"""The page on running a study is true: its examples work, and it explains everything there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studyapp.cli import main
from studyapp.study import items
from studyapp.study.fields import GENERAL, IN_ROUND
from studyapp.study.items import ITEMS
from studyapp.study.loading import load
from studyapp.study.study import schema

TEXT = Path(items.__file__).with_name("README.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _on_a_fast_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.study.warnings._seconds_per_question", lambda *_: 0.0)


def code(language: str, number: int = 0) -> str:
    """A block of code on the page."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)[number]


def indented(first: str) -> str:
    """An indented block on the page, from its first words on."""
    lines = TEXT[TEXT.index(f"    {first}") :].split("\n")
    last = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return "\n".join(line.removeprefix("    ") for line in lines[:last]).rstrip("\n") + "\n"


def test_the_examples_of_study_files_give_the_output_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    example = code("yaml")
    Path("my-study.yaml").write_text(example)
    assert main(["check", "my-study.yaml"]) == 0
    assert capsys.readouterr().out == indented("My first study (")
    assert main(["check", "my-study.yaml", "--plan"]) == 0
    assert capsys.readouterr().out.endswith("\n\n" + indented("order_of_models      for"))
    wrong = example.replace("{teacher: naive}", "{teacher: naiv}").replace("questions: 8", "questions: eight")
    Path("my-study.yaml").write_text(wrong)
    assert main(["check", "my-study.yaml"]) == 2
    assert capsys.readouterr().err == indented("studyapp: my-study.yaml: there are")
    Path("asking.yaml").write_text("title: x\nmodels: {a: {}, b: {teacher: naive}}\n" + code("yaml", 1))
    asked = load("asking.yaml").study.items(["about-you"])
    assert [item.kind for _, item in asked] == ["choice", "scale", "text"]


def test_every_setting_placeholder_and_kind_of_item_is_explained() -> None:
    for name in [*GENERAL, *IN_ROUND]:
        assert f"`{{{name}}}`" in TEXT
    for kind in ITEMS.names:
        assert f"| `{kind}` |" in TEXT
    made = schema()
    groups = {"answers": "Answers", "pace": "Pace", "breaks": "Break", "bonus": "Bonus", "resume": "Resume"}
    settings = [*made["properties"], *made["$defs"]["LearnerSettings"]["properties"]]
    settings += [
        f"{name}.{own}" for name, part in groups.items() for own in made["$defs"][part]["properties"]
    ]
    for setting in settings:
        assert f"`{setting}`" in TEXT, setting
