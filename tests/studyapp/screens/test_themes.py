"""Colours that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import Person, running, study_in
from textual.color import Color

from studyapp.screens.themes import THEMES

READABLE = 4.5  # the contrast of text, by the Web Content Accessibility Guidelines


def luminance(color: Color) -> float:
    parts = [part / 255 for part in (color.r, color.g, color.b)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.ansi], ids=lambda theme: theme.name)
def test_every_colour_of_a_text_can_be_read_on_its_background(theme: object) -> None:
    colors = ("foreground", "primary", "secondary", "warning", "error")
    background = Color.parse(theme.background)  # type: ignore[attr-defined]
    for name in colors:
        assert contrast(Color.parse(getattr(theme, name)), background) >= READABLE, name


def fixed_colors(participant: Person) -> set[str]:
    """The colours on the screen that are not the terminal's own."""
    strips = participant.app.screen._compositor.render_strips()
    shown = [(segment.text, segment.style) for strip in strips for segment in strip if segment.style]
    colors = [(text, color) for text, style in shown for color in (style.color, style.bgcolor) if color]
    return {f"{text!r}: {color.name}" for text, color in colors if not color.is_default}


async def test_with_the_look_of_the_terminal_there_is_no_colour_but_its_own(tmp_path: Path) -> None:
    items = [
        {"id": "a", "kind": "choice", "ask": "A?", "choices": ["b", "c"]},
        {"id": "d", "kind": "text", "ask": "D?", "optional": True},
    ]
    long = "\n\n".join(f"Paragraph {number}." for number in range(20))
    changes = {
        "look": "terminal",
        "instructions": [long],
        "questionnaires": {"q": items},
        "after_round": ["q"],
        "targets": ["tea"],
        "questions": 2,
        "bonus": None,
        "breaks": {"every": 1},
    }
    pages = set()
    async with running(study_in(tmp_path, **changes), tmp_path, participant=None) as participant:
        assert fixed_colors(participant) == set()
        await participant.press("P", "7")
        assert fixed_colors(participant) == set()
        await participant.press("enter", "enter")
        while not participant.session.over:
            await participant.press("x")
            assert fixed_colors(participant) == set(), participant.text()
            pages.add(participant.page())
            await participant.answer()
        assert len(pages) == 8
    async with running(study_in(tmp_path, **changes), tmp_path) as participant:
        await participant.press("ctrl+q")
        assert participant.page() == "LeaveDialog"
        assert fixed_colors(participant) == set()
