"""Texts that try to be more than text, and a check that a terminal was sent none of them."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

__all__ = ["ATTACK", "LINE", "UNSEEN", "hostile_texts", "raw_in"]

LINE = "FORGED: all is well"  # must never be a line of its own
ATTACKS = (
    "\x1b]52;c;cm0gLXJm\x07",  # OSC 52: sets the clipboard
    "\x1b]0;title\x1b\\",  # sets the window's title
    "\x1b[2J\x1b[31m",  # CSI: clears the screen, turns red
    "\x9b2J\x9d0;t\x9c",  # the same as single C1 characters
    "\x7f\b\b\b\r\t\v\f",  # moves the cursor
    "\u202egpj\u2066\u061c\u200f",  # turns text around
    "\u200b\u2060\ufeff\U000e0041\u3164",  # shows nothing
    f"\r{LINE}\u2028{LINE}\x85{LINE}\n{LINE}\n",  # looks like another line
)
ATTACK = "a" + "".join(ATTACKS) + "z"

# What no terminal may be sent, as code points and not by the program's own rule.
UNSEEN = frozenset(
    chr(point)
    for point in (
        *range(0x20),  # C0
        *range(0x7F, 0xA0),  # DEL, C1
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x2028, 0x202F),  # separators of lines; embeddings and overrides
        *range(0x2060, 0x2070),  # invisible operators; isolates
        *range(0xD800, 0xE000),  # halves of characters
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),  # tags
    )
)


def hostile_texts(least: int = 0) -> st.SearchStrategy[str]:
    """Texts with many such characters; no null byte, which no argument can have."""
    parts = (
        st.sampled_from(ATTACKS)
        | st.sampled_from(sorted(UNSEEN - {"\0"}))
        | st.text(st.characters(codec=None, exclude_characters="\0"), max_size=3)
    )
    return st.lists(parts, min_size=least, max_size=8).map("".join)


def raw_in(printed: str) -> str:
    """What of an attack has come through; empty if nothing has."""
    raw = [f"U+{ord(c):04X} {unicodedata.name(c, '')}" for c in sorted(set(printed) & UNSEEN - {"\n"})]
    forged = [line for line in printed.split("\n") if line.strip().startswith(LINE)]
    return ", ".join([*raw, *forged])
