"""Text arranged for a given width."""

from __future__ import annotations

from studyapp.screens.text_layout import in_lines, progress_bar, reflowed


def test_the_lines_of_a_paragraph_become_one_and_indented_lines_stay() -> None:
    text = "One\ntwo.\n\n    Is dog relevant?   y\n    Is cat relevant?   n\n\nThree\nfour.\n"
    assert reflowed(text) == ("One two.\n\n    Is dog relevant?   y\n    Is cat relevant?   n\n\nThree four.")


def test_a_progress_bar_always_has_its_width() -> None:
    assert [progress_bar(done, 4, 8) for done in (0, 1, 4)] == ["╌╌╌╌╌╌╌╌", "━━╌╌╌╌╌╌", "━━━━━━━━"]
    assert progress_bar(0, 0, 8) == "━━━━━━━━"


def test_no_entry_is_split_over_two_lines() -> None:
    assert in_lines(["tea yes", "salt no", "cat no"], 17) == ["tea yes · salt no", "cat no"]
    assert in_lines(["茶 yes", "salt no"], 15) == [
        "茶 yes",
        "salt no",
    ]  # the first character is wide
    assert in_lines(["elephant yes"], 5) == ["elephant yes"]
    assert in_lines([], 5) == []
