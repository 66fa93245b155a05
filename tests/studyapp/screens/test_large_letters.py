"""Words in large letters."""

from __future__ import annotations

import string
import unicodedata

import pytest

from core import Vocabulary
from studyapp.screens.text_layout import TARGET_WIDTH, Lettering, is_large

MARKED = "ÄÖÜÅÉÈÊŠÑŐŌŻÏ"  # letters with a mark of every kind


def large(*words: str) -> list[str]:
    """The rows of the first of these words, shown among the others."""
    lettering = Lettering(words, TARGET_WIDTH)
    assert lettering.large
    return lettering.draw(words[0]).split("\n")


@pytest.mark.parametrize(
    "word", [*Vocabulary.load("study20").words, *string.ascii_letters, "straße", "Çok", "øl", "æ", "e-mail"]
)
def test_a_large_word_has_three_rows_of_the_same_width(word: str) -> None:
    assert is_large(word)
    rows = large(word)
    assert len(rows) == 3
    assert len({len(row) for row in rows}) == 1
    assert any(row.strip() for row in rows)


@pytest.mark.parametrize("word", [*MARKED, "yö", "ångström", "café", "cafe\u0301", "naïve"])
def test_marks_are_in_a_row_of_their_own_above_the_letter(word: str) -> None:
    marks, *rows = large(word)
    assert marks.strip()
    assert len(rows) == 3
    assert len({len(row) for row in (marks, *rows)}) == 1
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    if "ï" not in word.lower():  # whose marks are wider than the letter
        assert rows == large(plain)


def test_umlauts_look_like_umlauts() -> None:
    assert large("ä") == ["• •", *large("a")]


def test_no_two_letters_look_the_same() -> None:
    letters = string.ascii_uppercase + MARKED + "ØÆÇ"
    assert len({"\n".join(large(letter, "Ä")) for letter in letters}) == len(letters)


@pytest.mark.parametrize("others", [["łódź"], ["茶"], ["Donaudampfschifffahrtsgesellschaft"]])
def test_words_are_all_large_or_all_at_normal_size(others: list[str]) -> None:
    assert is_large("tea")
    assert not is_large(others[0])
    lettering = Lettering(["tea", *others], TARGET_WIDTH)
    assert not lettering.large
    assert lettering.draw("tea") == "\ntea\n"


def test_all_words_of_a_set_have_the_same_number_of_rows() -> None:
    assert len(large("tea", "yö")) == len(large("yö", "tea")) == 4


def test_the_widest_large_word_fills_its_width() -> None:
    word = "elephant"
    width = len(large(word)[0])
    assert is_large(word, width)
    assert not is_large(word, width - 1)
