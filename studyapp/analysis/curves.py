"""Question by question: how much reward did the models earn, and how many targets had they found?

Reward, as published (section 4.3, supplement G): practice rounds are left out; for every participant and
model, the cumulative reward after each question is averaged over targets; models are compared by a paired
t-test over participants after every question from the second on (the first question is the same for all
models).

Finding the target is what participants were asked for: to help find a word in as few questions as possible.
Rounds that count are complete.  One that never asked about the target counts with all its questions, so the
mean number of questions is restricted: up to the last question.  Participants weigh the same, whatever their
number of rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studyapp.analysis.outcomes import FOUND, TIME
from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.statistics import Array, Comparison, Estimate, clustered_ci, compare, mean_ci

NO_SPREAD = 1e-9  # questions


@dataclass(frozen=True)
class Rewards:
    """Cumulative rewards by question."""

    curves: dict[str, Array]  # (P, Q) by model, of each participant
    means: dict[str, Estimate]  # (Q,) by model
    random: Array  # (Q,), expected from random questions
    compared_questions: NDArray[np.intp]  # (Q - 1,), from the second on
    comparisons: dict[Pair, Comparison]  # (Q - 1,) by pair of models


@dataclass(frozen=True)
class Found:
    """How often and how soon one model found the target."""

    rounds: int
    found: int  # of these rounds
    by_question: Estimate  # (Q,), the share of rounds with the target found by then
    question: Estimate  # the restricted mean number of questions until it was found

    @property
    def share(self) -> Estimate:
        """The share of rounds with the target found at all."""
        return Estimate(*(values[-1] for values in vars(self.by_question).values()))


def compare_rewards(sample: Sample) -> Rewards:
    curves = {
        model: sample.by_participant(model, lambda session, rounds: session.reward[rounds].cumsum(-1).mean(0))
        for model in sample.models
    }
    return Rewards(
        curves=curves,
        means={model: mean_ci(curve) for model, curve in curves.items()},
        random=_random_curve(sample),
        compared_questions=np.arange(2, sample.questions + 1),
        comparisons={
            (one, other): compare(curves[one][:, 1:], curves[other][:, 1:]) for one, other in sample.pairs
        },
    )


def _random_curve(sample: Sample) -> Array:
    """The expected cumulative reward if every question is about a random word."""
    return np.arange(1.0, sample.questions + 1.0) * float(sample.loaded.rewards(sample.targets).mean())


def find_targets(sample: Sample) -> dict[str, Found]:
    return {model: _found(sample, model) for model in sample.models}


def _found(sample: Sample, model: str) -> Found:
    own = [sample.rounds(session, model) for session in sample.sessions]
    rounds = sum(int(which.sum()) for which in own)
    hits = sum(
        int(FOUND.of_rounds(session)[which].sum())
        for session, which in zip(sample.sessions, own, strict=True)
    )
    questions = np.arange(1, sample.questions + 1)
    shares = sample.by_participant(
        model, lambda session, rounds: (session.found_at[rounds, None] <= questions).mean(0)
    )
    times = TIME.of_participants(sample, model)
    known = np.isfinite(times)
    return Found(rounds, hits, share_ci(shares[known], rounds), time_ci(times[known]))


def share_ci(shares: Array, rounds: int) -> Estimate:
    """The mean share of participants (P, Q), with an exact interval that allows them to differ."""
    people = np.full(shares.shape[1], len(shares))
    with np.errstate(invalid="ignore", divide="ignore"):  # one participant
        variance = shares.var(0) / np.float64(len(shares) - 1)
    mean = shares.mean(0)
    return Estimate(mean, *clustered_ci(mean, variance, np.asarray(rounds), people), people)


def time_ci(times: Array) -> Estimate:
    """The mean of participants (P,), without an interval where all have the same."""
    estimate = mean_ci(times)
    if np.ptp(times) > NO_SPREAD:
        return estimate
    return Estimate(estimate.mean, np.asarray(np.nan), np.asarray(np.nan), estimate.count)
