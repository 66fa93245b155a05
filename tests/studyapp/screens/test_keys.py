"""A key counts only if it is meant for what is on the screen."""

from __future__ import annotations

from studyapp.screens.keys import Keys


def test_a_key_pressed_before_anything_appeared_does_not_count() -> None:
    keys = Keys(hold=0.7)
    assert not keys.meant("y", 1.0)
    keys.appeared(2.0)
    assert not keys.meant("n", 1.9)  # typed ahead, but read late
    assert keys.meant("n", 3.0)
    keys.gone()
    assert not keys.meant("n", 4.0)


def test_a_key_held_since_before_counts_only_after_it_was_released() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("y", 1.0)
    keys.gone()
    keys.appeared(1.5)
    for repeat in range(20):  # the keyboard repeats it 0.6 s after the press, then 20 times a second
        assert not keys.meant("y", 1.6 + repeat / 20)
    assert keys.meant("y", 2.55 + 0.2)


def test_another_key_counts_at_once() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("y", 1.0)
    keys.appeared(1.5)
    assert keys.meant("n", 1.6)


def test_changing_an_answer_quickly_counts() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert all(keys.meant(key, 1.0 + i / 50) for i, key in enumerate("ynynyyn"))


def test_a_refused_key_counts_when_it_is_soon_pressed_again() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("enter", 1.0)
    keys.appeared(1.1)
    assert not keys.meant("enter", 1.3)
    assert keys.meant("enter", 1.5)
