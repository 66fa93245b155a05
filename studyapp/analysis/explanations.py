"""Each statistic of a comparison in one sentence, and a comparison as a table of such rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from studyapp.analysis.comparisons import Outcome, PairComparison
from studyapp.reporting.crossed import Crossed
from studyapp.reporting.paired import Test
from studyapp.reporting.wording import UNKNOWN, listed, number, p_is, p_value

__all__ = ["EXPLAINED", "Row", "rows_of"]

EXPLAINED = {
    "found": "Share of rounds in which a question was about the target: a paired t-test over participants "
    "compares their shares.",
    "time_to_find": "Mean number of questions until the target was found, restricted to the questions of a "
    "round: a round that did not find it counts with all its questions; a paired t-test over participants "
    "compares these restricted means.",
    "share_ci95": "95 % interval of the share of rounds found: Clopper and Pearson's exact interval, with "
    "the number of rounds reduced to allow for differences between participants (Korn and Graubard, 1998).",
    "reward": "Cumulative reward after the last question, averaged over targets: the paper's paired t-test "
    "over participants.",
    "p_sign_flip": "Permutation test of the mean difference: how often it is at least as large if the two "
    "models are swapped at random for each participant; it assumes no distribution.",
    "p_holm": "p corrected for the number of pairs of models (Holm, 1979).",
    "d_z": "Effect size: the mean difference divided by the standard deviation of the participants' "
    "differences, with its exact interval for normal differences.",
    "by_target": "The same comparison with targets as the sample: a paired t-test over the targets' means, "
    "which tests whether the difference holds for other targets.",
    "crossed": "A mixed model with random slopes of the models by participant and by target (REML, "
    "Satterthwaite's degrees of freedom), which tests whether the difference holds for other participants "
    "and other targets at once.",
    "bayes_factor": "How many times more probable the participants' differences are if there is an effect "
    "(d_z Cauchy-distributed with a width of 0.707) than if there is none (JZS; Rouder et al., 2009).",
    "equivalence": "Two one-sided t-tests: p below 0.05 shows that the difference in reward is smaller than "
    "the margin, in either direction.",
    "leave_one_out": "The lowest and the highest difference in reward when one participant is left out, "
    "which shows how much depends on any single participant.",
    "p_corrected": "p corrected for testing after every question, by Westfall and Young's step-down "
    "procedure with sign flips.",
    "first_minus_later": "Reward of a round in which the model was the first with the target, compared with "
    "other rounds, after adjusting for participant, target and position; the interval leaves out one "
    "participant at a time.",
    "learning_a_target": "Change in reward from one target to the next, after adjusting for participant, "
    "target and being first, so that easy and hard words don't pass for learning.",
}


@dataclass(frozen=True)
class Row:
    """One statistic of a comparison."""

    name: str
    value: str
    explained: str


def rows_of(comparison: PairComparison) -> list[Row]:
    """Every statistic of a comparison, in the order of EXPLAINED."""
    texts = dict(_texts(comparison))
    titles = {
        "found": "rounds found (percentage points)",
        "time_to_find": "time to find (questions)",
        "reward": f"reward after question {comparison.question}",
        "p_sign_flip": "sign-flip tests",
        "p_holm": "Holm's correction",
        "d_z": "effect size d_z of the reward",
        "by_target": "reward, over targets",
        "crossed": "reward, crossed model",
        "bayes_factor": "Bayes factor of the reward, BF10",
        "equivalence": f"equivalence within {number(comparison.equivalence.margin)}",
        "leave_one_out": "reward without one participant",
    }
    return [Row(titles[name], texts[name], EXPLAINED[name]) for name in EXPLAINED if name in texts]


def _texts(comparison: PairComparison) -> Iterator[tuple[str, str]]:
    outcomes = {"found": comparison.found, "time to find": comparison.time, "reward": comparison.reward}
    yield "found", _tested(comparison.found.test, 100, 1)
    yield "time_to_find", _tested(comparison.time.test)
    yield "reward", _tested(comparison.reward.test)
    yield "p_sign_flip", _each_p({name: outcome.p_sign_flip for name, outcome in outcomes.items()})
    if any(_corrected(outcome) for outcome in outcomes.values()):
        yield "p_holm", _each_p({name: outcome.p_holm for name, outcome in outcomes.items()})
    yield (
        "d_z",
        _or_unknown(
            comparison.d_z,
            f"{number(comparison.d_z)} (95 % interval {number(comparison.d_z_low)} to "
            f"{number(comparison.d_z_high)})",
            comparison.reward.test.reason,
        ),
    )
    yield "by_target", _tested(comparison.by_target)
    yield "crossed", _crossed(comparison.crossed)
    yield (
        "bayes_factor",
        _or_unknown(comparison.bayes_factor, _factor(comparison.bayes_factor), comparison.reward.test.reason),
    )
    same = comparison.equivalence
    verdict = "shown" if same.equivalent else "not shown"
    yield (
        "equivalence",
        _or_unknown(
            same.p,
            f"{verdict}, p {p_is(same.p)} (90 % interval {number(same.low)} to {number(same.high)})",
            comparison.reward.test.reason,
        ),
    )
    if left := comparison.leave_one_out:
        yield (
            "leave_one_out",
            (
                f"{number(left.lowest)} (without {left.lowest_without}) to {number(left.highest)} (without "
                f"{left.highest_without}); p from {p_value(left.p_lowest)} to {p_value(left.p_highest)}"
            ),
        )
    else:
        yield "leave_one_out", f"{UNKNOWN} (there are fewer than three participants)"


def _tested(test: Test, scale: float = 1, digits: int = 2) -> str:
    difference = number(scale * test.difference, digits)
    if test.reason:
        return f"{difference} (no test: {test.reason})"
    return (
        f"{difference} (95 % interval {number(scale * test.low, digits)} to "
        f"{number(scale * test.high, digits)}; t({test.df:.0f}) = {number(test.t)}, p {p_is(test.p)})"
    )


def _crossed(crossed: Crossed) -> str:
    if not math.isfinite(crossed.p):
        return f"{number(crossed.difference)} (no fit: {crossed.note})"
    slopes = f"random slopes by {listed(crossed.random_slopes)}" if crossed.random_slopes else "no slopes"
    note = f"; {crossed.note}" if crossed.note else ""
    return (
        f"{number(crossed.difference)} (95 % interval {number(crossed.low)} to {number(crossed.high)}; "
        f"t({number(crossed.df, 1)}) = {number(crossed.t)}, p {p_is(crossed.p)}; {slopes}{note})"
    )


def _corrected(outcome: Outcome) -> bool:
    return math.isfinite(outcome.p_holm) and outcome.p_holm != outcome.test.p


def _each_p(ps: dict[str, float]) -> str:
    known = {name: f"p {p_is(p)}" if math.isfinite(p) else UNKNOWN for name, p in ps.items()}
    return ", ".join(f"{name}: {p}" for name, p in known.items())


def _factor(value: float) -> str:
    return f"{value:.2g}" if value < 0.01 or value >= 1000 else number(value)


def _or_unknown(value: float, text: str, reason: str) -> str:
    return text if math.isfinite(value) else f"{UNKNOWN} ({reason})"
