"""Events come back from their written form as they were, and nothing else passes for one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from study_files import LATER, later_events, started

from core.errors import SettingError
from studyapp import documents, events
from studyapp.events import Answered, Event, as_mapping, from_mapping

AT = "2026-11-16T09:30:00.123Z"

ANSWER: dict[str, Any] = {
    "event": "answer",
    "round": 1,
    "question": 2,
    "word": "salt",
    "answer": "n",
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
}


@given(started() | later_events())
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    assert from_mapping(as_mapping(event)) == event
    for written in (documents.flow(as_mapping(event)), documents.block(as_mapping(event)) + "\n"):
        assert from_mapping(yaml.safe_load(written)) == event


def test_these_tests_draw_every_event_there_is() -> None:
    assert {events.Started, *LATER} == set(get_args(Event))


def test_the_name_of_an_event_comes_first_and_is_its_own() -> None:
    names = [kind.event for kind in get_args(Event)]
    assert len(set(names)) == len(names) == 15
    assert next(iter(as_mapping(events.Left(at=AT)))) == "event"


@given(started())
def test_the_head_tells_its_schema_right_after_its_name(event: events.Started) -> None:
    assert list(as_mapping(event).items())[:2] == [("event", "session"), ("schema", 1)]


def test_an_answer_is_read() -> None:
    event = from_mapping(ANSWER)
    assert isinstance(event, Answered)
    assert asdict(event) == ANSWER


@pytest.mark.parametrize("field", sorted(set(ANSWER)))
def test_a_field_that_is_missing_is_named(field: str) -> None:
    rest = {name: value for name, value in ANSWER.items() if name != field}
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
        ("converged", None),
        ("digest", ["ab12"]),
    ],
)
def test_nothing_is_converted(field: str, value: object) -> None:
    with pytest.raises(SettingError, match=field):
        from_mapping(ANSWER | {field: value})


def test_a_field_that_no_answer_has_is_refused() -> None:
    with pytest.raises(SettingError, match="mood: Unexpected"):
        from_mapping(ANSWER | {"mood": "good"})


def test_an_event_that_is_not_known_is_refused() -> None:
    with pytest.raises(SettingError, match="'answered' found"):
        from_mapping(ANSWER | {"event": "answered"})


@given(started(), st.integers(2) | st.none() | st.just("1"))
def test_another_schema_is_refused(event: events.Started, schema: object) -> None:
    with pytest.raises(SettingError, match="schema"):
        from_mapping(as_mapping(event) | {"schema": schema})


def test_a_date_is_no_text() -> None:
    unquoted = yaml.safe_load(f"{{event: consent, at: {AT}}}")
    with pytest.raises(SettingError, match="a date"):
        from_mapping(unquoted)


def test_a_thing_that_holds_itself_is_no_event() -> None:
    with pytest.raises(SettingError, match="that no event has"):
        from_mapping(yaml.safe_load("&a {event: consent, at: *a}"))


def test_what_is_nested_without_end_is_no_event() -> None:
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
def test_what_is_no_event_at_all_is_refused(mapping: object) -> None:
    with pytest.raises(SettingError):
        from_mapping(mapping)
