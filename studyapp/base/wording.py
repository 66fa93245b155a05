"""How messages are worded."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 session, 2 sessions."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
