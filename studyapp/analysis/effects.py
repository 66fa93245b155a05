"""By how much do two models differ?  The effects that a study would have to show.

Models are compared in three outcomes: the reward, the share of rounds with the target found, and the time to
find it.  A model earns more reward by asking about the target again and again, so it can be better in one
outcome and worse in another.

An effect is the mean difference over participants, the first model minus the second.  d_z is that mean
divided by the standard deviation of the differences; without any spread there is none (NaN).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studyapp.analysis.finding import found_questions, found_shares
from studyapp.analysis.rewards import reward_curves
from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.effect_size import d_z_interval
from studyapp.reporting.statistics import Array, has_spread, mean_ci

__all__ = ["OUTCOMES", "Effect", "Outcome", "effect_of", "effects_by_pair"]

ROUNDING = 1e-9  # differences this small beside the values themselves are none


@dataclass(frozen=True)
class Outcome:
    """What models are compared in, and how it is said."""

    name: str  # in files
    title: str  # in a table, with the unit of a difference
    topic: str  # of a sentence
    does: str  # what the better model does
    unit: str  # of a difference, in a sentence
    scale: float  # a difference is shown times this, with so many digits
    digits: int
    more_is_better: bool
    measure: Callable[[Sample, str], Array]  # (P, k), each participant with a model; the last column counts


OUTCOMES = (
    Outcome(
        name="reward",
        title="reward",
        topic="Reward after {last} questions",
        does="earns more",
        unit="",
        scale=1,
        digits=2,
        more_is_better=True,
        measure=lambda sample, model: reward_curves(sample, model)[:, 1:],  # the first question is the same
    ),
    Outcome(
        name="found",
        title="targets found (%)",
        topic="Targets found",
        does="finds the target more often",
        unit=" percentage points",
        scale=100,
        digits=1,
        more_is_better=True,
        measure=lambda sample, model: found_shares(sample, model)[:, -1:],
    ),
    Outcome(
        name="time_to_find",
        title="time (questions)",
        topic="Time to find the target",
        does="finds the target sooner",
        unit=" questions",
        scale=1,
        digits=2,
        more_is_better=False,
        measure=lambda sample, model: found_questions(sample, model)[:, None],
    ),
)


@dataclass(frozen=True)
class Effect:
    """The difference between two models in one outcome; arrays are (k,), by question."""

    outcome: Outcome
    pair: Pair
    sessions: int  # of participants who had both models
    questions: NDArray[np.intp]  # after which they are compared; the last counts
    difference: Array
    low: Array  # 95 % interval of the mean difference
    high: Array
    d_z: Array
    d_z_low: Array  # 95 % interval of d_z
    d_z_high: Array

    @property
    def ahead(self) -> str | None:
        """The model that did better in these sessions; None if they did the same."""
        difference = self.difference[-1]
        if difference == 0:
            return None
        return self.pair[0] if (difference > 0) == self.outcome.more_is_better else self.pair[1]

    @property
    def better(self) -> str | None:
        """The model that the sessions show to be better: the 95 % interval of d_z excludes 0."""
        return self.ahead if self.d_z_low[-1] > 0 or self.d_z_high[-1] < 0 else None

    def towards(self, model: str) -> int:
        """1 if a positive difference means that this model of the pair is better; otherwise -1."""
        return 1 if (model == self.pair[0]) == self.outcome.more_is_better else -1


def effects_by_pair(sample: Sample) -> dict[Pair, list[Effect]]:
    """Every outcome's effect, for every pair of models."""
    values = {
        (outcome.name, model): outcome.measure(sample, model)
        for outcome in OUTCOMES
        for model in sample.models
    }
    return {
        pair: [
            effect_of(outcome, pair, sample.questions, *(values[outcome.name, model] for model in pair))
            for outcome in OUTCOMES
        ]
        for pair in sample.pairs
    }


def effect_of(outcome: Outcome, pair: Pair, last: int, one: Array, other: Array) -> Effect:
    """The effect from each participant's values, (P, k), after the last k questions."""
    both = np.isfinite(one - other).all(-1)  # participants who had both models, as in the tests
    one, other = one[both], other[both]
    n, k = one.shape
    difference = one - other
    largest = np.abs([one, other]).max((0, 1), initial=0.0)
    difference[np.abs(difference) <= ROUNDING * largest] = 0.0
    estimate = mean_ci(difference)
    differ = has_spread(one, other)
    with np.errstate(all="ignore"):
        d_z = np.where(differ, estimate.mean / difference.std(0) * np.sqrt((n - 1) / n), np.nan)
    limits = np.array([d_z_interval(float(value), n) for value in d_z]).reshape(k, 2)
    return Effect(
        outcome,
        pair,
        n,
        np.arange(last - k + 1, last + 1),
        estimate.mean,
        estimate.low,
        estimate.high,
        d_z,
        *limits.T,
    )
