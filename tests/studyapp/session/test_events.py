"""Events read back as they were written, and nothing else is accepted as an event."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from proofs import holds_for
from study_files import LATER, later_events, started

from core.errors import SettingError
from studyapp.base import documents
from studyapp.session import events
from studyapp.session.events import Answered, Event, as_mapping, from_json, from_mapping
from studyapp.study.plan import Round

AT = "2026-11-16T09:30:00.123Z"

ANSWER: dict[str, Any] = {
    "event": "answer",
    "round": 1,
    "question": 2,
    "word": "salt",
    "answer": "n",
    "reward": 0.2718,
    "shown_at": AT,
    "rt_ms": 1840.5,
    "first_choice_ms": 900.0,
    "last_choice_ms": 1500.0,
    "compute_ms": None,
    "delay_ms": 500.0,
    "late": False,
    "changes": 0,
    "stray_keys": 0,
    "away_ms": 0.0,
    "digest": "ab12",
    "converged": True,
    "clock_ms": 5000.5,
}
ALWAYS_KNOWN = ("round", "question", "word", "answer", "reward")


@holds_for(30, 500, event=started() | later_events())
def test_every_event_reads_back_as_it_was_written(event: Event) -> None:
    assert from_mapping(as_mapping(event)) == event
    for written in (documents.json_line(as_mapping(event)), documents.block(as_mapping(event)) + "\n"):
        assert from_mapping(yaml.safe_load(written)) == event
    assert from_json(documents.json_line(as_mapping(event)).encode()) == event


def test_these_tests_draw_every_kind_of_event() -> None:
    assert {events.Started, *LATER} == set(get_args(Event))


def test_the_name_of_an_event_comes_first_and_is_unique() -> None:
    names = [kind.event for kind in get_args(Event)]
    assert len(set(names)) == len(names) == 18
    assert next(iter(as_mapping(events.Left(at=AT)))) == "event"


@holds_for(10, 100, event=started())
def test_the_head_has_its_schema_right_after_its_name(event: events.Started) -> None:
    assert list(as_mapping(event).items())[:2] == [("event", "session"), ("schema", 3)]


def test_an_answer_is_read_from_a_mapping() -> None:
    event = from_mapping(ANSWER)
    assert isinstance(event, Answered)
    assert asdict(event) == ANSWER


@pytest.mark.parametrize("field", sorted(set(ANSWER)))
def test_a_missing_field_is_named(field: str) -> None:
    rest = {name: value for name, value in ANSWER.items() if name != field}
    if field == "clock_ms":  # it is empty until a sitting saves the event
        assert getattr(from_mapping(rest), field) is None
        return
    with pytest.raises(SettingError, match=field if field != "event" else "discriminator"):
        from_mapping(rest)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("round", "1"),
        ("round", 1.0),
        ("round", True),
        ("round", None),
        ("question", "two"),
        ("word", 3),
        ("answer", "yes"),
        ("answer", False),
        ("answer", 1),
        ("shown_at", 20261116),
        ("rt_ms", "1840"),
        ("rt_ms", True),
        ("compute_ms", "none"),
        ("late", 0),
        ("late", "false"),
        ("converged", 1),
        ("converged", "yes"),
        ("reward", None),
        ("reward", "0.5"),
        ("reward", math.nan),
        ("reward", math.inf),
        ("rt_ms", -math.inf),
        ("digest", ["ab12"]),
    ],
)
def test_values_of_the_wrong_type_are_refused_not_converted(field: str, value: object) -> None:
    with pytest.raises(SettingError, match=field):
        from_mapping(ANSWER | {field: value})


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(SettingError, match="mood: Unexpected"):
        from_mapping(ANSWER | {"mood": "good"})


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(SettingError, match="'answered' found"):
        from_mapping(ANSWER | {"event": "answered"})


@holds_for(10, 100, event=started(), schema=st.integers(4) | st.integers(1, 2) | st.none() | st.just("3"))
def test_another_schema_is_refused(event: events.Started, schema: object) -> None:
    with pytest.raises(SettingError, match="schema"):
        from_mapping(as_mapping(event) | {"schema": schema})


@pytest.mark.parametrize("field", sorted(set(ANSWER) - {*ALWAYS_KNOWN, "event"}))
def test_fields_that_an_imported_session_lacks_may_be_empty(field: str) -> None:
    assert getattr(from_mapping(ANSWER | {field: None}), field) is None


@pytest.mark.parametrize("field", ALWAYS_KNOWN)
def test_every_session_has_the_question_its_answer_and_its_reward(field: str) -> None:
    with pytest.raises(SettingError, match=field):
        from_mapping(ANSWER | {field: None})


@pytest.mark.parametrize("moment", ["yesterday", "2026-11-16T09:30:00.123", "2026-99-99T00:00:00Z", ""])
def test_a_time_without_a_zone_is_refused(moment: str) -> None:
    with pytest.raises(SettingError, match="shown_at"):
        from_mapping(ANSWER | {"shown_at": moment})


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b'{"event": "consent"}',
        b"{event: consent, at: x}",
        b'{"event": "consent", "at": NaN}',
        b'{"event": "stayed", "at": "2026-11-16T09:30:00Z", "ms": NaN}',
        b'{"event": "stayed", "at": "2026-11-16T09:30:00Z", "ms": Infinity}',
        b'{"event": "stayed", "at": "2026-11-16T09:30:00Z", "ms": 1e999}',
        b'{"event": "round", "at": "2026-11-16T09:30:00Z", "round": ' + b"9" * 5000 + b"}",
        b'{"event": "consent", "at": "\xff"}',
        b'{"event": "consent", "at": "a\0"}',
        b'{"event": "consent", "at": "\\ud800"}',
        b'{"event": "consent", "at": ' + b"[" * 50_000,
        b'{"event": "consent", "at": "2026-11-16T09:30:00Z"}{}',
    ],
)
def test_a_line_that_is_not_the_json_of_an_event_is_refused(raw: bytes) -> None:
    with pytest.raises(SettingError):
        from_json(raw)


@given(st.binary())
def test_random_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(SettingError):
        from_json(raw)


def test_an_unquoted_date_is_refused() -> None:
    unquoted = yaml.safe_load(f"{{event: consent, at: {AT}}}")
    with pytest.raises(SettingError, match="that no event can have"):
        from_mapping(unquoted)


def test_a_mapping_that_contains_itself_is_refused() -> None:
    with pytest.raises(SettingError, match="that no event can have"):
        from_mapping(yaml.safe_load("&a {event: consent, at: *a}"))


def test_deep_nesting_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(SettingError):
        from_mapping({"event": "consent", "at": deep})


@given(
    st.none()
    | st.integers()
    | st.text()
    | st.lists(st.integers())
    | st.dictionaries(st.text() | st.integers() | st.none(), st.integers())
)
def test_anything_but_an_event_is_refused(mapping: object) -> None:
    with pytest.raises(SettingError):
        from_mapping(mapping)


# The documentation

REFERENCE = Path(__file__).parents[3] / "sessions" / "README.md"


def documented() -> dict[str, list[str]]:
    """The events in the reference, with their fields."""
    sections = REFERENCE.read_text(encoding="utf-8").split("\n### ")[1:]
    return {
        section.partition("\n")[0].strip("`"): re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        for section in sections
    }


def test_the_reference_documents_every_event_and_no_other() -> None:
    assert sorted(documented()) == sorted(kind.event for kind in get_args(Event))


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.event)
def test_the_reference_documents_every_field_and_no_other(kind: type[Any]) -> None:
    names = [field.name for field in fields(kind) if field.name not in ("event", "clock_ms")]
    assert sorted(documented()[kind.event]) == sorted(names)


@pytest.mark.parametrize(("name", "kind"), [("imported", events.Imported), ("plan", Round)])
def test_the_reference_documents_the_fields_within_a_field(name: str, kind: type[Any]) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|.*$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {field.name for field in fields(kind)} <= set(re.findall(r"`(\w+)`", row))
