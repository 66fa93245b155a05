"""Do rewards depend on the order?  Learning over a session, and being the first model with a target.

Some targets are harder than others, and a participant's first targets, or the targets with which a model came
first, may happen to be the easy ones.  So both effects come from one least squares fit per model, with an
intercept of every participant and every target:

    reward = participant + target + first * [the model was the first with the target] + learning * position

where the position counts the participant's targets with the model.  What the two intercepts explain
completely can't be estimated: if everyone had the targets in the same order, learning can't be told from the
words.

The standard error leaves out one participant at a time (the jackknife over clusters, CV3 of MacKinnon,
Nielsen and Webb, 2023), since the rounds of one participant are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Sample
from studyapp.reporting.paired import Test, no_test, tested
from studyapp.reporting.statistics import Array, Estimate, mean_ci

FIXED = 1e-9  # share of an effect's variation that intercepts must leave
EFFECTS = 2  # first, position


@dataclass(frozen=True)
class Order:
    """Order effects on the reward of a round, by model."""

    first: dict[str, Test]  # being the first model with a target
    learning: dict[str, Test]  # change from one target to the next
    by_position: dict[str, Estimate]  # (targets,), in the order in which a participant had them


def order_effects(sample: Sample) -> Order:
    effects = {model: _effects(sample, model) for model in sample.models}
    return Order(
        first={model: both[0] for model, both in effects.items()},
        learning={model: both[1] for model, both in effects.items()},
        by_position={model: mean_ci(_by_position(sample, model)) for model in sample.models},
    )


def _effects(sample: Sample, model: str) -> tuple[Test, Test]:
    """Both effects on the reward of a round with a model."""
    targets = {target: i for i, target in enumerate(sample.targets)}
    moments = np.array([_moments(session, sample, model, targets) for session in sample.sessions])
    reasons = (
        "in no two rounds with the same target, one was first and the other was not",
        "everyone had the targets in the same order",
    )
    first, learning = (_effect(moments, len(targets) + k, len(targets), reasons[k]) for k in range(EFFECTS))
    return first, learning


def _moments(session: Extract, sample: Sample, model: str, targets: dict[str, int]) -> Array:
    """One participant's sums of products of targets, effects and reward, without the participant's mean."""
    rounds = sample.rounds(session, model)
    own = [round_ for round_, counts in zip(session.plan, rounds, strict=True) if counts]
    columns = np.zeros((len(own), len(targets) + EFFECTS + 1))
    columns[np.arange(len(own)), [targets[round_.target] for round_ in own]] = 1.0
    columns[:, -3] = _is_first(session)[rounds]
    columns[:, -2] = np.arange(len(own))
    columns[:, -1] = session.reward[rounds].sum(-1)
    columns -= columns.mean(0)
    return np.asarray(columns.T @ columns)


def _is_first(session: Extract) -> Array:
    """(R,), 1 where no other model had the round's target before."""
    seen: set[tuple[bool, str]] = set()
    first = []
    for round_ in session.plan:
        first.append((round_.practice, round_.target) not in seen)
        seen.add((round_.practice, round_.target))
    return np.array(first, dtype=float)


def _effect(moments: Array, column: int, targets: int, fixed: str) -> Test:
    """One effect, beside the intercepts and the other effect, and its jackknife over participants."""
    total, count = moments.sum(0), len(moments)
    estimate = _slope(total, column, targets)
    if not np.isfinite(estimate):
        return no_test(fixed, count=count)
    without = np.array([_slope(total - own, column, targets) for own in moments])
    if count < 3 or not np.isfinite(without).all():
        return no_test("there are too few participants", estimate, count)
    error = float(np.sqrt((count - 1) / count * ((without - estimate) ** 2).sum()))
    if error <= 1e-12 * max(1.0, abs(estimate)):
        return no_test("no participant changes it", estimate, count)
    return tested(estimate, error, count - 1, count)


def _slope(moments: Array, column: int, targets: int) -> float:
    """The least squares coefficient of a column, after targets and the other effect; NaN if there is none."""
    others = [i for i in range(targets + EFFECTS) if i != column]
    inner = np.linalg.pinv(moments[np.ix_(others, others)], rcond=1e-10, hermitian=True)
    ahead, on_reward = moments[others, column], moments[others, -1]
    own = moments[column, column]
    left = own - ahead @ inner @ ahead
    if own <= 0 or left <= FIXED * own:
        return float("nan")
    return float((moments[column, -1] - ahead @ inner @ on_reward) / left)


def _by_position(sample: Sample, model: str) -> Array:
    """(P, targets), the rewards of each participant's rounds in their order; NaN after the last."""
    rewards = np.full((len(sample.sessions), len(sample.targets)), np.nan)
    for i, session in enumerate(sample.sessions):
        own = session.reward[sample.rounds(session, model)].sum(-1)[: rewards.shape[1]]
        rewards[i, : len(own)] = own
    return rewards
