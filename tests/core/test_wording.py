"""Numbers agree with their nouns, and a slip of the pen gets a suggestion."""

from __future__ import annotations

import pytest

from core.wording import counted, did_you_mean


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
