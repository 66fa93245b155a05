"""The pool-based learner, its queries and its teachers agree with independent refits and searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import root
from scipy.special import expit

from core import active
from core.active import KINDS, Taught, full_pool_accuracy, teach
from core.errors import SettingError
from core.pools import Pool, pool_example, pool_of
from core.randomness import stream

SEED = 11


def refitted(features: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """The learner's weights by another method: the loss is convex, so they are where its slope is zero."""
    signed = (2.0 * labels - 1.0)[:, None] * features

    def slope(w: NDArray[np.float64]) -> NDArray[np.float64]:
        return w - expit(-signed @ w) @ signed

    def bend(w: NDArray[np.float64]) -> NDArray[np.float64]:
        p = expit(signed @ w)
        return np.eye(len(w)) + (signed * (p * (1 - p))[:, None]).T @ signed

    optimum = root(slope, np.zeros(features.shape[1]), jac=bend, tol=1e-13)
    return np.asarray(optimum.x)


def right(features: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray[np.float64]) -> int:
    return int(((features @ weights > 0) == (labels == 1)).sum())


def known_to_the_learner(
    pool: Pool, queries: list[int], answers: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Everything that the learner knows."""
    features = np.concatenate([pool.start_features, pool.features[queries].reshape(-1, pool.shape[3])])
    return features, np.concatenate([pool.start_labels, np.array(answers, dtype=np.int64)])


def overlapping(replication: int, rows: int = 120, pool: int = 40, width: int = 3) -> Pool:
    """Two classes that overlap, so that there are labels worth switching."""
    draws = stream(SEED, "overlapping", replication).normal(rows * (width + 1)).reshape(rows, width + 1)
    labels = (draws[:, 0] + 0.8 * draws[:, -1] > 0.5).astype(int)
    return pool_of(draws[:, :width], labels, pool, seed=SEED, replication=replication)


def small(replication: int) -> Pool:
    """A few rows to ask about and some to start from, tested on pool plus start."""
    pool = overlapping(replication)
    start = np.concatenate([pool.start_features, pool.features[36:]])
    labels = np.concatenate([pool.start_labels, pool.labels[36:]])
    none = pool.test_features[:0], pool.test_labels[:0]
    return Pool(pool.features[:14], pool.labels[:14], start, labels, *none)


REPLICATIONS = range(3, 8)
POOLS = [overlapping(r) for r in REPLICATIONS]
STEPS = {"random": 15, "alone": 15, "one-step": 15, "full": 6}


@cache
def taught_all(kind: str) -> list[Taught]:
    return teach(POOLS, kind, STEPS[kind], SEED, REPLICATIONS)


def same_decisions(one: Taught, other: Taught) -> bool:
    return all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in ("queries", "answers", "truth", "accuracy", "converged")
    )


# The learner


def test_every_model_is_the_maximum_for_the_labels_that_the_learner_received() -> None:
    for kind in KINDS:
        for pool, taught in zip(POOLS, taught_all(kind), strict=True):
            assert taught.converged
            assert taught.weights.shape == (STEPS[kind] + 1, pool.features.shape[1])
            for t, weights in enumerate(taught.weights):
                known = known_to_the_learner(pool, list(taught.queries[:t]), list(taught.answers[:t]))
                signed = (2.0 * known[1] - 1.0)[:, None] * known[0]
                assert np.abs(weights - expit(-signed @ weights) @ signed).max() < 1e-10
                if kind == "one-step" and t in (0, 1, 15):  # another method finds the same model
                    np.testing.assert_allclose(weights, refitted(*known), rtol=0, atol=1e-10)


def test_no_row_is_asked_about_twice_and_accuracy_is_measured_on_the_test_set() -> None:
    for kind in KINDS:
        for pool, taught in zip(POOLS, taught_all(kind), strict=True):
            assert len(set(taught.queries)) == STEPS[kind]
            np.testing.assert_array_equal(taught.truth, pool.labels[taught.queries])
            counted = [right(pool.test_features, pool.test_labels, weights) for weights in taught.weights]
            np.testing.assert_array_equal(taught.accuracy, np.array(counted) / len(pool.test_labels))
            if kind in ("random", "alone"):  # without a teacher every answer is true
                np.testing.assert_array_equal(taught.answers, taught.truth)
    (taught,) = teach(POOLS[:1], "alone", 40, SEED, [0])
    assert sorted(taught.queries) == list(range(40))  # every row of a pool, if there are enough questions


def test_without_a_test_set_accuracy_is_measured_on_pool_plus_start() -> None:
    pool = pool_example(SEED, 0)
    (taught,) = teach([pool], "alone", 5, SEED, [0])
    features, labels = pool.known
    counted = [right(features, labels, weights) for weights in taught.weights]
    np.testing.assert_array_equal(taught.accuracy, np.array(counted) / 62)


def test_full_pool_accuracy_is_that_of_a_model_that_knows_every_label_of_the_pool() -> None:
    for pool, accuracy in zip(POOLS, full_pool_accuracy(POOLS), strict=True):
        weights = refitted(pool.features, pool.labels)
        assert accuracy == right(pool.test_features, pool.test_labels, weights) / len(pool.test_labels)


# Queries


def test_the_query_is_the_row_whose_label_has_the_largest_entropy() -> None:
    for kind in ("alone", "one-step", "full"):
        for pool, taught in zip(POOLS, taught_all(kind), strict=True):
            for t, query in enumerate(taught.queries):
                p = expit(pool.features @ taught.weights[t])
                entropy = -p * np.log(p) - (1 - p) * np.log(1 - p)
                entropy[taught.queries[:t]] = -np.inf
                assert entropy[query] >= entropy.max() - 1e-12


def turned(across: NDArray[np.float64], height: float) -> NDArray[np.float64]:
    """Rows (1, across, height), turned so that what is equal in theory differs by rounding."""
    plain = np.column_stack([across, np.full(len(across), height)])
    turn = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
    return np.column_stack([np.ones(len(across)), plain @ turn])


def mirrored(start_label: int = 0) -> Pool:
    """A pool whose first model depends on the height alone, so that eight rows are a tie."""
    across = np.array([-2.0, -1.5, -0.5, -0.1, 0.1, 0.5, 1.5, 2.0])
    features = np.concatenate([turned(across, 0.75), turned(across, 0.25)])
    start = np.concatenate([turned(np.zeros(1), 1.0), turned(np.zeros(1), -1.0)])
    labels = np.array([start_label, 1 - start_label])
    return Pool(features, np.repeat(labels, 8), start, labels, start[:0], labels[:0])


def test_ties_are_broken_by_the_noise_of_the_replication() -> None:
    replications = range(40)
    together = teach([mirrored()] * 40, "alone", 1, SEED, replications)
    for r, taught in zip(replications, together, strict=True):
        noise = stream(SEED, "replication", r, "ties").uniform(16)
        assert taught.queries[0] == 8 + noise[8:].argmax()
    assert len({int(taught.queries[0]) for taught in together}) == 8
    batch = teach([mirrored()] * 6, "one-step", 12, SEED, range(6))
    for r, taught in enumerate(batch):  # in the same way alone and in a batch
        assert same_decisions(teach([mirrored()], "one-step", 12, SEED, [r])[0], taught)


def test_a_row_on_the_boundary_is_classified_as_0_despite_rounding() -> None:
    on = turned(np.linspace(-3.0, 3.0, 50), 0.0)
    for start_label, label in product((0, 1), repeat=2):
        tested = replace(mirrored(start_label), test_features=on, test_labels=np.full(50, label))
        assert teach([tested], "alone", 1, SEED, [0])[0].accuracy[0] == 1 - label


def test_random_queries_are_the_first_rows_of_a_shuffled_pool() -> None:
    for r, taught in zip(REPLICATIONS, taught_all("random"), strict=True):
        shuffled = stream(SEED, "replication", r, "random queries").permutation(40)
        np.testing.assert_array_equal(taught.queries, shuffled[:15])
    assert len({tuple(taught.queries) for taught in taught_all("random")}) == len(POOLS)


# Teachers


def test_the_one_step_teacher_switches_a_label_only_if_the_refitted_model_is_better() -> None:
    gains = []
    replications = range(20)
    pools = [small(r) for r in replications]
    for pool, taught in zip(pools, teach(pools, "one-step", 8, SEED, replications), strict=True):
        features = np.concatenate([pool.features, pool.start_features])
        labels = np.concatenate([pool.labels, pool.start_labels])
        for t, (answer, truth) in enumerate(zip(taught.answers, taught.truth, strict=True)):
            counts = []
            for label in (truth, 1 - truth):
                known = known_to_the_learner(
                    pool, list(taught.queries[: t + 1]), [*taught.answers[:t], label]
                )
                counts.append(right(features, labels, refitted(*known)))
            assert answer == (1 - truth if counts[1] > counts[0] else truth)
            gains.append(counts[1] - counts[0])
    assert min(gains) < 0 < max(gains)  # all three cases occurred
    assert 0 in gains


@dataclass(frozen=True)
class Leaf:
    right: int
    switches: tuple[int, ...]  # 1 where the label was switched
    queries: tuple[int, ...]


def leaf(pool: Pool, switches: tuple[int, ...], noise: NDArray[np.float64]) -> Leaf:
    """Where one sequence of labels leads, by one refit after another."""
    queries: list[int] = []
    answers: list[int] = []
    weights = refitted(*known_to_the_learner(pool, queries, answers))
    for switch in switches:
        margins = np.abs(pool.features @ weights)
        margins[queries] = np.inf
        tied = np.flatnonzero(margins <= margins.min() + 1e-8)
        queries.append(int(tied[noise[tied].argmax()]))
        answers.append(int(pool.labels[queries[-1]]) ^ switch)
        weights = refitted(*known_to_the_learner(pool, queries, answers))
    features = np.concatenate([pool.features, pool.start_features])
    labels = np.concatenate([pool.labels, pool.start_labels])
    return Leaf(right(features, labels, weights), switches, tuple(queries))


def test_the_full_planner_agrees_with_a_search_through_all_sequences() -> None:
    horizon, switching, by_switches, by_order = 5, 0, 0, 0
    replications = range(30)
    pools = [small(r) for r in replications]
    together = teach(pools, "full", horizon, SEED, replications)
    for r, pool, taught in zip(replications, pools, together, strict=True):
        noise = stream(SEED, "replication", r, "ties").uniform(len(pool.labels))
        leaves = [leaf(pool, switches, noise) for switches in product((0, 1), repeat=horizon)]
        best = min(leaves, key=lambda one: (-one.right, sum(one.switches), one.switches))
        assert tuple(taught.queries) == best.queries
        assert tuple(taught.answers ^ taught.truth) == best.switches
        assert taught.accuracy[-1] == best.right / 20

        equals = [one.switches for one in leaves if one.right == best.right]
        switching += sum(best.switches) > 0
        by_switches += min(equals) != best.switches
        by_order += sum(sum(one) == sum(best.switches) for one in equals) > 1
    assert switching
    assert by_switches  # each part of the tie rule has decided a case
    assert by_order


def test_in_the_example_uncertainty_sampling_gets_stuck_and_a_full_plan_leads_it_out() -> None:
    replications = range(10)
    pools = [pool_example(0, r) for r in replications]
    alone, full = (teach(pools, kind, 10, 0, replications) for kind in ("alone", "full"))
    assert np.mean([taught.accuracy[-1] for taught in alone]) < 0.85
    assert np.mean([taught.accuracy[-1] for taught in full]) > 0.97
    assert any((taught.answers != taught.truth).any() for taught in full)


# Batches


def test_replications_do_not_depend_on_their_batch_and_large_batches_are_done_in_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in KINDS:
        for r, pool, together in zip(REPLICATIONS, POOLS, taught_all(kind), strict=True):
            (by_itself,) = teach([pool], kind, STEPS[kind], SEED, [r])
            assert same_decisions(by_itself, together)
            np.testing.assert_allclose(by_itself.weights, together.weights, rtol=0, atol=1e-10)
        of_one = 42 * (2 ** STEPS[kind] if kind == "full" else POOLS[0].shape[3])
        with monkeypatch.context() as patch:
            patch.setattr(active, "MOST_NUMBERS", 2 * of_one)  # groups of two
            again = teach(POOLS, kind, STEPS[kind], SEED, REPLICATIONS)
        assert all(same_decisions(a, b) for a, b in zip(again, taught_all(kind), strict=True))
    assert teach([], "alone", 3, SEED, []) == []


# Pools


def test_the_example_has_the_clusters_of_the_figure() -> None:
    pools = [pool_example(SEED, r) for r in range(200)]
    assert pools[0].shape == (60, 2, 0, 3)
    features = np.stack([pool.features for pool in pools])
    assert (features[..., 0] == 1).all()
    clusters = (
        [(-1, 1)] * 6 + [(-1, -1)] * 6 + [(0, 0.5)] * 18 + [(1, 1)] * 6 + [(1, -1)] * 6 + [(0, -0.5)] * 18
    )
    off = features[..., 1:] - np.array(clusters)
    assert np.abs(off.mean(0)).max() < 5 * 0.1 / np.sqrt(200)
    assert off.std() == pytest.approx(0.1, rel=0.02)
    np.testing.assert_array_equal(pools[0].labels, [0] * 30 + [1] * 30)
    np.testing.assert_array_equal(pools[0].start_features, [[1, 0, 0.5], [1, 0, -0.5]])
    np.testing.assert_array_equal(pools[0].start_labels, [0, 1])


def data(rows: int = 300, share: float = 0.2) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    draws = stream(SEED, "data").normal(rows * 4).reshape(rows, 4)
    return draws * [1, 10, 0.1, 3] + [5, -2, 0, 100], (np.arange(rows) < share * rows).astype(np.int64)


def test_a_pool_keeps_the_balance_of_labels_and_uses_every_row_once() -> None:
    for size, share in product((2, 3, 50, 200, 297), (0.01, 0.2, 0.5, 0.99)):
        X, y = data(share=share)
        pool = pool_of(X, y, size, seed=SEED, replication=size)
        assert pool.shape == (size, 2, 298 - size, 5)
        assert sorted(pool.start_labels) == [0, 1]
        balance = (y.sum() - 1) / 298
        assert abs(pool.labels.sum() - size * balance) <= 0.5 or pool.labels.sum() in (1, size - 1)
        assert 0 < pool.labels.sum() < size
        parts = [pool.features, pool.start_features, pool.test_features]
        labels = np.concatenate([pool.labels, pool.start_labels, pool.test_labels])
        rows = np.column_stack([np.concatenate(parts), labels])
        expected = np.column_stack([np.ones(300), (X - X.mean(0)) / X.std(0), y])
        np.testing.assert_array_equal(rows[np.lexsort(rows.T)], expected[np.lexsort(expected.T)])


def test_pools_depend_on_seed_and_replication_alone() -> None:
    X, y = data()
    one, again = (pool_of(X, y, 50, seed=1, replication=2) for _ in range(2))
    np.testing.assert_array_equal(one.features, again.features)
    np.testing.assert_array_equal(one.start_features, again.start_features)
    for other in (pool_of(X, y, 50, seed=1, replication=3), pool_of(X, y, 50, seed=2, replication=2)):
        assert not np.array_equal(one.features, other.features)
    starts = {tuple(pool_of(X, y, 50, seed=1, replication=r).start_features[0]) for r in range(20)}
    assert len(starts) > 10
    assert not np.array_equal(pool_example(1, 2).features, pool_example(1, 3).features)


# Errors

X, Y = data(12, 0.5)
POOL = POOLS[0]


def refuses(problem: str, make: Callable[..., object], **asked: object) -> None:
    with pytest.raises(SettingError, match=problem):
        make(**asked)


def test_impossible_teaching_is_refused_with_the_reason() -> None:
    usual = {"pools": POOLS, "kind": "alone", "steps": 3, "seed": SEED, "replications": REPLICATIONS}
    for changes, problem in (
        ({"kind": "teacher"}, "the kind of teaching is 'teacher'; it must be one of 'random', 'alone'"),
        ({"steps": 41}, "another of the 40 rows of a pool. is 41; .* from 1 to 40"),
        ({"steps": 0}, "is 0; it must be a whole number from 1 to 40"),
        ({"kind": "full", "steps": 13}, "steps is 13; full planning .* at most 12 steps; take fewer, or"),
        ({"replications": [0]}, "pools has 5 entries and replications has 1"),
        ({"pools": [*POOLS[:4], pool_example(0, 0)]}, "the pools differ in size"),
        (
            {"pools": [overlapping(0, 6000, 5000)], "kind": "full", "steps": 12, "replications": [0]},
            "12 steps on 5002 rows needs too much memory; take fewer steps",
        ),
    ):
        refuses(problem, teach, **usual | changes)


def test_data_that_cannot_be_divided_are_refused_with_the_reason() -> None:
    usual = {"features": X, "labels": Y, "pool": 6, "seed": SEED, "replication": 0}
    for changes, problem in (
        ({"pool": 10}, "it leaves 2 rows to start from and at least 1 to test. is 10; .* from 2 to 9"),
        ({"pool": 1}, "is 1; it must be a whole number from 2 to 9"),
        ({"labels": np.zeros(12)}, "labels: both labels, 0 and 1, must occur"),
        ({"labels": np.arange(12) < 1}, "there are 11 rows with label 0 and 1 with label 1; at least 2"),
        ({"labels": np.arange(12)}, "labels must be a list of labels, each 0 or 1"),
        ({"labels": Y[:-1]}, "features has 12 rows and labels has 11"),
        ({"features": np.c_[X, np.full(12, 7)]}, "feature 4 is 7 in every row, .*; leave it out"),
        ({"features": [["a"]] * 12}, "features must be a table of numbers"),
        ({"features": X[:, 0]}, "features has the shape"),
        ({"features": np.where(X[3, 2] == X, np.nan, X)}, "feature 2 of row 3 is nan; every feature must be"),
        ({"features": X[4:8], "labels": Y[4:8], "pool": 2}, "2 with label 1; .* and one more row to test"),
    ):
        refuses(problem, pool_of, **usual | changes)


def test_an_inconsistent_pool_is_refused_with_the_place() -> None:
    for changes, problem in (
        ({"labels": POOL.labels[:-1]}, "features and labels of a pool have the shapes"),
        ({"start_features": np.ones((2, 3))}, "start_features and start_labels of a pool have the shapes"),
        ({"test_labels": POOL.test_labels + 1}, "test_labels must be a list of labels"),
        ({"labels": np.zeros(40, int), "start_labels": np.zeros(2, int)}, "both labels, 0 and 1, must occur"),
    ):
        refuses(problem, Pool, **vars(POOL) | changes)
