"""How numbers are written for people."""

from __future__ import annotations

import math

__all__ = ["number", "p_value", "percent"]

UNKNOWN = "–"  # noqa: RUF001 (a dash, for what cannot be told)


def number(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else UNKNOWN


def p_value(p: float) -> str:
    if not math.isfinite(p):
        return UNKNOWN
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if math.isfinite(share) else UNKNOWN
