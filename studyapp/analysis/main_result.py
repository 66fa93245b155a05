"""The main result in two sentences: finding the target, which participants were asked for, then the reward.

Words follow the evidence.  "More often", "sooner" and "higher" are said of differences with p < 0.05 (Holm's
correction over all pairs of models).  Otherwise there is no clear difference, and the sentence says how large
it may still be, and whether it is too small to matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.wording import counted
from studyapp.analysis.comparisons import Outcome, PairComparison
from studyapp.analysis.notes import mixed_kinds
from studyapp.analysis.results import Results
from studyapp.analysis.sample import Pair
from studyapp.reporting.wording import listed, number, p_is

__all__ = ["LEVEL", "MainResult", "main_result"]

LEVEL = 0.05
MOST_PAIRS = 3  # of many models, named in a sentence
ROUNDING = 1e-9


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
    value: Callable[[float], str]
    size: Callable[[float], str]  # of a difference
    unit: str  # of a difference
    of_what: str = ""  # after a value
    less_is_better: bool = False


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


FOUND = _Measure(
    of=lambda comparison: comparison.found,
    more="more often",
    value=_percent,
    size=lambda share: number(100 * share, 1),
    unit=" percentage points",
    of_what=" of rounds",
)
TIME = _Measure(
    of=lambda comparison: comparison.time,
    more="sooner",
    value=lambda time: number(time, 1),
    size=number,
    unit=" questions",
    of_what=" questions",
    less_is_better=True,
)
REWARD = _Measure(
    of=lambda comparison: comparison.reward,
    more="higher",
    value=number,
    size=number,
    unit="",
)


def main_result(results: Results) -> MainResult:
    pairs = list(results.comparisons.values())
    sentences = _two_models(results, pairs[0]) if len(pairs) == 1 else _many_models(results, pairs)
    cautions = [*mixed_kinds(results.gathered), *_opposites(pairs), *_disagreements(pairs)]
    return MainResult(*sentences, cautions)


def is_clear(outcome: Outcome) -> bool:
    return outcome.p_holm < LEVEL


# Two models


def _two_models(results: Results, comparison: PairComparison) -> tuple[str, str]:
    return _finding_of_two(results, comparison), _reward_of_two(comparison)


def _finding_of_two(results: Results, comparison: PairComparison) -> str:
    restricted = f"restricted mean up to question {results.sample.questions}"
    found = f"in {_clause(FOUND, comparison)}"
    time = f"after {_clause(TIME, comparison, restricted)}"
    often, soon = is_clear(comparison.found), is_clear(comparison.time)
    often_known, soon_known = not comparison.found.test.reason, not comparison.time.test.reason
    (finder, other), (sooner, later) = _best_first(FOUND, comparison), _best_first(TIME, comparison)
    more_often = f"The target was found more often with {finder} than with {other}, {found}"
    if often and soon:
        sooner_too = "and sooner" if finder == sooner else f"but sooner with {sooner}"
        return f"{more_often}, {sooner_too}, {time}."
    if not often_known and not soon_known:
        return f"The target was found {found}, {time}."
    if often_known and soon_known and not often:
        if not soon:
            return (
                "There is no clear difference in how often the target was found, or how soon: it was found "
                f"{found}, {time}."
            )
        return (
            f"The target was found sooner with {sooner} than with {later}, {time}; how often it was found "
            f"does not differ clearly: {found}."
        )
    # Without a test, nothing is said of a difference: if it is the same for everyone, it may well be large.
    unclear_often = f"How often the target was found does not differ clearly: {found}"
    unclear_soon = f"how soon it was found does not differ clearly: {time}"
    first = more_often if often else unclear_often if often_known else f"The target was found {found}"
    second = unclear_soon if soon_known else f"it was found {time}"
    if soon:
        second = f"it was found sooner with {sooner} than with {later}, {time}"
    return f"{first}; {second}."


def _reward_of_two(comparison: PairComparison) -> str:
    clause, same = _clause(REWARD, comparison), comparison.equivalence
    after = f"after {counted(comparison.question, 'question')}"
    within = f"within {number(same.margin)} (two one-sided tests, p {p_is(same.p)})"
    if comparison.reward.test.reason:
        return f"The reward {after} was {clause}."
    if is_clear(comparison.reward):
        better, worse = _best_first(REWARD, comparison)
        small = f"; the difference is small: the models are equivalent {within}" if same.equivalent else ""
        return f"The reward {after} was higher with {better} than with {worse}: {clause}{small}."
    sentence = f"There is no clear difference in reward {after}: {clause}"
    if same.equivalent:
        return f"{sentence}; the models are equivalent {within}."
    return f"{sentence}; the difference may be anything from {_reach(comparison)}."


def _reach(comparison: PairComparison) -> str:
    """What the interval leaves possible, in words."""
    test, (one, other) = comparison.reward.test, comparison.pair
    ends = [f"{number(abs(end))} more with {one if end >= 0 else other}" for end in (test.low, test.high)]
    return " to ".join(ends)


def _best_first(measure: _Measure, comparison: PairComparison) -> Pair:
    """The two models, the one that did better first."""
    one, other = comparison.pair
    first_has_more = measure.of(comparison).test.difference >= 0
    return (one, other) if first_has_more != measure.less_is_better else (other, one)


def _clause(measure: _Measure, comparison: PairComparison, what: str = "") -> str:
    """Both values, the difference, its interval and p; the better model comes first if one clearly is."""
    outcome = measure.of(comparison)
    test, clear = outcome.test, is_clear(outcome)
    models = _best_first(measure, comparison) if clear else comparison.pair
    first, second = (measure.value(outcome.means[model]) for model in models)
    values = (
        f"{first} against {second}{measure.of_what}"
        if clear
        else f"{first}{measure.of_what} with {models[0]} and {second} with {models[1]}"
    )
    details = [what] if what else []
    if test.reason:
        details.append(f"no test: {test.reason}")
    else:
        # What is clear has a size; what is not has a sign, that of the first model minus the second.
        sign = np.sign(test.difference) if clear else 1.0
        low, high = sorted((sign * test.low, sign * test.high))
        details.append(
            f"difference {measure.size(sign * test.difference)}{measure.unit}, 95 % interval "
            f"{measure.size(low)} to {measure.size(high)}, p {p_is(test.p)}"
        )
    return f"{values} ({'; '.join(details)})"


# More models


def _many_models(results: Results, pairs: Sequence[PairComparison]) -> tuple[str, str]:
    last, models = results.sample.questions, results.sample.models
    found = {model: float(results.finding.found[model].share.mean) for model in models}
    times = {model: float(results.finding.found[model].question.mean) for model in models}
    rewards = {model: float(results.rewards.means[model].mean[-1]) for model in models}
    corrected = f" (Holm's correction for {counted(len(pairs), 'pair')})"
    tested = any(not pair.reward.test.reason for pair in pairs)
    return (
        f"The target was found in {_each(FOUND, found)}: {_clear_pairs(FOUND, pairs)}; it took "
        f"{_each(TIME, times)} (restricted means up to question {last}): "
        f"{_clear_pairs(TIME, pairs)}.",
        f"The reward after {counted(last, 'question')} was {_each(REWARD, rewards)}: "
        f"{_clear_pairs(REWARD, pairs)}{corrected if tested else ''}.",
    )


def _each(measure: _Measure, values: dict[str, float]) -> str:
    best_first = sorted(values, key=lambda model: values[model], reverse=not measure.less_is_better)
    return listed(
        [
            f"{measure.value(values[model])}{measure.of_what if i == 0 else ''} with {model}"
            for i, model in enumerate(best_first)
        ]
    )


def _clear_pairs(measure: _Measure, pairs: Sequence[PairComparison]) -> str:
    """Which pairs differ clearly; the clearest are named."""
    outcomes = [measure.of(pair) for pair in pairs]
    if all(outcome.test.reason for outcome in outcomes):
        return f"no test ({outcomes[0].test.reason})"
    clear = sorted((pair for pair in pairs if is_clear(measure.of(pair))), key=lambda c: measure.of(c).p_holm)
    untested = [pair for pair in pairs if measure.of(pair).test.reason and not _is_zero(measure.of(pair))]
    no_test = f"; no test for {_named(untested)} ({measure.of(untested[0]).test.reason})" if untested else ""
    if not clear:
        return f"no pair differs clearly{no_test}"
    named = [_pair_clause(measure, comparison) for comparison in clear[:MOST_PAIRS]]
    if others := len(clear) - len(named):
        named.append(f"{counted(others, 'more pair differs', 'more pairs differ')} clearly")
    rest = "; no other pair differs clearly" if not others and len(clear) < len(pairs) else ""
    return f"{measure.more} {listed(named)}{rest}{no_test}"


def _is_zero(outcome: Outcome) -> bool:
    return not abs(outcome.test.difference) > ROUNDING


def _pair_clause(measure: _Measure, comparison: PairComparison) -> str:
    outcome, (better, worse) = measure.of(comparison), _best_first(measure, comparison)
    size = f"{measure.size(abs(outcome.test.difference))}{measure.unit}"
    return f"with {better} than with {worse} (by {size}, p {p_is(outcome.p_holm)})"


# What a reader must also know


def _opposites(pairs: Sequence[PairComparison]) -> Iterator[str]:
    """The model that finds more is not always the one that earns more."""
    opposite = []
    for comparison in pairs:
        finders = {_best_first(m, comparison)[0] for m in (FOUND, TIME) if is_clear(m.of(comparison))}
        earner, _ = _best_first(REWARD, comparison)
        if len(finders) == 1 and is_clear(comparison.reward) and finders != {earner}:
            opposite.append((finders.pop(), earner, comparison))
    why = "This can happen because every further question about the target or a similar word adds reward."
    if len(opposite) == 1:
        finder, earner, _ = opposite[0]
        yield (
            f"Finding and reward favour different models: {finder} is better at finding the target, and "
            f"{earner} earns more. {why}"
        )
    elif opposite:
        named = _named([comparison for *_, comparison in opposite])
        yield f"Finding and reward favour different models in these pairs: {named}. {why}"


def _disagreements(pairs: Sequence[PairComparison]) -> Iterator[str]:
    """Participants and targets are both samples: do the tests over each agree?"""
    disagreeing = [comparison for comparison in pairs if len(set(_significant(comparison).values())) == 2]
    if len(disagreeing) > 1:
        yield (
            "Tests of the reward over participants, over targets and in the crossed model of both disagree "
            f"about {_named(disagreeing)}: these differences may not hold for other participants or targets."
        )
    for comparison in disagreeing if len(disagreeing) == 1 else ():
        by_verdict = {
            verdict: [name for name, own in _significant(comparison).items() if own == verdict]
            for verdict in (True, False)
        }
        of = f" between {listed(comparison.pair)}" if len(pairs) > 1 else ""
        others = "participants and targets"  # where only the model of both disagrees
        if comparison.reward.test.p >= LEVEL:
            others = "participants"
        elif comparison.by_target.p >= LEVEL:
            others = "targets"
        yield (
            f"The analyses disagree: the difference in reward{of} is significant {listed(by_verdict[True])}, "
            f"but not {' or '.join(by_verdict[False])}. It may not hold for other {others}."
        )


def _significant(comparison: PairComparison) -> dict[str, bool]:
    """Which of the three analyses of the reward are significant, of those that there are."""
    ps = {
        "over participants": comparison.reward.test.p,
        "over targets": comparison.by_target.p,
        "in the crossed model of both": comparison.crossed.p,
    }
    return {f"{name} (p {p_is(p)})": p < LEVEL for name, p in ps.items() if math.isfinite(p)}


def _named(pairs: Sequence[PairComparison]) -> str:
    """Some pairs of models in a sentence."""
    names = [" and ".join(comparison.pair) for comparison in pairs[:MOST_PAIRS]]
    more = len(pairs) - len(names)
    return "; ".join([*names, *([counted(more, "more pair")] if more else [])])
