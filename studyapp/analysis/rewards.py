"""How much reward did the models earn?  Reward curves and their comparison.

As published (section 4.3, supplement G): practice rounds are left out; for every participant and model, the
cumulative reward after each question is averaged over targets; models are compared by a paired t-test over
participants after every question from the second on (the first question is the same for all models).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, mean_ci

__all__ = ["Rewards", "compare_rewards", "reward_curves"]


@dataclass(frozen=True)
class Rewards:
    """Cumulative rewards by question."""

    curves: dict[str, Array]  # (P, Q) by model, of each participant
    means: dict[str, Estimate]  # (Q,) by model
    random: Array  # (Q,), expected from random questions
    compared_questions: NDArray[np.intp]  # (Q - 1,), from the second on
    comparisons: dict[Pair, Comparison]  # (Q - 1,) by pair of models


def compare_rewards(sample: Sample) -> Rewards:
    curves = {model: reward_curves(sample, model) for model in sample.models}
    return Rewards(
        curves=curves,
        means={model: mean_ci(curve) for model, curve in curves.items()},
        random=_random_curve(sample),
        compared_questions=np.arange(2, sample.questions + 1),
        comparisons={
            (one, other): compare(curves[one][:, 1:], curves[other][:, 1:]) for one, other in sample.pairs
        },
    )


def reward_curves(sample: Sample, model: str) -> Array:
    """(P, Q), each participant's cumulative reward by question, averaged over targets."""
    return sample.by_participant(model, lambda session, rounds: session.reward[rounds].cumsum(-1).mean(0))


def _random_curve(sample: Sample) -> Array:
    """The expected cumulative reward if every question is about a random word."""
    loaded = sample.loaded
    return np.arange(1.0, sample.questions + 1.0) * float(loaded.rewards(sample.targets).mean())
