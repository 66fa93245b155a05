"""Is a difference too small to matter?  Two one-sided t-tests (Schuirmann, 1987).

The models are equivalent within a margin m if both "the difference is -m or less" and "it is m or more" are
rejected at 5 %, that is, if the 90 % interval of the difference lies between -m and m.  That a difference is
not significant says nothing of the kind: a small study can miss a difference of any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy import special

from studyapp.reporting.paired import Test

LEVEL = 0.05


@dataclass(frozen=True)
class Equivalence:
    margin: float
    p: float  # the larger of the two one-sided p; NaN if there is no test
    low: float  # 90 % interval of the difference
    high: float

    @property
    def equivalent(self) -> bool:
        return self.p < LEVEL

    def as_json(self) -> dict[str, Any]:
        known = math.isfinite(self.p)
        limits = [self.low, self.high]
        return {
            "margin": self.margin,
            "p": self.p,
            "ci90": limits,
            "equivalent": self.equivalent if known else None,
        }


def equivalence(test: Test, margin: float) -> Equivalence:
    """Both one-sided tests, from the paired t-test of the difference."""
    if test.reason:
        return Equivalence(margin, math.nan, math.nan, math.nan)
    error = (test.high - test.low) / 2 / float(special.stdtrit(test.df, 0.975))
    half = float(special.stdtrit(test.df, 1 - LEVEL)) * error
    nearer = (abs(test.difference) - margin) / error  # the margin that is closer to the difference decides
    return Equivalence(
        margin, float(special.stdtr(test.df, nearer)), test.difference - half, test.difference + half
    )
