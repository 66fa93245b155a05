"""The time until something happens, if some rounds end before it does: Kaplan and Meier's estimate.

A round ends without the target having been found (at the last question, or earlier if the session stopped):
it is known to take longer than that, and no more.  S(q) is the estimated share of rounds that have not found
it after question q.

    S(q) = product over questions k <= q of (1 - found at k / rounds still looking before k)

If every round that was still looking stopped early, nothing more is known, and S stays as it is (Gill, 1980).

The restricted mean up to the last question is E min(time, last): the mean number of questions until the
target was found, where a round that needs more counts with all its questions.  It is the area under S, and
unlike the mean it does not depend on what nobody saw.

Participants weigh the same, whatever their number of rounds: a round's weight is 1 / rounds of its
participant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from studyapp.reporting.statistics import Array, Estimate, clustered_ci

__all__ = ["Survival", "kaplan_meier", "restricted_mean", "share_missing"]

NO_SPREAD = 1e-18  # a variance over participants that is rounding


@dataclass(frozen=True)
class Survival:
    """Arrays are (Q,), after questions 1 to Q."""

    missing: Estimate  # S, the share of rounds that have not found the target, with pointwise 95 % intervals
    at_risk: NDArray[np.intp]  # rounds that were still looking when the question was asked
    found: NDArray[np.intp]  # rounds that found it with the question
    censored: NDArray[np.intp]  # rounds that ended with the question without having found it
    restricted_mean: Estimate  # questions, up to the last
    median: float  # the first question after which at least half of the rounds have found it; NaN if never


def kaplan_meier(
    times: Array, found: NDArray[np.bool_], participants: NDArray[np.intp], last: int
) -> Survival:
    """The estimate from the rounds of some participants, all (N,).

    ``times`` are the questions that found the target, or the last ones that were asked.  Intervals allow
    participants to differ: variances are those of the participants' influence on the estimate (the
    infinitesimal jackknife), and shares then have exact intervals (``clustered_ci``).
    """
    names, index, counts = np.unique(participants, return_inverse=True, return_counts=True)
    weights = 1 / counts[index]
    questions = np.arange(1, last + 1)
    looking, events = times[:, None] >= questions, (times[:, None] == questions) & found[:, None]
    ended = (times[:, None] == questions) & ~found[:, None]
    at_risk, hazard, missing = _product_limit(looking, events, weights)
    with np.errstate(invalid="ignore", divide="ignore"):  # nobody is left, or nobody remains
        change = (events - looking * hazard) / (at_risk * (1 - hazard))
    steps = np.where((at_risk > 0) & (hazard < 1), change, 0.0)
    influence = np.zeros((len(names), last))
    np.add.at(influence, index, weights[:, None] * -missing * steps.cumsum(1))
    by_now = len(times) - (ended.cumsum(1) - ended).sum(0)  # rounds of which it is known
    low, high = clustered_ci(missing, _variance(influence), by_now, np.array(len(names)))
    half_found = np.flatnonzero(missing <= 0.5 + 1e-9)
    return Survival(
        missing=Estimate(missing, low, high, np.full(last, len(names))),
        at_risk=looking.sum(0),
        found=events.sum(0),
        censored=ended.sum(0),
        restricted_mean=_area(missing, influence),
        median=float(questions[half_found[0]]) if len(half_found) else np.nan,
    )


def share_missing(times: Array, found: NDArray[np.bool_], last: int) -> Array:
    """S of the rounds of one participant, (Q,)."""
    questions = np.arange(1, last + 1)
    looking, events = times[:, None] >= questions, (times[:, None] == questions) & found[:, None]
    return _product_limit(looking, events, np.ones(len(times)))[2]


def restricted_mean(missing: Array) -> Array:
    """The area under S, (..., Q), from 0 to the last question."""
    return np.asarray(1 + missing[..., :-1].sum(-1))


def _product_limit(
    looking: NDArray[np.bool_], events: NDArray[np.bool_], weights: Array
) -> tuple[Array, Array, Array]:
    """The weight at risk, the share of it that finds the target, and S, by question."""
    at_risk = weights @ looking
    with np.errstate(invalid="ignore", divide="ignore"):  # nobody is left
        hazard = np.where(at_risk > 0, (weights @ events) / at_risk, 0.0)
    found_all = np.isclose(hazard, 1.0, rtol=0, atol=1e-12)
    hazard = np.where(found_all, 1.0, hazard)
    # Once all have found it, none is missing, though nobody is left to look at.
    return at_risk, hazard, np.where(found_all.cumsum() > 0, 0.0, np.cumprod(1 - hazard))


def _variance(influence: Array) -> Array:
    """Of an estimate, from the participants' influence on it (first axis)."""
    n = len(influence)
    return np.asarray((influence**2).sum(0) * n / (n - 1)) if n > 1 else np.full(influence.shape[1:], np.nan)


def _area(missing: Array, influence: Array) -> Estimate:
    """The area under S from 0 to the last question; its interval is over participants."""
    mean = restricted_mean(missing)
    variance = float(_variance(influence[:, :-1].sum(1)))
    n = len(influence)
    error = math.sqrt(variance) if variance > NO_SPREAD else math.nan
    half = error * float(special.stdtrit(n - 1, 0.975))
    return Estimate(mean, mean - half, mean + half, np.asarray(n))
