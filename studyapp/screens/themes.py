"""The colours: two quiet themes, dark and light, or the terminal's own.

The terminal's own are its foreground and background and no other: whatever else a terminal calls blue or grey
may be hard to read on a background that nobody here knows.  ``study.tcss`` uses bold, dim and reversed text
instead.

Colour never carries meaning by itself: whatever it marks is also marked by a sign or a word.
"""

from __future__ import annotations

from textual.theme import Theme

OWN = "ansi_default"  # the terminal's own colour: of its text, or of its background

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
    Theme(
        name="terminal",
        ansi=True,
        primary=OWN,
        secondary=OWN,
        warning=OWN,
        error=OWN,
        success=OWN,
        accent=OWN,
        foreground=OWN,
        background=OWN,
        surface=OWN,
        panel=OWN,
        boost=OWN,
        variables=dict.fromkeys(
            (
                *(
                    "ansi-background",
                    "ansi-foreground",
                    "border",
                    "border-blurred",
                    "scrollbar",
                    "scrollbar-hover",
                    "scrollbar-active",
                ),
                *("scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active"),
                *("scrollbar-corner-color", "input-cursor-background", "input-cursor-foreground"),
                *("input-selection-background", "input-selection-foreground"),
                *("block-cursor-background", "block-cursor-foreground", "block-hover-background"),
                *("screen-selection-background", "screen-selection-foreground"),
            ),
            OWN,
        ),
    ),
)


def theme_name(look: str) -> str:
    """Textual's name of the theme for a study's ``look``."""
    return {"dark": "calm-dark", "light": "calm-light", "terminal": "terminal"}[look]
