"""Numbers and counts as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["counted", "listed", "number", "p_value", "percent"]

UNKNOWN = "–"  # noqa: RUF001 (a dash, for what is not known)


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else UNKNOWN


def p_value(p: float) -> str:
    if not math.isfinite(p):
        return UNKNOWN
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if math.isfinite(share) else UNKNOWN


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: "1 session", "3 sessions", "1,200 answers"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
