"""Only presses that are meant for what is on the screen count."""

from __future__ import annotations

from studyapp.screens.keys import Keys


def test_a_press_before_anything_appeared_is_not_meant() -> None:
    keys = Keys(hold=0.7)
    assert not keys.meant("y", 1.0)
    keys.appeared(2.0)
    assert not keys.meant("n", 1.9)  # typed ahead, and read late
    assert keys.meant("n", 3.0)
    keys.gone()
    assert not keys.meant("n", 4.0)


def test_a_key_held_from_before_is_not_meant_until_it_was_let_go() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("y", 1.0)
    keys.gone()
    keys.appeared(1.5)
    for repeat in range(20):  # from the keyboard, 0.6 s after the press and then 20 times a second
        assert not keys.meant("y", 1.6 + repeat / 20)
    assert keys.meant("y", 2.55 + 0.2)


def test_another_key_is_not_held_back() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("y", 1.0)
    keys.appeared(1.5)
    assert keys.meant("n", 1.6)


def test_changing_ones_mind_quickly_is_meant() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert all(keys.meant(key, 1.0 + i / 50) for i, key in enumerate("ynynyyn"))


def test_a_press_that_was_refused_can_be_made_again_soon() -> None:
    keys = Keys(hold=0.7)
    keys.appeared(0.0)
    assert keys.meant("enter", 1.0)
    keys.appeared(1.1)
    assert not keys.meant("enter", 1.3)
    assert keys.meant("enter", 1.5)
