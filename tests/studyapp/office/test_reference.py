"""The reference of the study's log has every event and every field."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from studyapp.office.events import StudyEvent

PAGE = (Path(__file__).parents[3] / "studyapp" / "office" / "README.md").read_text(encoding="utf-8")
KINDS = get_args(StudyEvent)
SHARED = ("at", "host", "user", "id")


def sections() -> dict[str, str]:
    events = PAGE[PAGE.index("\n## Events") : PAGE.index("\n## Backups")]
    name_and_text = re.split(r"^### `(\w+)`$", events, flags=re.MULTILINE)[1:]
    return dict(zip(name_and_text[::2], name_and_text[1::2], strict=True))


def test_every_event_has_a_section_and_nothing_else_has() -> None:
    assert sorted(sections()) == sorted(kind.event for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.event)
def test_every_field_of_an_event_is_explained_and_nothing_else_is(kind: type[Any]) -> None:
    explained = re.findall(r"^\| `(\w+)` \|", sections()[kind.event], re.MULTILINE)
    own = [field.name for field in fields(kind) if field.name not in (*SHARED, "event")]
    assert sorted(explained) == sorted(own)


@pytest.mark.parametrize("name", SHARED)
def test_the_fields_of_all_events_are_explained(name: str) -> None:
    assert f"`{name}`" in PAGE[PAGE.index("Every event has these fields") : PAGE.index("\n## Events")]


def test_every_module_is_listed() -> None:
    folder = Path(__file__).parents[3] / "studyapp" / "office"
    modules = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    assert modules <= set(re.findall(r"`(\w+\.py)`", PAGE))
