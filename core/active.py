"""A learner that picks what to ask from a pool, and a teacher who may switch labels to steer it.

The learner is a logistic regression with an L2 penalty, C = 1: its weights w minimise

    |w|^2 / 2  +  C sum_i log(1 + exp(-s_i x_i'w)),       s = +1 for label 1 and -1 for label 0,

over the labels it has received; a constant first column gives the intercept.  This is the naive learner of
core.posterior with tau = sqrt(C).  It asks by uncertainty sampling: about the row of the pool, not asked
before, whose label has the largest entropy under the model, which is the one with the smallest |x'w|.
Uncertainty sampling can get stuck where classes meet and never see the rest (Figure 1 of the paper).  A
teacher who knows all labels can lead it out (supplements B and F.1):

    random      no teacher and no plan: queries drawn at random, true labels
    alone       uncertainty sampling, true labels
    one-step    tries both labels and gives the one that makes the model more accurate
    full        tries every sequence of labels and follows the one that ends with the highest accuracy

A teacher measures accuracy on pool plus start and switches no label without need: of equally good
sequences, it takes the one with the fewest switched labels, then the one that stays true the longest.

Replications run side by side, and none depends on the others: fits continue to their maximum, a difference
by rounding is a tie, and ties are broken by the replication's own noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.likelihoods import Evidence
from core.pools import Pool
from core.posterior import fit_naive
from core.randomness import stream
from core.selection import TIE

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

KINDS = ("random", "alone", "one-step", "full")
MOST_PLANNED = 12  # steps of full planning: 4,096 sequences of labels
MOST_NUMBERS = 2**22  # in the largest array of a group of replications that run side by side
MOST_NUMBERS_OF_A_PLAN = 2**24  # the same for a replication that fills a group alone
TAU = 1.0  # sqrt(C)


@dataclass(frozen=True, eq=False)
class Taught:
    """The course of one replication, answer by answer."""

    accuracy: NDArray[np.float64]  # (T + 1,), after 0..T answers
    queries: NDArray[np.int64]  # (T,), rows of the pool
    answers: NDArray[np.int64]  # (T,), the labels that the learner received
    truth: NDArray[np.int64]  # (T,), the true labels of the same rows
    weights: NDArray[np.float64]  # (T + 1, M), the model after 0..T answers
    converged: bool  # is each of these models at its maximum?


def teach(
    pools: Sequence[Pool], kind: str, steps: int, seed: int, replications: Sequence[int]
) -> list[Taught]:
    """Let a learner ask ``steps`` queries in every pool; pool i is replication number replications[i]."""
    checks.one_of("the kind of teaching", kind, KINDS)
    if len(pools) != len(replications):
        raise SettingError(
            f"pools has {len(pools)} entries and replications has {len(replications)}; each pool needs one"
        )
    if not pools:
        return []
    shape = pools[0].shape
    if any(pool.shape != shape for pool in pools):
        raise SettingError("the pools differ in size; all must have the same numbers of rows and features")
    checks.whole(f"steps (each asks about another of the {shape[0]} rows of a pool)", steps, 1, shape[0])
    if kind == "full" and steps > MOST_PLANNED:
        raise SettingError(
            f"steps is {steps}; full planning tries all 2^steps sequences of labels, so it can take at most "
            f"{MOST_PLANNED} steps; take fewer, or use the kind 'one-step'"
        )
    sequences, rows = 2**steps if kind == "full" else 2, shape[0] + shape[1]
    if kind == "full" and sequences * rows > MOST_NUMBERS_OF_A_PLAN:
        raise SettingError(
            f"full planning of {steps} steps on {rows} rows needs too much memory; take fewer steps or a "
            "smaller pool, or use the kind 'one-step'"
        )
    group = max(1, MOST_NUMBERS // (rows * max(sequences, shape[3])))
    taught = []
    for first in range(0, len(pools), group):
        part = slice(first, first + group)
        taught += _teach_group(pools[part], kind, steps, seed, replications[part])
    return taught


def full_pool_accuracy(pools: Sequence[Pool]) -> NDArray[np.float64]:
    """For each pool, the accuracy of the model that knows the true label of every row of the pool."""
    accuracies = []
    for pool in pools:
        start = np.zeros((1, 1, pool.features.shape[1]))
        weights, _ = _fit(pool.features[None], _signs(pool.labels)[None], start)
        accuracies.append(_accuracy(pool, weights)[0])
    return np.array(accuracies)


@dataclass(frozen=True, eq=False)
class _Pools:
    """The pools of R replications, all of one shape."""

    features: Array  # (R, N, M)
    signs: Array  # (R, N): +1 for label 1, -1 for label 0
    start_features: Array  # (R, S, M)
    start_signs: Array  # (R, S)
    known_features: Array  # (R, N + S, M)
    known_labels: Whole  # (R, N + S)
    reach: Array  # (R, 1), the length of the longest row
    noise: Array  # (R, N), which breaks ties


@dataclass(frozen=True, eq=False)
class _Histories:
    """K possible histories of each of R replications, t answers long."""

    queries: Whole  # (R, K, t)
    signs: Array  # (R, K, t), of the labels given
    switched: Whole  # (R, K), the number of labels that are not true
    weights: Array  # (R, K, t + 1, M)
    converged: NDArray[np.bool_]  # (R, K)

    def only(self, best: NDArray[np.intp]) -> _Histories:
        """History number ``best`` (R,) of each replication."""
        rows, ways = np.arange(len(best))[:, None], best[:, None]
        return _Histories(*(part[rows, ways] for part in vars(self).values()))


def _teach_group(
    pools: Sequence[Pool], kind: str, steps: int, seed: int, replications: Sequence[int]
) -> list[Taught]:
    batch = _side_by_side(pools, seed, replications)
    if kind == "random":
        drawn = _drawn(batch.signs.shape[1], seed, replications)
    histories = _started(batch)
    for step in range(steps):
        queries = drawn[:, step : step + 1] if kind == "random" else _most_uncertain(batch, histories)
        histories = _answered(batch, histories, queries, both=kind in ("one-step", "full"))
        if kind == "one-step":
            histories = histories.only(_best(batch, histories))
    if kind == "full":
        histories = histories.only(_best(batch, histories))
    return [_result(pool, histories, i) for i, pool in enumerate(pools)]


def _result(pool: Pool, histories: _Histories, i: int) -> Taught:
    queries, weights = histories.queries[i, 0].copy(), histories.weights[i, 0]
    answers = (histories.signs[i, 0] > 0).astype(np.int64)
    converged = bool(histories.converged[i, 0])
    return Taught(_accuracy(pool, weights), queries, answers, pool.labels[queries], weights.copy(), converged)


def _side_by_side(pools: Sequence[Pool], seed: int, replications: Sequence[int]) -> _Pools:
    rows = pools[0].shape[0]
    known = [pool.known for pool in pools]
    features = np.stack([features for features, _ in known])
    labels = np.stack([labels for _, labels in known])
    signs = _signs(labels)
    noise = np.stack([stream(seed, "replication", r, "ties").uniform(rows) for r in replications])
    return _Pools(
        features[:, :rows],
        signs[:, :rows],
        features[:, rows:],
        signs[:, rows:],
        features,
        labels,
        _reach(features),
        noise,
    )


def _drawn(rows: int, seed: int, replications: Sequence[int]) -> Whole:
    """Every replication's pool in random order, (R, N)."""
    orders = [stream(seed, "replication", r, "random queries").permutation(rows) for r in replications]
    return np.stack(orders)


