"""The paired t-test of one number per participant (or per target), or the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from studyapp.reporting.statistics import Array, has_spread


@dataclass(frozen=True)
class Test:
    """A mean difference with its 95 % interval and test; NaN where there is none."""

    __test__ = False  # pytest: this is not a test of the program

    difference: float
    low: float
    high: float
    t: float
    df: float
    p: float
    count: int  # differences: participants, or targets
    reason: str = ""  # why there is no test; empty if there is one

    def as_json(self) -> dict[str, Any]:
        return {
            "difference": self.difference,
            "ci95": [self.low, self.high],
            "t": self.t,
            "df": self.df,
            "p": self.p,
            "note": f"cannot be computed: {self.reason}" if self.reason else "",
        }


def no_test(reason: str, difference: float = math.nan, count: int = 0) -> Test:
    nan = math.nan
    return Test(difference, nan, nan, nan, nan, nan, count, reason)


def paired_test(first: Array, second: Array, of: str = "participant") -> Test:
    """Compare two values of every participant (or target); those with a NaN are left out."""
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    count = len(first)
    if count == 0:
        return no_test(f"no {of} has both models")
    differences = first - second
    mean = float(differences.mean())
    if count == 1:
        return no_test(f"there is only one {of}", mean, 1)
    if not has_spread(first, second):
        return no_test(f"every {of} has the same difference", mean, count)
    df = count - 1
    error = float(differences.std(ddof=1)) / math.sqrt(count)
    half = float(special.stdtrit(df, 0.975)) * error
    t = mean / error
    return Test(mean, mean - half, mean + half, t, df, float(2 * special.stdtr(df, -abs(t))), count)
