"""Numbers agree with their nouns, a typing slip gets a suggestion, and a terminal obeys no text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from injections import ATTACK, UNSEEN, hostile_texts

from core.wording import counted, did_you_mean, printable, visible, visible_lines


def test_long_texts_are_never_compared_to_find_the_nearest_name() -> None:
    assert did_you_mean("nave", ["naive", "x" * 100_000]) == " (did you mean 'naive'?)"
    assert did_you_mean("x" * 41, ["x" * 40]) == ""


def test_a_count_agrees_with_its_noun() -> None:
    for count, text in ((0, "0 words"), (1, "1 word"), (2, "2 words"), (1200, "1,200 words")):
        assert counted(count, "word") == text
    assert counted(2, "log of P07", "logs of P07") == "2 logs of P07"


def test_a_name_close_to_a_known_one_gets_a_suggestion_and_another_none() -> None:
    assert did_you_mean("naiv", ["naive", "planning"]) == " (did you mean 'naive'?)"
    assert did_you_mean("weather", ["naive", "planning"]) == ""


@given(hostile_texts())
@example(ATTACK)
def test_no_text_moves_the_cursor_turns_or_hides_other_text_or_breaks_the_line(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & UNSEEN
    assert visible(shown) == shown
    assert visible_lines(text).replace("\n", "\\n") == shown
    if text.isprintable() and not set(text) & UNSEEN:
        assert shown == text


def test_ordinary_text_of_every_language_stays_as_it_is() -> None:
    for text in (
        *("naïve café", "שלום", "مرحبا", "می\u200cخواهم", "हिन्\u200dदी"),  # noqa: RUF001 (Persian)
        *("日本語\u3000語", "👩\u200d🚀 ❤️", "a\u0301", "1\u202f000"),
    ):
        assert visible(text) == text


def test_what_is_not_visible_is_an_escape() -> None:
    assert visible("a\x1b[31mb\n\u202e\ud800\U000e0041") == r"a\x1b[31mb\n\u202e\ud800\U000e0041"


@given(st.text(st.characters(codec=None)))
@example("x" * 10_000)
def test_text_in_a_message_is_not_too_long(text: str) -> None:
    assert len(printable(text)) < 2100
