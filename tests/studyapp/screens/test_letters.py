"""Words in large letters."""

from __future__ import annotations

import string

import pytest

from core import Vocabulary
from studyapp.screens.letters import is_large, large


@pytest.mark.parametrize(
    "word", [*Vocabulary.load("study20").words, *string.ascii_letters, "yö", "ÅÄÖ", "e-mail"]
)
def test_a_word_is_three_rows_of_one_width(word: str) -> None:
    rows = large(word, 56).split("\n")
    assert len(rows) == 3
    assert len({len(row) for row in rows}) == 1
    assert any(row.strip() for row in rows)


def test_all_letters_look_different() -> None:
    letters = string.ascii_uppercase + "ÅÄÖ"
    assert len({large(letter, 10) for letter in letters}) == len(letters)


def test_what_cannot_be_drawn_or_is_too_long_is_shown_as_it_is() -> None:
    assert large("çok", 20) == "\nçok\n"
    assert large("straße", 60) == "\nstraße\n"
    assert large("elephant", 20) == "\nelephant\n"


def test_a_word_is_large_only_if_it_is_drawn() -> None:
    assert is_large("elephant")
    assert is_large("a")
    assert not is_large("café")
    assert not is_large("w" * 40)
