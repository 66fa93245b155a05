"""How do two models compare?  Every statistic of a pair of models, after the last question.

The main test is the paper's, a paired t-test over participants.  The others say how far to trust it: targets
are a sample too, a single participant may decide, and "not significant" is not "the same".
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np

from studyapp.analysis.outcomes import FOUND, OUTCOMES, REWARD, TIME, Outcome
from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.crossed import Crossed, crossed_model
from studyapp.reporting.paired import (
    LEVEL,
    Equivalence,
    Test,
    bayes_factor,
    d_z_interval,
    equivalence,
    paired_test,
)
from studyapp.reporting.statistics import Array, holm, sign_flip_p

MARGIN = 0.5  # reward; half of what one question about the target earns


@dataclass(frozen=True)
class LeaveOneOut:
    """The difference without one participant: how far does a single one move it?"""

    lowest: float
    lowest_without: str  # the participant without whom it is lowest
    highest: float
    highest_without: str
    p_lowest: float  # the smallest p without one participant
    p_highest: float


@dataclass(frozen=True)
class Compared:
    """Two models in one outcome; differences are the first minus the second."""

    outcome: Outcome
    pair: Pair
    means: dict[str, float]  # by model of the pair: the mean over participants
    test: Test
    p_holm: float  # Holm's correction over all pairs of models; p itself for two models
    p_sign_flip: float  # exact permutation test of the mean difference, which assumes no distribution
    d_z: float
    d_z_low: float
    d_z_high: float
    by_target: Test
    crossed: Crossed
    bayes_factor: float  # BF10
    leave_one_out: LeaveOneOut | None  # None with fewer than three participants
    differences: Array  # (P, T), by participant and target; NaN where there are no two rounds

    @property
    def is_clear(self) -> bool:
        return self.p_holm < LEVEL

    @property
    def ahead(self) -> str | None:
        """The model that did better in these sessions; None if they did the same."""
        return self.outcome.ahead(self.pair, self.test.difference)

    @property
    def better(self) -> str | None:
        """The model that the sessions show to be better: the 95 % interval of d_z excludes 0."""
        return self.ahead if self.d_z_low > 0 or self.d_z_high < 0 else None

    @property
    def best_first(self) -> Pair:
        """The two models, the one that did better first."""
        one, other = self.pair
        return (other, one) if self.ahead == other else (one, other)


@dataclass(frozen=True)
class PairComparison:
    """Two models in every outcome."""

    pair: Pair
    question: int  # the last
    outcomes: dict[str, Compared]  # by name
    equivalence: Equivalence  # of the reward

    @property
    def reward(self) -> Compared:
        return self.outcomes[REWARD.name]

    @property
    def found(self) -> Compared:
        return self.outcomes[FOUND.name]

    @property
    def time(self) -> Compared:
        return self.outcomes[TIME.name]


def compare_models(sample: Sample, margin: float = MARGIN) -> dict[Pair, PairComparison]:
    """Compare every pair of models; rewards closer than the margin are as good as the same."""
    compared = {outcome.name: _compare(sample, outcome) for outcome in OUTCOMES}
    return {
        pair: PairComparison(
            pair,
            sample.questions,
            {name: by_pair[pair] for name, by_pair in compared.items()},
            equivalence(compared[REWARD.name][pair].test, margin),
        )
        for pair in sample.pairs
    }


def _compare(sample: Sample, outcome: Outcome) -> dict[Pair, Compared]:
    values = {model: outcome.of_participants(sample, model) for model in sample.models}
    cells = {model: outcome.by_target(sample, model) for model in sample.models}
    compared = {
        pair: compared_in(
            outcome, pair, sample.participants, [values[one] for one in pair], [cells[one] for one in pair]
        )
        for pair in sample.pairs
    }
    corrected = holm(np.array([own.test.p for own in compared.values()], dtype=float))
    return {
        pair: replace(own, p_holm=float(p))
        for (pair, own), p in zip(compared.items(), corrected, strict=True)
    }


def compared_in(
    outcome: Outcome, pair: Pair, participants: list[str], values: list[Array], cells: list[Array]
) -> Compared:
    """Every statistic of two models in one outcome, not yet corrected for the number of pairs.

    ``values`` are those of the participants with each of the models, (P,), and ``cells`` (P, T).
    """
    first, second = values
    both = np.isfinite(first) & np.isfinite(second)
    test = paired_test(first, second)
    d_z = test.t / math.sqrt(test.count) if not test.reason else math.nan
    low, high = d_z_interval(d_z, test.count)
    return Compared(
        outcome=outcome,
        pair=pair,
        means={
            model: float(own[both].mean()) if both.any() else math.nan
            for model, own in zip(pair, values, strict=True)
        },
        test=test,
        p_holm=math.nan,
        p_sign_flip=float(sign_flip_p((first - second)[both, None])[0]),
        d_z=d_z,
        d_z_low=low,
        d_z_high=high,
        by_target=_by_target(*cells),
        crossed=crossed_model(cells[0] - cells[1]),
        bayes_factor=bayes_factor(test.t, test.count),
        leave_one_out=_leave_one_out(participants, first, second),
        differences=cells[0] - cells[1],
    )


def _by_target(first: Array, second: Array) -> Test:
    """The same test with targets in the place of participants: means over participants, by target."""
    both = np.isfinite(first) & np.isfinite(second)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a target that nobody has with both models
        one, other = (np.nanmean(np.where(both, values, np.nan), axis=0) for values in (first, second))
    return paired_test(one, other, of="target")


def _leave_one_out(participants: list[str], first: Array, second: Array) -> LeaveOneOut | None:
    both = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    if len(both) < 3:
        return None
    tests = [paired_test(first[rest], second[rest]) for rest in (both[both != i] for i in both)]
    differences = np.array([test.difference for test in tests])
    ps = np.array([test.p for test in tests])
    known = ps[np.isfinite(ps)]
    lowest, highest = int(differences.argmin()), int(differences.argmax())
    return LeaveOneOut(
        lowest=float(differences[lowest]),
        lowest_without=participants[both[lowest]],
        highest=float(differences[highest]),
        highest_without=participants[both[highest]],
        p_lowest=float(known.min()) if len(known) else math.nan,
        p_highest=float(known.max()) if len(known) else math.nan,
    )
