"""Do rewards depend on the order?  Learning over a session, and being the first model with a target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Rounds, Sample
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, mean_ci

__all__ = ["Effect", "Order", "order_effects"]


@dataclass(frozen=True)
class Effect:
    """The mean of one number per participant, and whether it differs from 0."""

    estimate: Estimate
    comparison: Comparison


@dataclass(frozen=True)
class Order:
    """Order effects on the reward of a round, by model."""

    first: dict[str, Effect]  # where the model was the first with a target, minus where it was not
    learning: dict[str, Effect]  # change from one target to the next
    by_position: dict[str, Estimate]  # (targets,), in the order in which a participant had them


def order_effects(sample: Sample) -> Order:
    rounds = {
        model: [(session, sample.rounds(session, model)) for session in sample.sessions]
        for model in sample.models
    }
    return Order(
        first={model: _effect([_gain_of_first(*pair) for pair in rounds[model]]) for model in sample.models},
        learning={
            model: _effect([_slope(_round_rewards(*pair)) for pair in rounds[model]])
            for model in sample.models
        },
        by_position={
            model: mean_ci(_padded([_round_rewards(*pair) for pair in rounds[model]], len(sample.targets)))
            for model in sample.models
        },
    )


def _round_rewards(session: Extract, rounds: Rounds) -> Array:
    """The cumulative reward of each round."""
    return np.asarray(session.reward[rounds].sum(-1))


def _gain_of_first(session: Extract, rounds: Rounds) -> float:
    seen: set[tuple[bool, str]] = set()
    is_first = []
    for round_ in session.plan:
        is_first.append((round_.practice, round_.target) not in seen)
        seen.add((round_.practice, round_.target))
    first = np.array(is_first)[rounds]
    if not first.any() or first.all():
        return np.nan
    rewards = _round_rewards(session, rounds)
    return float(rewards[first].mean() - rewards[~first].mean())


def _slope(rewards: Array) -> float:
    """The change from one round to the next, by least squares."""
    if len(rewards) < 3:
        return np.nan
    x = np.arange(len(rewards)) - (len(rewards) - 1) / 2
    return float(x @ rewards / (x @ x))


def _effect(values: list[float]) -> Effect:
    column = np.array(values)[:, None]
    return Effect(mean_ci(column[:, 0]), compare(column, np.zeros_like(column)))


def _padded(rows: list[Array], width: int) -> Array:
    """(rows, width), with NaN after the end of shorter rows."""
    padded = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row[:width]
    return padded
