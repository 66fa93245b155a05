"""How did people answer?  The share of yes by the similarity of the word to the target.

Words are counted apart when they are asked for the first time in a round and when they are asked again,
because people answer the two differently: their average describes neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.rewards import MOST
from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Array, Estimate, proportion_ci

__all__ = ["BANDS", "Answers", "AnswersBySimilarity", "answers_by_similarity"]

Choice = Callable[[Extract], NDArray[np.bool_]]  # which answers of a session, (R, Q)

# Similarity of a word to the target, which is its reward; the last band is the target itself.
BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.3), (0.3, 0.6), (0.6, MOST), (MOST, 1.0))


@dataclass(frozen=True)
class Answers:
    """Some answers by band."""

    yes: dict[str, Estimate]  # (bands,) by model
    counts: dict[str, NDArray[np.intp]]  # (bands,) by model
    naive: Array  # (bands,), how often a naive teacher would have said yes to the same questions


@dataclass(frozen=True)
class AnswersBySimilarity:
    all: Answers
    first: Answers  # to words that had not been asked about in the round
    again: Answers  # to words that had been


def answers_by_similarity(sample: Sample) -> AnswersBySimilarity:
    return AnswersBySimilarity(
        all=_answers(sample, lambda session: np.ones_like(session.yes)),
        first=_answers(sample, lambda session: ~session.asked_before),
        again=_answers(sample, lambda session: session.asked_before),
    )


def _answers(sample: Sample, choose: Choice) -> Answers:
    yes, total = {}, {}
    for model in sample.models:
        yes[model], total[model] = _counts(sample, model, choose)
    return Answers(
        yes={model: proportion_ci(yes[model], total[model]) for model in sample.models},
        counts={model: total[model].sum(0).astype(int) for model in sample.models},
        naive=_mean_rewards(sample, choose),
    )


def _counts(sample: Sample, model: str, choose: Choice) -> tuple[Array, Array]:
    """(P, bands), the number of yes, and of answers."""
    shape = (len(sample.sessions), len(BANDS))
    yes, total = np.zeros(shape), np.zeros(shape)
    for i, session in enumerate(sample.sessions):
        chosen = choose(session) & sample.rounds(session, model)[:, None]
        for band in range(len(BANDS)):
            inside = _inside(session.reward, band) & chosen
            yes[i, band], total[i, band] = (inside & session.yes).sum(), inside.sum()
    return yes, total


def _mean_rewards(sample: Sample, choose: Choice) -> Array:
    """The mean reward in every band: the probability that a naive teacher says yes."""
    rewards = np.concatenate(
        [session.reward[choose(session) & session.counted[:, None]] for session in sample.sessions]
    )
    by_band = [rewards[_inside(rewards, band)] for band in range(len(BANDS))]
    return np.array([inside.mean() if len(inside) else np.nan for inside in by_band])


def _inside(reward: Array, band: int) -> NDArray[np.bool_]:
    """Which rewards are in a band?  The target's own reward is exactly where the last band begins."""
    low, high = BANDS[band]
    return np.asarray((reward >= low - 1e-9) & ((reward < high - 1e-9) | (band == len(BANDS) - 1)))
