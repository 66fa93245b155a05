"""Words in large letters."""

from __future__ import annotations

import string

import pytest

from core import Vocabulary
from studyapp.screens.large_letters import TARGET_WIDTH, is_large, large


@pytest.mark.parametrize(
    "word", [*Vocabulary.load("study20").words, *string.ascii_letters, "yö", "ÅÄÖ", "e-mail"]
)
def test_a_large_word_has_three_rows_of_the_same_width(word: str) -> None:
    assert is_large(word)
    rows = large(word).split("\n")
    assert len(rows) == 3
    assert len({len(row) for row in rows}) == 1
    assert any(row.strip() for row in rows)


def test_no_two_letters_look_the_same() -> None:
    letters = string.ascii_uppercase + "ÅÄÖ"
    assert len({large(letter, 10) for letter in letters}) == len(letters)


@pytest.mark.parametrize(
    ("word", "width"), [("çok", TARGET_WIDTH), ("straße", TARGET_WIDTH), ("elephant", 20)]
)
def test_a_word_with_unknown_letters_or_too_many_is_shown_at_normal_size(word: str, width: int) -> None:
    assert not is_large(word, width)
    assert large(word, width) == f"\n{word}\n"


def test_the_widest_large_word_fills_its_width() -> None:
    word = "elephant"
    width = len(large(word).split("\n")[0])
    assert is_large(word, width)
    assert not is_large(word, width - 1)
