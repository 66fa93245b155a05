"""The time until something happens, where not everything has been waited for: Kaplan and Meier's estimate.

A round ends without the target having been found (at the last question, or earlier if the session stopped):
it is known to take longer than that, and no more.  S(q) is the estimated share of rounds that have not found
it after question q.

    S(q) = product over questions k <= q of (1 - found at k / rounds still looking before k)

The restricted mean up to the last question is E min(time, last): the mean number of questions until the target
was found, where a round that needs more counts as the last.  It is the area under S, and unlike the mean it
does not depend on what nobody saw.

Participants weigh the same, whatever their number of rounds: a round's weight is 1 / rounds of its participant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studyapp.reporting.statistics import Array, Estimate

__all__ = ["Survival", "kaplan_meier"]


@dataclass(frozen=True)
class Survival:
    """Arrays are (Q,), after questions 1 to Q."""

    missing: Estimate  # S, the share of rounds that have not found the target, with pointwise 95 % intervals
    at_risk: NDArray[np.intp]  # rounds that were still looking when the question was asked
    found: NDArray[np.intp]  # rounds that found it with the question
    censored: NDArray[np.intp]  # rounds that ended with the question without having found it
    restricted_mean: Estimate  # questions, up to the last
    median: float  # the first question after which at least half of the rounds have found it; NaN if never
