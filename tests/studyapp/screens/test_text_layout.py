"""Text arranged for a given width, and words in large letters."""

from __future__ import annotations

import string
import unicodedata

import pytest

from core import Vocabulary
from studyapp.screens.text_layout import (
    TARGET_WIDTH,
    Lettering,
    in_lines,
    is_large,
    progress_bar,
    reflowed,
)

MARKED = "ÄÖÜÅÉÈÊŠÑŐŌŻÏ"  # letters with a mark of every kind


def test_the_lines_of_a_paragraph_become_one_and_indented_lines_stay() -> None:
    text = "One\ntwo.\n\n    Is dog relevant?   y\n    Is cat relevant?   n\n\nThree\nfour.\n"
    assert reflowed(text) == "One two.\n\n    Is dog relevant?   y\n    Is cat relevant?   n\n\nThree four."


def test_a_progress_bar_always_has_its_width() -> None:
    assert [progress_bar(done, 4, 8) for done in (0, 1, 4)] == ["╌╌╌╌╌╌╌╌", "━━╌╌╌╌╌╌", "━━━━━━━━"]
    assert progress_bar(0, 0, 8) == "━━━━━━━━"


def test_no_entry_is_split_over_two_lines() -> None:
    assert in_lines(["tea yes", "salt no", "cat no"], 17) == ["tea yes · salt no", "cat no"]
    assert in_lines(["茶 yes", "salt no"], 15) == ["茶 yes", "salt no"]  # the first character is wide
    assert in_lines(["elephant yes"], 5) == ["elephant yes"]
    assert in_lines([], 5) == []


# Large letters


def large(*words: str) -> list[str]:
    """The rows of the first of these words, shown among the others."""
    lettering = Lettering(words, TARGET_WIDTH)
    assert lettering.large
    return lettering.draw(words[0]).split("\n")


def test_a_large_word_has_three_rows_of_the_same_width() -> None:
    words = Vocabulary.load("study20").words
    for word in (*words, *string.ascii_letters, "straße", "Çok", "øl", "æ", "e-mail"):
        assert is_large(word), word
        rows = large(word)
        assert len(rows) == 3, word
        assert len({len(row) for row in rows}) == 1, word
        assert any(row.strip() for row in rows), word


def test_marks_are_in_a_row_of_their_own_above_the_letter() -> None:
    for word in (*MARKED, "yö", "ångström", "café", "cafe\u0301", "naïve"):
        marks, *rows = large(word)
        assert marks.strip(), word
        assert len(rows) == 3, word
        assert len({len(row) for row in (marks, *rows)}) == 1, word
        plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        if "ï" not in word.lower():  # whose marks are wider than the letter
            assert rows == large(plain), word
    assert large("ä") == ["• •", *large("a")]


def test_no_two_letters_look_the_same() -> None:
    letters = string.ascii_uppercase + MARKED + "ØÆÇ"
    assert len({"\n".join(large(letter, "Ä")) for letter in letters}) == len(letters)


@pytest.mark.parametrize("other", ["łódź", "茶", "Donaudampfschifffahrtsgesellschaft"])
def test_words_are_all_large_or_all_at_normal_size(other: str) -> None:
    assert is_large("tea")
    assert not is_large(other)
    lettering = Lettering(["tea", other], TARGET_WIDTH)
    assert not lettering.large
    assert lettering.draw("tea") == "\ntea\n"


def test_all_words_of_a_set_have_the_same_number_of_rows() -> None:
    assert len(large("tea", "yö")) == len(large("yö", "tea")) == 4


def test_the_widest_large_word_fills_its_width() -> None:
    width = len(large("elephant")[0])
    assert is_large("elephant", width)
    assert not is_large("elephant", width - 1)
