"""Numbers agree with their nouns, a typing slip gets a suggestion, and a terminal obeys no text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.wording import counted, did_you_mean, printable, visible, visible_lines


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


# Written as code points, and not by the code's own rule.
UNSEEN = [
    *map(chr, [*range(0x20), *range(0x7F, 0xA0)]),  # controls: C0, DEL, C1
    *map(chr, [0xAD, 0x61C, 0x180E, *range(0x200B, 0x200C), *range(0x200E, 0x2010), *range(0x2028, 0x202F)]),
    *map(chr, [*range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)]),
    *map(chr, [0x34F, 0x115F, 0x1160, 0x3164, 0xFFA0, *range(0xD800, 0xE000, 0xFF)]),
]


@given(st.text(st.characters(codec=None) | st.sampled_from(UNSEEN)))
@example("\x1b]52;c;eA==\x07\x9b2J\r\b\u202e\n\u2067")
def test_no_text_moves_the_cursor_turns_or_hides_other_text_or_breaks_the_line(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & set(UNSEEN)
    assert visible(shown) == shown
    assert visible_lines(text).replace("\n", "\\n") == shown
    if text.isprintable() and not set(text) & set(UNSEEN):
        assert shown == text


@pytest.mark.parametrize(
    "text",
    [
        "naïve café",
        "שלום",
        "مرحبا",
        "می\u200cخواهم",  # noqa: RUF001 (Persian)
        "हिन्\u200dदी",
        "日本語\u3000語",
        "👩\u200d🚀 ❤️",
        "a\u0301",
        "1\u202f000",
    ],
)
def test_ordinary_text_of_every_language_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_what_is_not_visible_is_an_escape() -> None:
    assert visible("a\x1b[31mb\n\u202e\ud800\U000e0041") == r"a\x1b[31mb\n\u202e\ud800\U000e0041"


@given(st.text(st.characters(codec=None)))
@example("x" * 10_000)
def test_text_in_a_message_is_not_too_long(text: str) -> None:
    assert len(printable(text)) < 2100
