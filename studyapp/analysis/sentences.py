"""Sentences of the report about how participants answered: each follows from the results at hand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.wording import counted
from studyapp.analysis.answers import YesShare
from studyapp.analysis.results import Results
from studyapp.analysis.teachers import planner
from studyapp.reporting.wording import listed, number, p_is, percent


def about_similar_words(results: Results) -> list[str]:
    """How often similar words got a yes, first and again; nothing if there were none."""
    steering = results.steering
    asked = [share for share in steering.first.values() if share.answers]
    again = [share for share in steering.again.values() if share.answers]
    if not asked:
        return []
    words = f"Similar words other than the target (similarity of at least {steering.least_reward:.2g})"
    first = (
        f"{words} got a yes in {_mean(asked, 'share')} of answers when they were asked for the first time in "
        "a round"
    )
    if not again:
        return [f"{first}. None that got a yes was asked again in its round."]
    over = " (means over participants)" if len(results.sample.participants) > 1 else ""
    sentences = [
        f"{first}, and in {_mean(again, 'share')} when they were asked again after a yes{over}.",
        *_difference(results),
    ]
    if results.gathered.blind:  # the teachers are those of the models
        return sentences
    naive, planning = (_both(asked, again, name) for name in ("naive_teacher", "planning_teacher"))
    teachers = f"To the same questions, a naive teacher would say yes in {naive} of answers"
    if len(results.fits) == len(results.sample.participants):
        beta = planner(results.sample.loaded.study).beta
        teachers += f", and the planning teacher (beta = {beta:g}) in {planning}"
    return [*sentences, f"{teachers}."]


def _difference(results: Results) -> list[str]:
    """Do participants answer differently when they are asked again?"""
    difference = results.steering.difference
    mean, low, high = (
        100 * float(values[0]) for values in (difference.mean, difference.low, difference.high)
    )
    if difference.participants < 2:
        return []
    t, p = float(difference.t[0]), float(difference.p[0])
    if not np.isfinite(p):
        points = f"{number(mean, 1)} percentage points"
        return [f"The difference is {points} for every participant with both, so there is no test."]
    tested = f"t({difference.participants - 1}) = {number(t)}, p {p_is(p)}"
    if difference.participants < len(results.sample.participants):
        tested += f"; {counted(difference.participants, 'participant')} with both kinds of questions"
    if low <= 0 <= high:
        return [
            "Whether they said yes more or less often when they were asked again is uncertain: the "
            f"difference is {number(mean, 1)} percentage points (95 % interval {number(low, 1)} to "
            f"{number(high, 1)}; {tested})."
        ]
    least, most = sorted((abs(low), abs(high)))
    return [
        f"Participants said yes {'less' if high < 0 else 'more'} often when they were asked again, by "
        f"{number(abs(mean), 1)} percentage points (95 % interval {number(least, 1)} to {number(most, 1)}; "
        f"{tested})."
    ]


def about_teachers(results: Results) -> list[str]:
    """Which of the paper's teachers fits, and what alpha then means; nothing if none was compared."""
    fits = list(results.fits.values())
    if not fits:
        return []
    beta = planner(results.sample.loaded.study).beta
    better = sum(bool(fit.planning_minus_naive.low > 0) for fit in fits)
    worse = sum(bool(fit.planning_minus_naive.high < 0) for fit in fits)
    verdicts = (
        (better, "better"),
        (worse, "worse"),
        (len(fits) - better - worse, "neither clearly better nor clearly worse"),
    )
    found = listed([f"{verdict} for {counted(count, 'participant')}" for count, verdict in verdicts if count])
    gain = np.mean([fit.mixture_minus_naive.mean for fit in fits])
    alpha = np.mean([fit.alpha.mean for fit in fits])
    mean = "mean of alpha over participants" if len(fits) > 1 else "mean of alpha"
    return [
        f"Compared with the naive teacher, the planning teacher (beta = {beta:g}) fits {found} (95 % "
        "intervals of the log-likelihood, over targets).",
        f"The mixture of both with the best alpha is {number(float(gain))} nats per answer above the naive "
        f"teacher{' on average' if len(fits) > 1 else ''}.",
        f"The posterior {mean} is {number(float(alpha))}. Alpha is the share of answers that fit this "
        "planning teacher better than the naive one, not the share that was planned.",
    ]


def _mean(shares: Iterable[YesShare], name: str) -> str:
    return percent(float(np.mean([getattr(share, name) for share in shares])))


def _both(first: Iterable[YesShare], again: Iterable[YesShare], name: str) -> str:
    return f"{_mean(first, name)} and {_mean(again, name)}"
