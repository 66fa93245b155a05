"""Differences between two records: every place, with both values."""

from __future__ import annotations

from typing import Any

from studyapp.base.differences import ABSENT, differences

CASES: list[tuple[Any, Any, list[tuple[str, Any, Any]]]] = [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1, "b": 2}, {"b": 3, "a": 0}, [("a", 1, 0), ("b", 2, 3)]),
    ({"a": 1}, {"b": 1}, [("a", 1, ABSENT), ("b", ABSENT, 1)]),
    ({"a": None}, {}, [("a", None, ABSENT)]),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, [("a.b.c", 1, 2)]),
    ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, [("a[2].b", 2, 3)]),
    ({"a": [1, 2]}, {"a": [1]}, [("a", [1, 2], [1])]),
    ({"a": {"b": 1}}, {"a": [1]}, [("a", {"b": 1}, [1])]),
    (1, 2, [("", 1, 2)]),
]


def test_every_difference_has_its_path_and_both_values() -> None:
    for before, now, expected in CASES:
        found = [(change.path, change.before, change.now) for change in differences(before, now)]
        assert found == expected
