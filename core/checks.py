"""Checks of arguments: each returns the value, or raises an error that says what it must be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import SettingError
from core.wording import did_you_mean

MOST_ARMS = 2_000  # a table of arms by arms takes 32 MB
LARGEST_FEATURE = 1e6


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """One of the allowed strings."""
    options = list(allowed)
    if value not in options:
        guess = did_you_mean(value, options)
        raise SettingError(f"{name} is {value!r}{guess}; it must be one of {', '.join(map(repr, options))}")
    return str(value)


def number(
    name: str, value: object, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """A finite number of at least ``least``, above ``above`` and at most ``most``."""
    try:
        given = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        given = math.inf
    if math.isfinite(given) and given >= least and given > above and given <= most:
        return given
    bounds = {"above": above, "at least": least, "at most": most}
    limits = " and ".join(f"{side} {bound:g}" for side, bound in bounds.items() if math.isfinite(bound))
    raise SettingError(f"{name} is {value!r}; it must be a finite number {limits}".rstrip())


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= value <= most:
        return int(value)
    raise SettingError(f"{name} is {value!r}; it must be a whole number from {least} to {most}")


def answer(value: object) -> int:
    """An answer: 1 for yes, 0 for no."""
    if isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1):
        return int(value)
    raise SettingError(f"the answer is {value!r}; it must be 1 for yes or 0 for no")


def history(pairs: Iterable[tuple[int, int]], number_of_arms: int) -> tuple[tuple[int, int], ...]:
    """Pairs (arm, answer), oldest first."""
    checked = []
    for number_of_pair, pair in enumerate(pairs, start=1):
        where = f"entry {number_of_pair} of the history, {pair!r}"
        try:
            arm, value = pair
        except (TypeError, ValueError):
            raise SettingError(f"{where}: it must be a pair (arm, answer)") from None
        try:
            checked.append((whole("the arm", arm, 0, number_of_arms - 1), answer(value)))
        except SettingError as error:
            raise SettingError(f"{where}: {error}") from None
    return tuple(checked)


def arms(features: ArrayLike) -> NDArray[np.float64]:
    """(K, M) features, as a read-only copy."""
    X = table("arms", features, row="arm")
    if not 2 <= len(X) <= MOST_ARMS:
        raise SettingError(f"the number of arms is {len(X)}; it must be from 2 to {MOST_ARMS:,}")
    X.flags.writeable = False
    return X


def rewards(given: ArrayLike, number_of_arms: int) -> NDArray[np.float64]:
    """(T, K) rewards from 0 to 1, one row per target, as a read-only copy."""
    R = table("rewards", given, row="target", cell="reward")
    if R.shape[1] != number_of_arms or not 2 <= len(R) <= MOST_ARMS:
        raise SettingError(
            f"rewards has the shape {R.shape}; it must be (targets, {number_of_arms}): one row for each of "
            f"2 to {MOST_ARMS:,} targets, and one column per arm"
        )
    _from_0_to_1(R)
    R.flags.writeable = False
    return R


def rewards_of_arms(given: ArrayLike) -> NDArray[np.float64]:
    """(K,) rewards from 0 to 1, one per arm."""
    try:
        R = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SettingError("rewards must be numbers, one per arm") from None
    if R.ndim != 1 or not 2 <= len(R) <= MOST_ARMS:
        raise SettingError(
            f"rewards has the shape {R.shape}; it must be (arms,), with 2 to {MOST_ARMS:,} arms"
        )
    _from_0_to_1(R)
    return R


def _from_0_to_1(R: NDArray[np.float64]) -> None:
    if not ((R >= 0) & (R <= 1)).all():
        raise SettingError(f"rewards are from {R.min():g} to {R.max():g}; they must be from 0 to 1")


def table(name: str, features: ArrayLike, *, row: str, cell: str = "feature") -> NDArray[np.float64]:
    """A copy of a table of finite numbers, one row per ``row``."""
    try:
        X = np.array(features, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SettingError(f"{name} must be a table of numbers, one row per {row}") from None
    if X.ndim != 2 or X.shape[1] < 1:
        raise SettingError(f"{name} has the shape {X.shape}; it must be ({row}s, {cell}s)")
    bad = np.argwhere(~(np.abs(X) <= LARGEST_FEATURE))
    if len(bad):
        index, column = bad[0]
        problem = f"{cell} {column} of {row} {index} is {X[index, column]}"
        raise SettingError(f"{problem}; every {cell} must be finite and at most {LARGEST_FEATURE:g} in size")
    return X
