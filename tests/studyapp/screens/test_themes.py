"""Colours that can be read."""

from __future__ import annotations

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


def test_every_colour_of_a_text_can_be_read_on_its_background() -> None:
    themes = [theme for theme in THEMES if not theme.ansi]
    assert len(themes) == 2
    for theme in themes:
        background = Color.parse(theme.background or "")
        for name in ("foreground", "primary", "secondary", "warning", "error"):
            assert contrast(Color.parse(getattr(theme, name)), background) >= READABLE, (theme.name, name)
