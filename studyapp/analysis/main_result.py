"""The main result in two sentences: finding the target, which participants were asked for, then the reward.

Words follow the evidence.  "More often", "sooner" and "higher" are said of differences with p < 0.05 (Holm's
correction over all pairs of models).  Otherwise there is no clear difference, and the sentence says how large
it may still be, and whether it is too small to matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.wording import counted
from studyapp.analysis.comparisons import Outcome, PairComparison
from studyapp.analysis.notes import mixed_kinds
from studyapp.analysis.results import Results
from studyapp.reporting.wording import listed, number, p_is

__all__ = ["LEVEL", "MainResult", "main_result"]

LEVEL = 0.05
MOST_PAIRS = 3  # of many models, named in a sentence


@dataclass(frozen=True)
class MainResult:
    finding: str  # a sentence on how often and how soon the target was found
    reward: str  # a sentence on the reward
    cautions: list[str] = field(default_factory=list)  # what a reader of the two must also know

    @property
    def sentences(self) -> list[str]:
        return [self.finding, self.reward, *self.cautions]


@dataclass(frozen=True)
class _Measure:
    """How one outcome is put into words."""

    of: Callable[[PairComparison], Outcome]
    more: str  # "... with A than with B"
    unclear: str  # "no clear difference in ..."
    value: Callable[[float], str]
    size: Callable[[float], str]  # of a difference
    unit: str  # of a difference
    other_way: bool = False  # a smaller value is better, and named first


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


FOUND = _Measure(
    of=lambda comparison: comparison.found,
    more="more often",
    unclear="how often the target was found",
    value=_percent,
    size=lambda share: number(100 * share, 1),
    unit=" percentage points",
)
TIME = _Measure(
    of=lambda comparison: comparison.time,
    more="sooner",
    unclear="how soon it was found",
    value=lambda time: number(time, 1),
    size=number,
    unit=" questions",
    other_way=True,
)
REWARD = _Measure(
    of=lambda comparison: comparison.reward,
    more="higher",
    unclear="reward",
    value=number,
    size=number,
    unit="",
)


def main_result(results: Results) -> MainResult:
    pairs = list(results.comparisons.values())
    if not pairs:
        return MainResult(*_one_model(results), [*mixed_kinds(results)])
    sentences = _two_models(results, pairs[0]) if len(pairs) == 1 else _many_models(results, pairs)
    cautions = [*mixed_kinds(results), *_opposites(pairs), *_disagreements(pairs)]
    return MainResult(*sentences, cautions)


def is_clear(outcome: Outcome) -> bool:
    return outcome.p_holm < LEVEL


# One model


def _one_model(results: Results) -> tuple[str, str]:
    (model,) = results.sample.models
    found, last = results.finding.found[model], results.sample.questions
    share, time, reward = found.share, found.question, results.rewards.means[model]
    return (
        f"The target was found in {_percent(float(share.mean))} of rounds with {model}"
        f"{_interval(100 * float(share.low), 100 * float(share.high), 1)}, after "
        f"{number(float(time.mean), 1)} questions{_interval(float(time.low), float(time.high), 1)} "
        f"(restricted mean up to question {last}).",
        f"The reward after {counted(last, 'question')} was {number(reward.mean[-1])}"
        f"{_interval(reward.low[-1], reward.high[-1])}; random questions would earn "
        f"{number(results.rewards.random[-1])}.",
    )


def _interval(low: float, high: float, digits: int = 2) -> str:
    return f" (95 % interval {number(low, digits)} to {number(high, digits)})" if math.isfinite(low) else ""


# Two models


def _two_models(results: Results, comparison: PairComparison) -> tuple[str, str]:
    last = results.sample.questions
    restricted = f"restricted mean up to question {last}"
    found, time = _clause(FOUND, comparison), _clause(TIME, comparison, restricted)
    better = {_ahead(measure, comparison) for measure in (FOUND, TIME)}
    found_clear, time_clear = (is_clear(measure.of(comparison)) for measure in (FOUND, TIME))
    one, other = comparison.pair
    if found_clear:
        first = _ahead(FOUND, comparison)
        second = other if first == one else one
        start = f"The target was found more often with {first} than with {second}, in {found}"
        if time_clear and len(better) == 1:
            finding = f"{start}, and sooner, after {time}."
        elif time_clear:
            finding = f"{start}, but sooner with {_ahead(TIME, comparison)}, after {time}."
        else:
            finding = f"{start}; how soon it was found does not differ clearly: after {time}."
    elif time_clear:
        first = _ahead(TIME, comparison)
        second = other if first == one else one
        finding = (
            f"The target was found sooner with {first} than with {second}, after {time}; how often it was "
            f"found does not differ clearly: in {found}."
        )
    elif FOUND.of(comparison).test.reason and TIME.of(comparison).test.reason:
        finding = f"The target was found in {found}, after {time}."
    else:
        finding = (
            "There is no clear difference in how often the target was found, or how soon: it was found in "
            f"{found}, after {time}."
        )
    return finding, _reward_of_two(comparison)


def _reward_of_two(comparison: PairComparison) -> str:
    outcome = comparison.reward
    clause, test = _clause(REWARD, comparison), outcome.test
    after = f"after {counted(comparison.question, 'question')}"
    one, other = comparison.pair
    same = comparison.equivalence
    within = f"within {number(same.margin)} (two one-sided tests, p {p_is(same.p)})"
    if test.reason:
        return f"The reward {after} was {clause}."
    if is_clear(outcome):
        first = _ahead(REWARD, comparison)
        second = other if first == one else one
        small = f"; the difference is small: the models are equivalent {within}" if same.equivalent else ""
        return f"The reward {after} was higher with {first} than with {second}: {clause}{small}."
    sentence = f"There is no clear difference in reward {after}: {clause}"
    if same.equivalent:
        return f"{sentence}; the models are equivalent {within}."
    return f"{sentence}; the difference may be anything from {_reach(comparison)}."


def _reach(comparison: PairComparison) -> str:
    """What the interval leaves possible, in words."""
    test, (one, other) = comparison.reward.test, comparison.pair
    ends = [f"{number(abs(end))} more with {one if end >= 0 else other}" for end in (test.low, test.high)]
    return " to ".join(ends)


def _ahead(measure: _Measure, comparison: PairComparison) -> str:
    """The model that did better."""
    first_is_more = measure.of(comparison).test.difference >= 0
    return comparison.pair[0] if first_is_more != measure.other_way else comparison.pair[1]


def _clause(measure: _Measure, comparison: PairComparison, what: str = "") -> str:
    """Both values, the difference, its interval and p; the better model comes first if one is."""
    outcome = measure.of(comparison)
    test, clear = outcome.test, is_clear(outcome)
    named = _ahead(measure, comparison) if clear else comparison.pair[0]
    rest = comparison.pair[1] if named == comparison.pair[0] else comparison.pair[0]
    values = [measure.value(outcome.means[model]) for model in (named, rest)]
    of_rounds = " of rounds" if measure is FOUND else " questions" if measure is TIME else ""
    text = (
        f"{values[0]} against {values[1]}{of_rounds}"
        if clear
        else f"{values[0]}{of_rounds} with {named} and {values[1]} with {rest}"
    )
    sign = 1 if named == comparison.pair[0] else -1
    if clear and measure.other_way:
        sign = -sign  # so many questions fewer
    details = [what] if what else []
    if test.reason:
        details.append(f"no test: {test.reason}")
    else:
        low, high = sorted((sign * test.low, sign * test.high))
        details.append(
            f"difference {measure.size(sign * test.difference)}{measure.unit}, 95 % interval "
            f"{measure.size(low)} to {measure.size(high)}, p {p_is(test.p)}"
        )
    return f"{text} ({'; '.join(details)})"


# More models


def _many_models(results: Results, pairs: Sequence[PairComparison]) -> tuple[str, str]:
    last, models = results.sample.questions, results.sample.models
    found = {model: float(results.finding.found[model].share.mean) for model in models}
    times = {model: float(results.finding.found[model].question.mean) for model in models}
    rewards = {model: float(results.rewards.means[model].mean[-1]) for model in models}
    return (
        f"The target was found in {_each(FOUND, found, ' of rounds')}: {_clear_pairs(FOUND, pairs)}; it took "
        f"{_each(TIME, times, ' questions')} (restricted means up to question {last}): "
        f"{_clear_pairs(TIME, pairs)}.",
        f"The reward after {counted(last, 'question')} was {_each(REWARD, rewards, '')}: "
        f"{_clear_pairs(REWARD, pairs)} (Holm's correction for {counted(len(pairs), 'pair')}).",
    )


def _each(measure: _Measure, values: dict[str, float], unit: str) -> str:
    best_first = sorted(values, key=lambda model: values[model], reverse=not measure.other_way)
    return listed(
        [
            f"{measure.value(values[model])}{unit if i == 0 else ''} with {model}"
            for i, model in enumerate(best_first)
        ]
    )


def _clear_pairs(measure: _Measure, pairs: Sequence[PairComparison]) -> str:
    """Which pairs differ clearly; the clearest are named."""
    clear = sorted((pair for pair in pairs if is_clear(measure.of(pair))), key=lambda c: measure.of(c).p_holm)
    if reasons := {measure.of(pair).test.reason for pair in pairs} - {""}:
        if len(reasons) == 1 and all(measure.of(pair).test.reason for pair in pairs):
            return f"no test ({reasons.pop()})"
    if not clear:
        return "no pair differs clearly"
    named = [_pair_clause(measure, comparison) for comparison in clear[:MOST_PAIRS]]
    others = len(clear) - len(named)
    if others:
        named.append(f"{counted(others, 'more pair differs', 'more pairs differ')} clearly")
    elif len(clear) < len(pairs):
        named.append("no other pair differs clearly")
    return f"{measure.more} {listed(named)}" if len(named) > 1 else f"{measure.more} {named[0]}"


def _pair_clause(measure: _Measure, comparison: PairComparison) -> str:
    first = _ahead(measure, comparison)
    second = comparison.pair[1] if first == comparison.pair[0] else comparison.pair[0]
    outcome = measure.of(comparison)
    size = f"{measure.size(abs(outcome.test.difference))}{measure.unit}"
    return f"with {first} than with {second} (by {size}, p {p_is(outcome.p_holm)})"


# What a reader must also know


def _opposites(pairs: Sequence[PairComparison]) -> Iterator[str]:
    """The model that finds more is not always the one that earns more."""
    for comparison in pairs:
        finders = {_ahead(m, comparison) for m in (FOUND, TIME) if is_clear(m.of(comparison))}
        earner = _ahead(REWARD, comparison)
        if len(finders) == 1 and is_clear(comparison.reward) and finders != {earner}:
            yield (
                f"Finding and reward favour different models: {finders.pop()} is better at finding the target, "
                f"and {earner} earns more, because every further question about the target or a similar word "
                "adds reward."
            )


def _disagreements(pairs: Sequence[PairComparison]) -> Iterator[str]:
    """Participants and targets are both samples: do the tests over each agree?"""
    for comparison in pairs:
        tests = {
            "over participants": comparison.reward.test.p,
            "over targets": comparison.by_target.p,
            "in the crossed model of both": comparison.crossed.p,
        }
        known = {name: p for name, p in tests.items() if math.isfinite(p)}
        significant = [f"{name} (p {p_is(p)})" for name, p in known.items() if p < LEVEL]
        others = [f"{name} (p {p_is(p)})" for name, p in known.items() if p >= LEVEL]
        if significant and others:
            of = f" between {listed(comparison.pair)}" if len(pairs) > 1 else ""
            yield (
                f"The analyses disagree: the difference in reward{of} is significant {listed(significant)}, "
                f"but not {' or '.join(others)}. It may not hold for other "
                f"{'participants' if comparison.reward.test.p >= LEVEL else 'targets'}."
            )
