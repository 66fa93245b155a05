"""Checks of what callers hand in: each returns the value, or says what it must be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import SettingError

__all__ = ["MOST_ARMS", "answer", "arms", "did_you_mean", "history", "number", "one_of", "whole"]

MOST_ARMS = 10_000
LARGEST_FEATURE = 1e6


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """ " (did you mean ...?)" where ``name`` is close to something known; otherwise nothing."""
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    options = list(allowed)
    if value not in options:
        guess = did_you_mean(value, options)
        raise SettingError(f"{name} is {value!r}{guess}; it must be one of {', '.join(map(repr, options))}")
    return str(value)


def number(
    name: str, value: object, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """A finite number in bounds; ``above`` is itself out of bounds, ``least`` and ``most`` are not."""
    given = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if math.isfinite(given) and given >= least and given > above and given <= most:
        return given
    bounds = {"above": above, "at least": least, "at most": most}
    told = " and ".join(f"{side} {bound:g}" for side, bound in bounds.items() if math.isfinite(bound))
    raise SettingError(f"{name} is {value!r}; it must be a finite number {told}".rstrip())


def whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= value <= most:
        return int(value)
    raise SettingError(f"{name} is {value!r}; it must be a whole number from {least} to {most}")


def answer(value: object) -> int:
    if isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1):
        return int(value)
    raise SettingError(f"the answer is {value!r}; it must be 1 for yes or 0 for no")


def history(pairs: Iterable[tuple[int, int]], number_of_arms: int) -> tuple[tuple[int, int], ...]:
    """(arm, answer), oldest first."""
    checked = []
    for place, pair in enumerate(pairs, start=1):
        where = f"entry {place} of the history, {pair!r}"
        try:
            arm, told = pair
        except (TypeError, ValueError):
            raise SettingError(f"{where}: it must be a pair (arm, answer)") from None
        try:
            checked.append((whole("the arm", arm, 0, number_of_arms - 1), answer(told)))
        except SettingError as error:
            raise SettingError(f"{where}: {error}") from None
    return tuple(checked)


def arms(features: ArrayLike) -> NDArray[np.float64]:
    """(K, M) features as a read-only array of their own."""
    try:
        X = np.array(features, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SettingError("arms must be a table of numbers, one row an arm") from None
    if X.ndim != 2 or X.shape[1] < 1:
        raise SettingError(f"arms has the shape {X.shape}; it must be (arms, features)")
    if not 2 <= len(X) <= MOST_ARMS:
        raise SettingError(f"there are {len(X)} arms; there must be 2 to {MOST_ARMS}")
    bad = np.argwhere(~(np.abs(X) <= LARGEST_FEATURE))
    if len(bad):
        row, column = bad[0]
        problem = f"feature {column} of arm {row} is {X[row, column]}"
        raise SettingError(f"{problem}; every feature must be finite and at most {LARGEST_FEATURE:g} in size")
    X.flags.writeable = False
    return X
