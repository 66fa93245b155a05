"""The colours: two quiet themes, dark and light, or the terminal's own.

Colour never carries meaning by itself: whatever it marks is also marked by a sign or a word.
"""

from __future__ import annotations

from textual.theme import Theme

__all__ = ["THEMES", "theme_name"]

THEMES = (
    Theme(
        name="calm-dark",
        primary="#9ec1d9",
        secondary="#8a97a6",
        warning="#e6c384",
        error="#f0a8a0",
        foreground="#dfe5ea",
        background="#171c22",
        surface="#171c22",
        panel="#232a33",
        dark=True,
    ),
    Theme(
        name="calm-light",
        primary="#24577a",
        secondary="#5c6773",
        warning="#7a5200",
        error="#a1271b",
        foreground="#22282f",
        background="#f7f5f0",
        surface="#f7f5f0",
        panel="#e9e5db",
        dark=False,
    ),
)


def theme_name(look: str) -> str:
    """Textual's name of the theme for a study's ``look``."""
    return {"dark": "calm-dark", "light": "calm-light", "terminal": "ansi-dark"}[look]
