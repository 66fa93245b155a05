"""The main result in two sentences: finding the target, which participants were asked for, then the reward.

Words follow the evidence.  "More often", "sooner" and "higher" are said of differences with p < 0.05 (Holm's
correction over all pairs of models).  Otherwise there is no clear difference, and the sentence says how large
it may still be, and whether it is too small to matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.wording import counted
from studyapp.analysis.comparisons import Compared, PairComparison
from studyapp.analysis.notes import mixed_kinds
from studyapp.analysis.outcomes import FOUND, REWARD, TIME, Outcome
from studyapp.analysis.results import Results
from studyapp.reporting.paired import LEVEL
from studyapp.reporting.wording import listed, number, p_is

MOST_PAIRS = 3  # of many models, named in a sentence


@dataclass(frozen=True)
class MainResult:
    finding: str  # a sentence on how often and how soon the target was found
    reward: str  # a sentence on the reward
    cautions: list[str] = field(default_factory=list)  # what a reader of the two must also know

    @property
    def sentences(self) -> list[str]:
        return [self.finding, self.reward, *self.cautions]


def main_result(results: Results) -> MainResult:
    pairs = list(results.comparisons.values())
    sentences = _two_models(results, pairs[0]) if len(pairs) == 1 else _many_models(results, pairs)
    cautions = [*mixed_kinds(results.gathered), *_opposites(pairs), *_disagreements(pairs)]
    return MainResult(*sentences, cautions)


# Two models


def _two_models(results: Results, comparison: PairComparison) -> tuple[str, str]:
    return _finding_of_two(results, comparison), _reward_of_two(comparison)


def _finding_of_two(results: Results, comparison: PairComparison) -> str:
    restricted = f"restricted mean up to question {results.sample.questions}"
    found = f"in {_clause(comparison.found)}"
    time = f"after {_clause(comparison.time, restricted)}"
    often, soon = comparison.found.is_clear, comparison.time.is_clear
    often_known, soon_known = not comparison.found.test.reason, not comparison.time.test.reason
    (finder, other), (sooner, later) = comparison.found.best_first, comparison.time.best_first
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
    clause, same = _clause(comparison.reward), comparison.equivalence
    after = f"after {counted(comparison.question, 'question')}"
    within = f"within {number(same.margin)} (two one-sided tests, p {p_is(same.p)})"
    if comparison.reward.test.reason:
        return f"The reward {after} was {clause}."
    if comparison.reward.is_clear:
        better, worse = comparison.reward.best_first
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


def _clause(own: Compared, what: str = "") -> str:
    """Both values, the difference, its interval and p; the better model comes first if one clearly is."""
    outcome, test = own.outcome, own.test
    models = own.best_first if own.is_clear else own.pair
    first, second = (outcome.value(own.means[model]) for model in models)
    values = (
        f"{first} against {second}{outcome.of_what}"
        if own.is_clear
        else f"{first}{outcome.of_what} with {models[0]} and {second} with {models[1]}"
    )
    details = [what] if what else []
    if test.reason:
        details.append(f"no test: {test.reason}")
    else:
        # What is clear has a size; what is not has a sign, that of the first model minus the second.
        sign = np.sign(test.difference) if own.is_clear else 1.0
        low, high = sorted((sign * test.low, sign * test.high))
        details.append(
            f"difference {outcome.size(sign * test.difference)}{outcome.unit}, 95 % interval "
            f"{outcome.size(low)} to {outcome.size(high)}, p {p_is(test.p)}"
        )
    return f"{values} ({'; '.join(details)})"


# More models


def _many_models(results: Results, pairs: Sequence[PairComparison]) -> tuple[str, str]:
    last, models = results.sample.questions, results.sample.models
    found = {model: float(results.found[model].share.mean) for model in models}
    times = {model: float(results.found[model].question.mean) for model in models}
    rewards = {model: float(results.rewards.means[model].mean[-1]) for model in models}
    corrected = f" (Holm's correction for {counted(len(pairs), 'pair')})"
    tested = any(not pair.reward.test.reason for pair in pairs)
    clear_found, clear_time, clear_reward = (
        _clear_pairs(outcome, [pair.outcomes[outcome.name] for pair in pairs])
        for outcome in (FOUND, TIME, REWARD)
    )
    return (
        f"The target was found in {_each(FOUND, found)}: {clear_found}; it took {_each(TIME, times)} "
        f"(restricted means up to question {last}): {clear_time}.",
        f"The reward after {counted(last, 'question')} was {_each(REWARD, rewards)}: "
        f"{clear_reward}{corrected if tested else ''}.",
    )


def _each(outcome: Outcome, values: dict[str, float]) -> str:
    best_first = sorted(values, key=lambda model: values[model], reverse=outcome.more_is_better)
    return listed(
        [
            f"{outcome.value(values[model])}{outcome.of_what if i == 0 else ''} with {model}"
            for i, model in enumerate(best_first)
        ]
    )


def _clear_pairs(outcome: Outcome, compared: Sequence[Compared]) -> str:
    """Which pairs differ clearly; the clearest are named."""
    if all(own.test.reason for own in compared):
        return f"no test ({compared[0].test.reason})"
    clear = sorted((own for own in compared if own.is_clear), key=lambda own: own.p_holm)
    untested = [own for own in compared if own.test.reason and own.ahead]
    no_test = f"; no test for {_named(untested)} ({untested[0].test.reason})" if untested else ""
    if not clear:
        return f"no pair differs clearly{no_test}"
    named = [_pair_clause(own) for own in clear[:MOST_PAIRS]]
    if others := len(clear) - len(named):
        named.append(f"{counted(others, 'more pair differs', 'more pairs differ')} clearly")
    rest = "; no other pair differs clearly" if not others and len(clear) < len(compared) else ""
    return f"{outcome.more} {listed(named)}{rest}{no_test}"


def _pair_clause(own: Compared) -> str:
    better, worse = own.best_first
    size = f"{own.outcome.size(abs(own.test.difference))}{own.outcome.unit}"
    return f"with {better} than with {worse} (by {size}, p {p_is(own.p_holm)})"


# What a reader must also know


def _opposites(pairs: Sequence[PairComparison]) -> Iterator[str]:
    """The model that finds more is not always the one that earns more."""
    opposite = []
    for comparison in pairs:
        finders = {own.best_first[0] for own in (comparison.found, comparison.time) if own.is_clear}
        earner, _ = comparison.reward.best_first
        if len(finders) == 1 and comparison.reward.is_clear and finders != {earner}:
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
        elif comparison.reward.by_target.p >= LEVEL:
            others = "targets"
        yield (
            f"The analyses disagree: the difference in reward{of} is significant {listed(by_verdict[True])}, "
            f"but not {' or '.join(by_verdict[False])}. It may not hold for other {others}."
        )


def _significant(comparison: PairComparison) -> dict[str, bool]:
    """Which of the three analyses of the reward are significant, of those that there are."""
    ps = {
        "over participants": comparison.reward.test.p,
        "over targets": comparison.reward.by_target.p,
        "in the crossed model of both": comparison.reward.crossed.p,
    }
    return {f"{name} (p {p_is(p)})": p < LEVEL for name, p in ps.items() if math.isfinite(p)}


def _named(pairs: Sequence[PairComparison | Compared]) -> str:
    """Some pairs of models in a sentence."""
    names = [" and ".join(comparison.pair) for comparison in pairs[:MOST_PAIRS]]
    more = len(pairs) - len(names)
    return "; ".join([*names, *([counted(more, "more pair")] if more else [])])