def _started(batch: _Pools) -> _Histories:
    """The histories before the first query: the model knows only the start."""
    replications, _, dimension = batch.features.shape
    nowhere = np.zeros((replications, 1, dimension))
    weights, converged = _fit(batch.start_features, batch.start_signs, nowhere)
    none = np.zeros((replications, 1, 0), dtype=np.int64)
    return _Histories(none, none.astype(np.float64), none.sum(-1), weights[:, None, None], converged[:, None])


def _most_uncertain(batch: _Pools, histories: _Histories) -> Whole:
    """The next query (R, K) of every history."""
    weights = histories.weights[:, :, -1]
    margins = np.abs(weights @ batch.features.swapaxes(1, 2))  # (R, K, N)
    np.put_along_axis(margins, histories.queries, np.inf, -1)
    level = margins.min(-1) + _rounding(batch.reach, weights)
    tied = margins <= level[..., None]
    return np.asarray(np.where(tied, batch.noise[:, None], -1.0).argmax(-1))


def _answered(batch: _Pools, histories: _Histories, queries: Whole, both: bool) -> _Histories:
    """Every history with one more answer: the true label or, with ``both``, also the switched one."""
    replications, before = queries.shape
    ways = 2 if both else 1
    after = before * ways
    true = np.take_along_axis(batch.signs, queries, -1)
    asked = np.concatenate([histories.queries, queries[..., None]], -1).repeat(ways, 1)
    answer = np.stack([true, -true][:ways], -1).reshape(replications, after, 1)
    given = np.concatenate([histories.signs.repeat(ways, 1), answer], -1)
    path = histories.weights.repeat(ways, 1)

    rows = np.arange(replications)[:, None, None]
    start_features = batch.start_features[:, None].repeat(after, 1)
    features = np.concatenate([start_features, batch.features[rows, asked]], 2)
    signs = np.concatenate([batch.start_signs[:, None].repeat(after, 1), given], 2)
    each = replications * after
    weights, converged = _fit(
        features.reshape(each, *features.shape[2:]),
        signs.reshape(each, -1),
        path[:, :, -1].reshape(each, 1, -1),
    )
    return _Histories(
        asked,
        given,
        histories.switched.repeat(ways, 1) + np.tile(np.arange(ways), before),
        np.concatenate([path, weights.reshape(replications, after, 1, -1)], 2),
        histories.converged.repeat(ways, 1) & converged.reshape(replications, after),
    )


