"""How often, and how soon, did the models ask about the target?

This is what participants were asked for: to help find a word in as few questions as possible.

Rounds that count are complete.  One that never asked about the target counts with all its questions, so the
mean number of questions is restricted: up to the last question.  Participants weigh the same, whatever their
number of rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Array, Estimate, clustered_ci, mean_ci

__all__ = ["Finding", "Found", "find_targets", "found_questions", "found_shares"]

NO_SPREAD = 1e-9  # questions


@dataclass(frozen=True)
class Found:
    """How often and how soon one model found the target."""

    rounds: int
    rounds_found: int
    by_question: Estimate  # (Q,), the share of rounds with the target found by then
    question: Estimate  # the restricted mean number of questions until it was found

    @property
    def share(self) -> Estimate:
        """The share of rounds with the target found at all."""
        return Estimate(*(values[-1] for values in vars(self.by_question).values()))


@dataclass(frozen=True)
class Finding:
    found: dict[str, Found]  # by model
    shares: dict[str, Array]  # (P,) by model, of each participant
    times: dict[str, Array]  # (P,) by model, each participant's restricted mean


def find_targets(sample: Sample) -> Finding:
    shares = {model: found_shares(sample, model) for model in sample.models}
    times = {model: found_questions(sample, model) for model in sample.models}
    return Finding(
        found={model: _found(sample, model, shares[model], times[model]) for model in sample.models},
        shares={model: own[:, -1] for model, own in shares.items()},
        times=times,
    )


def found_shares(sample: Sample, model: str) -> Array:
    """(P, Q), the share of each participant's rounds with the target found, by question."""
    questions = np.arange(1, sample.questions + 1)
    return sample.by_participant(
        model, lambda session, rounds: (session.found_at[rounds, None] <= questions).mean(0)
    )


def found_questions(sample: Sample, model: str) -> Array:
    """(P,), each participant's restricted mean number of questions until the target was found."""
    last = sample.questions
    return sample.by_participant(
        model, lambda session, rounds: float(np.nan_to_num(session.found_at[rounds], nan=last).mean())
    )


def _found(sample: Sample, model: str, shares: Array, times: Array) -> Found:
    rounds = sum(int(sample.rounds(session, model).sum()) for session in sample.sessions)
    hits = sum(
        int(np.isfinite(session.found_at[sample.rounds(session, model)]).sum()) for session in sample.sessions
    )
    known = np.isfinite(times)
    return Found(rounds, hits, _share(shares[known], rounds), _mean(times[known]))


def _share(shares: Array, rounds: int) -> Estimate:
    """The mean share, with an exact interval that allows participants to differ."""
    people = np.full(shares.shape[1], len(shares))
    with np.errstate(invalid="ignore", divide="ignore"):  # one participant
        variance = shares.var(0) / np.float64(len(shares) - 1)
    mean = shares.mean(0)
    return Estimate(mean, *clustered_ci(mean, variance, np.asarray(rounds), people), people)


def _mean(times: Array) -> Estimate:
    """The mean, without an interval where all participants have the same."""
    estimate = mean_ci(times)
    if np.ptp(times) > NO_SPREAD:
        return estimate
    return Estimate(estimate.mean, np.asarray(np.nan), np.asarray(np.nan), estimate.count)
