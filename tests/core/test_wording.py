"""Numbers agree with their nouns, a typing slip gets a suggestion, and no text moves a cursor."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.wording import counted, did_you_mean, printable


def test_long_texts_are_never_compared_to_find_the_nearest_name() -> None:
    assert did_you_mean("nave", ["naive", "x" * 100_000]) == " (did you mean 'naive'?)"
    assert did_you_mean("x" * 41, ["x" * 40]) == ""


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (1200, "1,200 words")]
)
def test_a_count_agrees_with_its_noun(count: int, text: str) -> None:
    assert counted(count, "word") == text


def test_an_irregular_plural_can_be_given() -> None:
    assert counted(2, "log of P07", "logs of P07") == "2 logs of P07"


def test_a_name_close_to_a_known_one_gets_a_suggestion_and_another_none() -> None:
    assert did_you_mean("naiv", ["naive", "planning"]) == " (did you mean 'naive'?)"
    assert did_you_mean("weather", ["naive", "planning"]) == ""


@given(st.text(st.characters(codec=None)))
@example("\x1b[2J\r\u202e\n")
@example("x" * 10_000)
def test_text_in_a_message_cannot_move_the_cursor(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) < 2100
    if text.isprintable() and len(text) < 100:
        assert printable(text) == text
