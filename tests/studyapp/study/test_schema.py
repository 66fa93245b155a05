"""The JSON Schema of a study file accepts what the loader accepts, and refuses typical faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from study_files import Settings, small, study_files

from studyapp.base import documents
from studyapp.cli import main
from studyapp.study.items import ITEMS
from studyapp.study.loading import bundled
from studyapp.study.study import schema


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_check_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()


@pytest.mark.parametrize("name", sorted(bundled()))
def test_it_accepts_the_bundled_studies_and_their_first_line_names_it(
    name: str, validator: jsonschema.Draft202012Validator
) -> None:
    raw = bundled()[name]
    validator.validate(documents.parse(raw, name).data)
    assert raw.startswith(b"# yaml-language-server: $schema=study.schema.json\n")


@settings(max_examples=25)
@given(chosen=study_files())
def test_it_accepts_valid_studies(chosen: Settings) -> None:
    jsonschema.Draft202012Validator(schema()).validate(chosen)


@pytest.mark.parametrize(
    "changes",
    [
        {"qestions": 5},
        {"questions": 0},
        {"questions": "5"},
        {"questions": None},
        {"title": ""},
        {"models": {"one": {}}},
        {"models": {"one": {}, "t wo": {}}},
        {"models": {"one": {"teacher": "kind"}, "two": {}}},
        {"learner": {"selection": "best"}},
        {"learner": {"fit": "fast"}},
        {"learner": {"beta": "high"}},
        {"learner": {"bta": 3}},
        {"targets": "tea"},
        {"targets": [3]},
        {"order": "ranom"},
        {"order_of_models": "fixed"},
        {"participants": 0},
        {"ids": "P01"},
        {"ids": "P{number:2}"},
        {"ids": []},
        {"ids": ["P 1"]},
        {"look": "blue"},
        {"breaks": {"seconds": 5}},
        {"answers": {"yes": "yes"}},
        {"pace": {"pause": 61}},
        {"texts": {"aks": "x"}},
        {"texts": {"ask": 3}},
        {"instructions": "one page"},
        {"questionnaires": {"you": [{"id": "a", "ask": "b"}]}},
        {"questionnaires": {"you": [{"id": "a", "kind": "txt", "ask": "b"}]}},
        {"questionnaires": {"you": [{"id": "a", "kind": "text", "ask": "b", "longst": 3}]}},
        {"questionnaires": {"you": [{"id": "a", "kind": "choice", "ask": "b", "choices": ["c"]}]}},
        {"questionnaires": {"you": [{"id": "a", "kind": "scale", "ask": "b", "most": 22}]}},
        {"bonus": {"within": 1, "rounds": 1}},
        {"resume": {"allowed": 1}},
    ],
)
def test_it_refuses_typical_faults(changes: Settings, validator: jsonschema.Draft202012Validator) -> None:
    assert not validator.is_valid(small() | changes)


def _fields(part: Any) -> list[dict[str, Any]]:
    """The settings in a schema, at every depth."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = list(part.get("properties", {}).values()) if isinstance(part, dict) else []
    return [field for field in own if isinstance(field, dict)] + [
        f for value in inner for f in _fields(value)
    ]


def test_every_setting_has_a_description() -> None:
    for field in _fields(schema()):
        assert field.get("description") or "const" in field, field


def test_every_kind_of_item_is_in_it() -> None:
    text = json.dumps(schema())
    for kind in ITEMS.names:
        assert f'"const": "{kind}"' in text


def test_the_page_about_studies_explains_every_setting() -> None:
    page = (Path(__file__).parents[3] / "studyapp" / "study" / "README.md").read_text(encoding="utf-8")
    made = schema()
    parts = {"": made} | {
        f"{name}.": made["$defs"][part]
        for name, part in {
            "answers": "Answers",
            "pace": "Pace",
            "breaks": "Break",
            "bonus": "Bonus",
            "resume": "Resume",
        }.items()
    }
    for prefix, part in parts.items():
        for setting in part["properties"]:
            assert f"`{prefix}{setting}`" in page, setting
    for setting in made["$defs"]["LearnerSettings"]["properties"]:
        assert f"`{setting}`" in page, setting
