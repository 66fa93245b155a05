"""How do two models compare?  Every statistic of a pair of models, after the last question.

The main test is the paper's, a paired t-test over participants.  The others say how far to trust it: targets
are a sample too, a single participant may decide, and "not significant" is not "the same".
"""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.analysis.sample import Pair
from studyapp.reporting.crossed import Crossed
from studyapp.reporting.equivalence import Equivalence
from studyapp.reporting.paired import Test
from studyapp.reporting.statistics import Array

__all__ = ["LeaveOneOut", "Outcome", "PairComparison"]


@dataclass(frozen=True)
class LeaveOneOut:
    """The difference in reward without one participant: how far does a single one move it?"""

    lowest: float
    lowest_without: str  # the participant without whom it is lowest
    highest: float
    highest_without: str
    p_lowest: float  # the smallest p without one participant
    p_highest: float


@dataclass(frozen=True)
class Outcome:
    """A paired comparison over participants, corrected for the number of pairs of models."""

    means: dict[str, float]  # by model of the pair: the mean over participants
    test: Test
    p_holm: float  # Holm's correction over all pairs of models; p itself for two models
    p_sign_flip: float  # exact permutation test of the mean difference, which assumes no distribution


@dataclass(frozen=True)
class PairComparison:
    """Two models; differences are the first minus the second."""

    pair: Pair
    question: int  # the last
    found: Outcome  # share of rounds in which the target was found
    time: Outcome  # restricted mean number of questions until it was found
    reward: Outcome  # cumulative reward
    d_z: float
    d_z_low: float
    d_z_high: float
    by_target: Test
    crossed: Crossed
    bayes_factor: float  # BF10
    equivalence: Equivalence
    leave_one_out: LeaveOneOut | None  # None with fewer than three participants
    differences: Array  # (P, T), of the reward by participant and target; NaN where there are no two rounds
