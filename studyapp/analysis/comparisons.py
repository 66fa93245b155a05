"""How do two models compare?  Every statistic of a pair of models, after the last question.

The main test is the paper's, a paired t-test over participants.  The others say how far to trust it: targets
are a sample too, a single participant may decide, and "not significant" is not "the same".
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np

from studyapp.analysis.finding import Finding
from studyapp.analysis.rewards import Rewards
from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.bayes_factor import bayes_factor
from studyapp.reporting.crossed import Crossed, crossed_model
from studyapp.reporting.effect_size import d_z_interval
from studyapp.reporting.equivalence import Equivalence, equivalence
from studyapp.reporting.paired import Test, paired_test
from studyapp.reporting.statistics import Array, holm, sign_flip_p

__all__ = ["MARGIN", "LeaveOneOut", "Outcome", "PairComparison", "compare_models"]

MARGIN = 0.5  # reward; half of what one question about the target earns


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


def compare_models(
    sample: Sample, rewards: Rewards, finding: Finding, margin: float
) -> dict[Pair, PairComparison]:
    """Compare every pair of models; rewards closer than the margin are as good as the same."""
    cells = {model: _rewards_by_target(sample, model) for model in sample.models}
    last = {model: curves[:, -1] for model, curves in rewards.curves.items()}
    found, time, reward = (
        _outcomes(sample.pairs, values) for values in (finding.shares, finding.times, last)
    )
    compared = {}
    for pair in sample.pairs:
        first, second = (cells[model] for model in pair)
        test = reward[pair].test
        d_z = test.t / math.sqrt(test.count) if not test.reason else math.nan
        d_z_low, d_z_high = d_z_interval(d_z, test.count)
        compared[pair] = PairComparison(
            pair=pair,
            question=sample.questions,
            found=found[pair],
            time=time[pair],
            reward=reward[pair],
            d_z=d_z,
            d_z_low=d_z_low,
            d_z_high=d_z_high,
            by_target=_by_target(first, second),
            crossed=crossed_model(first - second),
            bayes_factor=bayes_factor(test.t, test.count),
            equivalence=equivalence(test, margin),
            leave_one_out=_leave_one_out(sample.participants, *(last[model] for model in pair)),
            differences=first - second,
        )
    return compared


def _rewards_by_target(sample: Sample, model: str) -> Array:
    """(P, T), the cumulative reward of each participant's round with a target; NaN if there is none."""
    index = {target: i for i, target in enumerate(sample.targets)}
    values: list[list[list[float]]] = [[[] for _ in index] for _ in sample.sessions]
    for row, session in zip(values, sample.sessions, strict=True):
        own = sample.rounds(session, model)
        for round_, counts, rewards in zip(session.plan, own, session.reward, strict=True):
            if counts:
                row[index[round_.target]].append(float(rewards.sum()))
    return np.array([[np.mean(cell) if cell else np.nan for cell in row] for row in values])


def _outcomes(pairs: list[Pair], values: dict[str, Array]) -> dict[Pair, Outcome]:
    outcomes = {}
    for pair in pairs:
        first, second = (values[model] for model in pair)
        both = np.isfinite(first) & np.isfinite(second)
        means = {model: float(values[model][both].mean()) if both.any() else math.nan for model in pair}
        flipped = float(sign_flip_p((first - second)[both, None])[0])
        outcomes[pair] = Outcome(means, paired_test(first, second), math.nan, flipped)
    corrected = holm(np.array([outcomes[pair].test.p for pair in pairs], dtype=float))
    return {pair: replace(outcomes[pair], p_holm=float(p)) for pair, p in zip(pairs, corrected, strict=True)}


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
