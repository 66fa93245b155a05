"""How often, and how soon, did the models ask about the target?

This is what participants were asked for: to help find a word in as few questions as possible.

A round that never asked about the target is known to need more questions than it had.  So the time to find is
censored (``studyapp.reporting.survival``), and its mean is restricted: up to the last question.
Rounds that stopped early count up to where they stopped, on targets that were begun with every model.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Array, Estimate
from studyapp.reporting.survival import Survival, kaplan_meier, restricted_mean, share_missing

__all__ = ["Finding", "Found", "find_targets", "found_questions", "found_shares"]


@dataclass(frozen=True)
class Found:
    """How often and how soon one model found the target."""

    rounds: int
    rounds_found: int
    survival: Survival

    @property
    def by_question(self) -> Estimate:
        """(Q,), the share of rounds with the target found by then."""
        missing = self.survival.missing
        return Estimate(1 - missing.mean, 1 - missing.high, 1 - missing.low, missing.count)

    @property
    def share(self) -> Estimate:
        """The share of rounds with the target found at all."""
        found = self.by_question
        return Estimate(found.mean[-1], found.low[-1], found.high[-1], found.count[-1])

    @property
    def question(self) -> Estimate:
        """The restricted mean number of questions until it was found."""
        return self.survival.restricted_mean


@dataclass(frozen=True)
class Finding:
    found: dict[str, Found]  # by model
    shares: dict[str, Array]  # (P,) by model, of each participant
    times: dict[str, Array]  # (P,) by model, each participant's restricted mean


@dataclass(frozen=True)
class _Rounds:
    """The rounds of one model, (N,)."""

    times: Array  # the question that found the target, or the last one that was asked
    found: NDArray[np.bool_]
    participants: NDArray[np.intp]  # index of the session, in ascending order


def find_targets(sample: Sample) -> Finding:
    rounds = {model: _rounds(sample, model) for model in sample.models}
    by_participant = {model: _by_participant(sample, rounds[model]) for model in sample.models}
    shares = {model: 1 - missing[:, -1] for model, missing in by_participant.items()}
    times = {model: restricted_mean(missing) for model, missing in by_participant.items()}
    return Finding(
        found={
            model: Found(
                len(own.times),
                int(own.found.sum()),
                kaplan_meier(own.times, own.found, own.participants, sample.questions),
            )
            for model, own in rounds.items()
        },
        shares=shares,
        times=times,
    )


def found_shares(sample: Sample, model: str) -> Array:
    """(P, Q), the share of each participant's rounds with the target found, by question."""
    return 1 - _by_participant(sample, _rounds(sample, model))


def found_questions(sample: Sample, model: str) -> Array:
    """(P,), each participant's restricted mean number of questions until the target was found."""
    return restricted_mean(_by_participant(sample, _rounds(sample, model)))


def _rounds(sample: Sample, model: str) -> _Rounds:
    times, found, participants = [], [], []
    for i, session in enumerate(sample.sessions):
        own = session.begun & sample.with_model(session, model)
        found_at = session.found_at[own]
        times.append(np.where(np.isfinite(found_at), found_at, (session.asked[own] >= 0).sum(-1)))
        found.append(np.isfinite(found_at))
        participants.append(np.full(len(found_at), i))
    return _Rounds(np.concatenate(times), np.concatenate(found), np.concatenate(participants))


def _by_participant(sample: Sample, rounds: _Rounds) -> Array:
    """(P, Q), the share of each participant's rounds that have not found the target; NaN without rounds."""
    missing = np.full((len(sample.sessions), sample.questions), np.nan)
    ends = np.searchsorted(rounds.participants, np.arange(len(missing) + 1))
    for i, (begin, end) in enumerate(pairwise(ends)):
        if end > begin:
            missing[i] = share_missing(rounds.times[begin:end], rounds.found[begin:end], sample.questions)
    return missing
