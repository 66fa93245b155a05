"""Numbers and lists as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["listed", "number", "p_value", "percent"]

UNKNOWN = "–"  # noqa: RUF001 (a dash, for what is not known)


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else UNKNOWN


def p_value(p: float) -> str:
    if not math.isfinite(p):
        return UNKNOWN
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if math.isfinite(share) else UNKNOWN


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
