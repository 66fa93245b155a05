"""Kinds are found by name, in the order in which they were added."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.errors import SettingError
from core.kinds import Kinds


@dataclass
class Fruit:
    name: str


@pytest.fixture
def fruits() -> Kinds[Fruit]:
    kinds: Kinds[Fruit] = Kinds("fruit")
    kinds.add(Fruit("pear"))
    kinds.add(Fruit("apple"))
    return kinds


def test_kinds_keep_their_order_and_are_found_by_name(fruits: Kinds[Fruit]) -> None:
    assert fruits.names == ("pear", "apple")
    assert [fruit.name for fruit in fruits] == ["pear", "apple"]
    assert fruits["apple"] == Fruit("apple")
    assert "pear" in fruits
    assert "plum" not in fruits
    assert len(fruits) == 2


def test_an_unknown_name_lists_the_known_ones_and_no_name_is_added_twice(fruits: Kinds[Fruit]) -> None:
    with pytest.raises(SettingError, match=r"no fruit 'aple' \(did you mean 'apple'\?\); known: pear, apple"):
        fruits["aple"]
    with pytest.raises(ValueError, match="there is already a fruit 'pear'"):
        fruits.add(Fruit("pear"))


def test_a_kind_can_be_added_for_a_while_or_decorate_a_class(fruits: Kinds[Fruit]) -> None:
    with fruits.also(Fruit("plum")):
        assert "plum" in fruits
    assert "plum" not in fruits
    kinds: Kinds[type[Fruit]] = Kinds("class")

    @kinds.add
    class Small(Fruit):
        name = "small"

    assert kinds["small"] is Small
