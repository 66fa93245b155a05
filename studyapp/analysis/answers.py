"""How did people answer?  The share of yes by the similarity of the word to the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.rewards import MOST
from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Array, Estimate, proportion_ci

__all__ = ["BANDS", "Answers", "answers_by_similarity"]

# Similarity of a word to the target, which is its reward; the last band is the target itself.
BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.3), (0.3, 0.6), (0.6, MOST), (MOST, 1.0))


@dataclass(frozen=True)
class Answers:
    yes: dict[str, Estimate]  # (bands,) by model
    counts: dict[str, NDArray[np.intp]]  # (bands,) by model, all answers
    naive: Array  # (bands,), how often a naive teacher would have said yes to the same questions


def answers_by_similarity(sample: Sample) -> Answers:
    yes, total = {}, {}
    for model in sample.models:
        yes[model], total[model] = _counts(sample, model)
    return Answers(
        yes={model: proportion_ci(yes[model], total[model]) for model in sample.models},
        counts={model: total[model].sum(0).astype(int) for model in sample.models},
        naive=_mean_rewards(sample),
    )


def _counts(sample: Sample, model: str) -> tuple[Array, Array]:
    """(P, bands), the number of yes, and of all answers."""
    shape = (len(sample.sessions), len(BANDS))
    yes, total = np.zeros(shape), np.zeros(shape)
    for i, session in enumerate(sample.sessions):
        rounds = sample.rounds(session, model)
        for band in range(len(BANDS)):
            inside = _inside(session.reward[rounds], band)
            yes[i, band], total[i, band] = (inside & session.yes[rounds]).sum(), inside.sum()
    return yes, total


def _mean_rewards(sample: Sample) -> Array:
    """The mean reward in every band: the probability that a naive teacher says yes."""
    rewards = np.concatenate([session.reward[session.counted].ravel() for session in sample.sessions])
    by_band = [rewards[_inside(rewards, band)] for band in range(len(BANDS))]
    return np.array([inside.mean() if len(inside) else np.nan for inside in by_band])


def _inside(reward: Array, band: int) -> NDArray[np.bool_]:
    """Which rewards are in a band?  The target's own reward is exactly where the last band begins."""
    low, high = BANDS[band]
    return np.asarray((reward >= low - 1e-9) & ((reward < high - 1e-9) | (band == len(BANDS) - 1)))