def _best(batch: _Pools, histories: _Histories) -> NDArray[np.intp]:
    """The best history (R,) of each replication.

    At every answer the true label comes before the switched one, so the first of equally good histories is
    the one that stays true the longest.
    """
    right = _right(batch.known_features, batch.known_labels, batch.reach, histories.weights[:, :, -1])
    merit = right * (histories.queries.shape[-1] + 1) - histories.switched
    return np.asarray(merit.argmax(-1))  # the first of equals


def _accuracy(pool: Pool, weights: Array) -> NDArray[np.float64]:
    """The accuracy of models (K, M) on one pool."""
    features, labels = pool.scored
    right = _right(features[None], labels[None], _reach(features[None]), weights[None])
    return np.asarray(right[0] / len(labels))


def _right(features: Array, labels: Whole, reach: Array, weights: Array) -> Whole:
    """The number of rows (R, N, M) with labels (R, N) that each model (R, K, M) gets right, (R, K)."""
    predicted = weights @ features.swapaxes(1, 2) > _rounding(reach, weights)[..., None]
    return np.asarray((predicted == labels.astype(bool)[:, None]).sum(-1))


def _reach(features: Array) -> Array:
    """The length of the longest row (R, 1)."""
    return np.asarray(np.linalg.norm(features, axis=-1).max(-1, keepdims=True))


def _rounding(reach: Array, weights: Array) -> Array:
    """How far rounding may move x'w; a row this close to the boundary is on it and is classified as 0."""
    return np.asarray(TIE * reach * np.linalg.norm(weights, axis=-1))


def _fit(features: Array, signs: Array, start: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Weights (B, M) from features (B, n, M) and signs (B, n), and which have converged (B,).

    The fit climbs from start (B, 1, M).
    """
    posterior = fit_naive(Evidence.without_plans(features, signs), TAU, start)
    return posterior.mean, posterior.fit.converged


def _signs(labels: NDArray[np.int64]) -> Array:
    return np.asarray(2.0 * labels - 1.0)
