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
from study_files import AN_ANSWER, LATER, later_events, started

from core.errors import SettingError
from studyapp.base import documents
from studyapp.session import events
from studyapp.session.events import Answered, Event, as_mapping, from_json, from_mapping
from studyapp.study.plan import Round

AT = "2026-11-16T09:30:00.123Z"

ANSWER = {"event": "answer", **AN_ANSWER, "clock_ms": 5000.5}
ALWAYS_KNOWN = ("round", "question", "word", "answer", "reward")  # in imported sessions, too


@holds_for(30, 500, event=started() | later_events())
def test_every_event_reads_back_as_it_was_written(event: Event) -> None:
    assert from_mapping(as_mapping(event)) == event
    for written in (documents.json_line(as_mapping(event)), documents.block(as_mapping(event)) + "\n"):
        assert from_mapping(yaml.safe_load(written)) == event
    assert from_json(documents.json_line(as_mapping(event)).encode()) == event


def test_every_kind_of_event_is_drawn_above_and_has_a_name_of_its_own() -> None:
    assert {events.Started, *LATER} == set(get_args(Event))
    assert len({kind.event for kind in get_args(Event)}) == 18


def test_fields_of_an_answer_may_be_empty_only_where_an_import_leaves_them_empty() -> None:
    event = from_mapping(ANSWER)
    assert isinstance(event, Answered)
    assert asdict(event) == ANSWER
    for field in ANSWER:
        if field == "event":
            continue
        if field in ALWAYS_KNOWN:
            with pytest.raises(SettingError, match=field):
                from_mapping(ANSWER | {field: None})
        else:
            assert getattr(from_mapping(ANSWER | {field: None}), field) is None
        rest = {name: value for name, value in ANSWER.items() if name != field}
        if field != "clock_ms":  # it is empty until a sitting saves the event
            with pytest.raises(SettingError, match=field):
                from_mapping(rest)


def test_values_of_the_wrong_type_or_out_of_bounds_are_refused_not_converted() -> None:
    for field, values in {
        "event": ["answered"],
        "round": ["1", 1.0, 0, True, 10**11],
        "question": ["two", 0],
        "word": [3],
        "answer": ["yes", "Y", False, 1],
        "reward": ["0.5", math.nan, math.inf, -0.1, 1.5],
        "shown_at": [
            *(20261116, "yesterday", "", "2026-11-16T09:30:00.123", "2026-99-99T00:00:00Z"),
            *("9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "2026-11-16T09:30:00.123+23:59"),
        ],
        "rt_ms": ["1840", True, -math.inf, -1.0, 1e18],
        "first_choice_ms": [-1.0, 1500.5],  # later than the last choice
        "last_choice_ms": [1841.0],  # later than the answer
        "compute_ms": ["none", -1.0],
        "delay_ms": [-1e6],
        "late": [0, "false"],
        "changes": [-3],
        "stray_keys": [-1, 10**400],
        "away_ms": [1841.0],
        "digest": [["ab12"]],
        "converged": [1, "yes"],
        "clock_ms": [-1.0],
        "mood": ["good"],  # an unknown field
    }.items():
        for value in values:
            with pytest.raises(SettingError) as caught:
                from_mapping(ANSWER | {field: value})
            assert field in str(caught.value) or "no event can have" in str(caught.value), (field, value)


def test_a_part_of_a_duration_is_no_longer_than_the_whole() -> None:
    for event in (
        {"event": "instructions", "ms": 5.0},
        {"event": "break", "after": 1, "ms": 5.0},
        {"event": "confirmed", "after": None, "ms": 5.0},
        {"event": "response", "questionnaire": "a", "item": "b", "after": 1, "value": 1, "rt_ms": 5.0},
    ):
        assert from_mapping(event | {"at": AT, "away_ms": 5.0})
        with pytest.raises(SettingError, match=r"away_ms is 5.1, but it is a part of"):
            from_mapping(event | {"at": AT, "away_ms": 5.1})


def test_what_is_not_the_json_of_an_event_is_refused() -> None:
    stayed = b'{"event": "stayed", "at": "2026-11-16T09:30:00.123Z", "ms": '
    for raw in (
        *(b"", b"[]", b"{}", b"{", b"{event: consent, at: x}", b'{"event": "consent"}'),
        *(
            stayed + number + b"}"
            for number in (b"NaN", b"Infinity", b"1e999", b"9" * 5000, b"01", b"[" * 50_000)
        ),
        *(b'{"event": "consent", "at": ' + text + b"}" for text in (b'"\xff"', b'"a\0"', b'"\\ud800"')),
        b'{"event": "consent", "at": "2026-11-16T09:30:00.123Z"}{}',
    ):
        with pytest.raises(SettingError):
            from_json(raw)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for mapping in (
        yaml.safe_load(f"{{event: consent, at: {AT}}}"),  # a date without quotes
        yaml.safe_load("&a {event: consent, at: *a}"),  # a mapping that contains itself
        {"event": "consent", "at": deep},
    ):
        with pytest.raises(SettingError):
            from_mapping(mapping)


@given(
    st.binary(),
    st.none() | st.text() | st.lists(st.integers()) | st.dictionaries(st.text() | st.none(), st.integers()),
)
def test_anything_but_an_event_is_refused(raw: bytes, mapping: object) -> None:
    with pytest.raises(SettingError):
        from_json(raw)
    with pytest.raises(SettingError):
        from_mapping(mapping)


def test_the_reference_documents_every_event_and_every_field_and_no_other() -> None:
    reference = (Path(__file__).parents[3] / "sessions" / "README.md").read_text(encoding="utf-8")
    documented = {
        section.partition("\n")[0].strip("`"): re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
        for section in reference.split("\n### ")[1:]
    }
    assert {name: sorted(names) for name, names in documented.items()} == {
        kind.event: sorted(field.name for field in fields(kind) if field.name not in ("event", "clock_ms"))
        for kind in get_args(Event)
    }
    for name, kind in (("imported", events.Imported), ("plan", Round)):  # fields within a field
        (row,) = re.findall(rf"^\| `{name}` \|.*$", reference, re.MULTILINE)
        assert {field.name for field in fields(kind)} <= set(re.findall(r"`(\w+)`", row))
