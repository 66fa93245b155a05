"""Each statistic: its name, what it is in one sentence, and a comparison's value in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from core.kinds import Kinds
from studyapp.analysis.comparisons import Compared, PairComparison
from studyapp.reporting.crossed import Crossed
from studyapp.reporting.paired import Test
from studyapp.reporting.wording import UNKNOWN, listed, number, p_is, p_value


@dataclass(frozen=True)
class Statistic:
    """A statistic of the report."""

    name: str  # in files
    title: str
    explained: str
    row: str = ""  # in the table of a pair of models: what it is there, "{last}" and "{margin}" filled in
    value: Callable[[PairComparison], str] | None = None  # and its value; empty if there is none to show


def rows_of(comparison: PairComparison) -> list[tuple[str, str]]:
    """Every statistic of a comparison, with its value."""
    given = {"last": comparison.question, "margin": number(comparison.equivalence.margin)}
    rows = [(one.row.format(**given), one.value(comparison)) for one in STATISTICS if one.value]
    return [(row, value) for row, value in rows if value]


def _tested(test: Test, scale: float = 1, digits: int = 2) -> str:
    difference = number(scale * test.difference, digits)
    if test.reason:
        return f"{difference} (no test: {test.reason})"
    return (
        f"{difference} (95 % interval {number(scale * test.low, digits)} to "
        f"{number(scale * test.high, digits)}; t({test.df:.0f}) = {number(test.t)}, p {p_is(test.p)})"
    )


def _main(own: Compared) -> str:
    return _tested(own.test, own.outcome.scale, own.outcome.digits)


def _each_p(comparison: PairComparison, p: Callable[[Compared], float]) -> str:
    outcomes = {"found": comparison.found, "time to find": comparison.time, "reward": comparison.reward}
    return ", ".join(
        f"{name}: {f'p {p_is(p(own))}' if math.isfinite(p(own)) else UNKNOWN}"
        for name, own in outcomes.items()
    )


def _holm(comparison: PairComparison) -> str:
    corrected = [own for own in comparison.outcomes.values() if math.isfinite(own.p_holm)]
    if all(own.p_holm == own.test.p for own in corrected):
        return ""
    return _each_p(comparison, lambda own: own.p_holm)


def _d_z(comparison: PairComparison) -> str:
    own = comparison.reward
    limits = f"95 % interval {number(own.d_z_low)} to {number(own.d_z_high)}"
    return _or_unknown(own.d_z, f"{number(own.d_z)} ({limits})", own.test.reason)


def _crossed(crossed: Crossed) -> str:
    if not math.isfinite(crossed.p):
        return f"{number(crossed.difference)} (no fit: {crossed.note})"
    slopes = f"random slopes by {listed(crossed.random_slopes)}" if crossed.random_slopes else "no slopes"
    note = f"; {crossed.note}" if crossed.note else ""
    return (
        f"{number(crossed.difference)} (95 % interval {number(crossed.low)} to {number(crossed.high)}; "
        f"t({number(crossed.df, 1)}) = {number(crossed.t)}, p {p_is(crossed.p)}; {slopes}{note})"
    )


def _factor(comparison: PairComparison) -> str:
    value = comparison.reward.bayes_factor
    text = f"{value:.2g}" if value < 0.01 or value >= 1000 else number(value)
    return _or_unknown(value, text, comparison.reward.test.reason)


def _equivalence(comparison: PairComparison) -> str:
    same = comparison.equivalence
    verdict = "shown" if same.equivalent else "not shown"
    interval = f"90 % interval {number(same.low)} to {number(same.high)}"
    return _or_unknown(same.p, f"{verdict}, p {p_is(same.p)} ({interval})", comparison.reward.test.reason)


def _leave_one_out(comparison: PairComparison) -> str:
    left = comparison.reward.leave_one_out
    if not left:
        return f"{UNKNOWN} (there are fewer than three participants)"
    return (
        f"{number(left.lowest)} (without {left.lowest_without}) to {number(left.highest)} (without "
        f"{left.highest_without}); p from {p_value(left.p_lowest)} to {p_value(left.p_highest)}"
    )


def _or_unknown(value: float, text: str, reason: str) -> str:
    return text if math.isfinite(value) else f"{UNKNOWN} ({reason})"


STATISTICS: Kinds[Statistic] = Kinds("statistic")  # in the order of the report
for _statistic in (
    Statistic(
        "found",
        "Rounds found",
        "Share of rounds in which a question was about the target: a paired t-test over participants "
        "compares their shares.",
        "rounds found (percentage points)",
        lambda comparison: _main(comparison.found),
    ),
    Statistic(
        "share_ci95",
        "Intervals of rounds found",
        "95 % interval of the share of rounds found: Clopper and Pearson's exact interval, with the number "
        "of rounds reduced to allow for differences between participants (Korn and Graubard, 1998).",
    ),
    Statistic(
        "time_to_find",
        "Time to find",
        "Mean number of questions until the target was found, restricted to the questions of a round: a "
        "round that did not find it counts with all its questions; a paired t-test over participants "
        "compares these restricted means.",
        "time to find (questions)",
        lambda comparison: _main(comparison.time),
    ),
    Statistic(
        "reward",
        "Reward",
        "Cumulative reward after the last question, averaged over targets: the paper's paired t-test over "
        "participants.",
        "reward after question {last}",
        lambda comparison: _main(comparison.reward),
    ),
    Statistic(
        "p_corrected",
        "Correction for questions",
        "p corrected for testing after every question, by Westfall and Young's step-down procedure with "
        "sign flips.",
    ),
    Statistic(
        "p_holm",
        "Correction for pairs of models",
        "p corrected for the number of pairs of models (Holm, 1979).",
        "Holm's correction",
        _holm,
    ),
    Statistic(
        "p_sign_flip",
        "Sign-flip tests",
        "Permutation test of the mean difference: how often it is at least as large if the two models are "
        "swapped at random for each participant; it assumes no distribution.",
        "sign-flip tests",
        lambda comparison: _each_p(comparison, lambda own: own.p_sign_flip),
    ),
    Statistic(
        "d_z",
        "Effect size d_z",
        "Effect size: the mean difference divided by the standard deviation of the participants' "
        "differences, with its exact interval for normal differences.",
        "effect size d_z of the reward",
        _d_z,
    ),
    Statistic(
        "by_target",
        "Over targets",
        "The same comparison with targets as the sample: a paired t-test over the targets' means, which "
        "tests whether the difference holds for other targets.",
        "reward, over targets",
        lambda comparison: _tested(comparison.reward.by_target),
    ),
    Statistic(
        "crossed",
        "Crossed model",
        "A mixed model with random slopes of the models by participant and by target (REML, "
        "Satterthwaite's degrees of freedom), which tests whether the difference holds for other "
        "participants and other targets at once.",
        "reward, crossed model",
        lambda comparison: _crossed(comparison.reward.crossed),
    ),
    Statistic(
        "leave_one_out",
        "Without one participant",
        "The lowest and the highest difference in reward when one participant is left out, which shows how "
        "much depends on any single participant.",
        "reward without one participant",
        _leave_one_out,
    ),
    Statistic(
        "bayes_factor",
        "Bayes factor",
        "How many times more probable the participants' differences are if there is an effect (d_z "
        "Cauchy-distributed with a width of 0.707) than if there is none (JZS; Rouder et al., 2009).",
        "Bayes factor of the reward, BF10",
        _factor,
    ),
    Statistic(
        "equivalence",
        "Equivalence",
        "Two one-sided t-tests: p below 0.05 shows that the difference in reward is smaller than the "
        "margin, in either direction.",
        "equivalence within {margin}",
        _equivalence,
    ),
    Statistic(
        "first_minus_later",
        "Being first with a target",
        "Reward of a round in which the model was the first with the target, compared with other rounds, "
        "after adjusting for participant, target and position; the interval leaves out one participant at "
        "a time.",
    ),
    Statistic(
        "learning_a_target",
        "Learning",
        "Change in reward from one target to the next, after adjusting for participant, target and being "
        "first, so that easy and hard words don't pass for learning.",
    ),
):
    STATISTICS.add(_statistic)

EXPLAINED = {one.name: one.explained for one in STATISTICS}  # what a registration compares
