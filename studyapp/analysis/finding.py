"""How often, and how soon, did the models ask about the target?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Pair, Rounds, Sample
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, mean_ci

__all__ = ["Finding", "Found", "FoundComparison", "compare_finding", "found_questions", "found_shares"]


@dataclass(frozen=True)
class Found:
    """How often and how soon one model found the target, over participants."""

    by_question: Estimate  # (Q,), share of rounds with the target found by then
    share: Estimate  # share of rounds with the target found at all
    question: Estimate  # the question that found it; a round that never did counts as one after the last


@dataclass(frozen=True)
class FoundComparison:
    """Two models compared in the share of rounds and in the question."""

    share: Comparison
    question: Comparison


@dataclass(frozen=True)
class Finding:
    found: dict[str, Found]  # by model
    comparisons: dict[Pair, FoundComparison]


def compare_finding(sample: Sample) -> Finding:
    shares = {model: found_shares(sample, model) for model in sample.models}
    moments = {model: found_questions(sample, model) for model in sample.models}
    return Finding(
        found={
            model: Found(
                by_question=_share_ci(shares[model]),
                share=_share_ci(shares[model][:, -1]),
                question=mean_ci(moments[model]),
            )
            for model in sample.models
        },
        comparisons={
            (one, other): FoundComparison(
                share=compare(shares[one][:, -1:], shares[other][:, -1:]),
                question=compare(moments[one][:, None], moments[other][:, None]),
            )
            for one, other in sample.pairs
        },
    )


def found_shares(sample: Sample, model: str) -> Array:
    """(P, Q), the share of each participant's rounds with the target found, by question."""
    return sample.by_participant(model, _share_by_question)


def found_questions(sample: Sample, model: str) -> Array:
    """(P,), the mean question that found the target; a round that never did counts as one after the last."""
    return sample.by_participant(model, _mean_question)


def _share_by_question(session: Extract, rounds: Rounds) -> Array:
    questions = np.arange(1, session.study.questions + 1)
    return np.asarray((session.found_at[rounds, None] <= questions).mean(0))


def _mean_question(session: Extract, rounds: Rounds) -> float:
    never = session.study.questions + 1
    return float(np.nan_to_num(session.found_at[rounds], nan=never).mean())


def _share_ci(shares: Array) -> Estimate:
    """The interval of a mean of shares, which lies within 0 to 1."""
    estimate = mean_ci(shares)
    return Estimate(estimate.mean, np.clip(estimate.low, 0, 1), np.clip(estimate.high, 0, 1), estimate.count)
