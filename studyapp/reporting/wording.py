"""Numbers and lists as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNKNOWN = "–"  # noqa: RUF001 (a dash, for what is not known)


def number(value: float, digits: int = 2) -> str:
    """A number with so many digits; what rounds to zero has no sign."""
    return f"{value:z.{digits}f}" if math.isfinite(value) else UNKNOWN


def p_value(p: float) -> str:
    if not math.isfinite(p):
        return UNKNOWN
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_is(p: float) -> str:
    """After "p": "= 0.012" or "< 0.001"."""
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if math.isfinite(share) else UNKNOWN


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
