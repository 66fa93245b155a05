"""Thompson probabilities, and what they say is asked next, agree with exact cases and brute force."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from strategies import FEATURES

from core import Learner
from core.gaussian import Gaussian
from core.thompson import (
    PriorDraws,
    best_arm,
    count_winners,
    normal_points,
    rao_blackwell,
    winners_and_heights,
)

Array = NDArray[np.float64]
History = list[tuple[int, int]]
Estimate = Callable[[Gaussian, Array, PriorDraws], Array]
MANY = 1_000_000  # draws, for differences


def drawn(samples: int, M: int, seed: int) -> PriorDraws:
    return PriorDraws(normal_points(samples, M, seed)[None], None)


def some_gaussian(M: int, seed: int) -> Gaussian:
    """Some Gaussian over M weights, as a batch of one."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(M, M)) / math.sqrt(M) + np.eye(M)
    return Gaussian(rng.normal(size=(1, M)), None, root[None], 1.0)


def some_arms(K: int, M: int, seed: int) -> Array:
    """(1, K, M)"""
    return np.random.default_rng(seed).normal(size=(1, K, M))


def after(arms: Array, history: History) -> Gaussian:
    """The naive learner's posterior."""
    posterior = Learner(arms, teacher="naive").condition(history)
    assert posterior.mean is not None
    assert posterior.cov is not None
    precision = np.linalg.inv(posterior.cov)
    factor = np.linalg.inv(np.linalg.cholesky(precision)).T
    return Gaussian(posterior.mean[None], None, factor[None], 2.0)


def brute_force(learner: Gaussian, arms: Array, draws: int = 200_000) -> Array:
    """How often each arm is the best in this number of independent draws."""
    rng = np.random.default_rng(0)
    wins = np.zeros(arms.shape[1])
    for _ in range(draws // 10_000):
        theta = learner.mean[0] + rng.normal(size=(10_000, arms.shape[2])) @ learner.factor[0].T
        wins += np.bincount((theta @ arms[0].T).argmax(1), minlength=arms.shape[1])
    return wins / draws


# Exact cases


def test_two_independent_arms_have_the_probability_of_a_difference_of_normals_and_equal_ones_share() -> None:
    learner = Gaussian(np.array([[0.3, -0.2]]), None, np.diag([1.5, 0.8])[None], 1.0)
    exact = stats.norm.cdf(0.5 / math.hypot(1.5, 0.8))
    equal = Gaussian(np.zeros((1, 5)), None, 2 * np.eye(5)[None], 1.0)
    for estimate in (rao_blackwell, count_winners, winners_and_heights):
        (p,) = estimate(learner, np.eye(2)[None], drawn(2**14, 2, seed=1))
        assert p.tolist() == pytest.approx([exact, 1 - exact], abs=1e-3)
        (p,) = estimate(equal, np.eye(5)[None], drawn(2**16, 5, seed=0))
        assert p.tolist() == pytest.approx([0.2] * 5, abs=2e-3)


def test_two_equal_arms_share_the_probability_of_one_and_change_no_next_question() -> None:
    for estimate in (rao_blackwell, count_winners):
        learner, arms = some_gaussian(5, seed=3), some_arms(5, 5, seed=3)
        twice, draws = np.concatenate([arms, arms[:, :1]], 1), drawn(2**14, 5, seed=0)
        (alone,), (shared,) = (estimate(learner, each, draws) for each in (arms, twice))
        assert shared[0] + shared[5] == pytest.approx(alone[0], abs=5e-3)
    learner, arms = some_gaussian(6, seed=3), some_arms(30, 6, seed=3)
    twice, draws = np.concatenate([arms, arms[:, :1]], 1), drawn(1024, 6, seed=0)
    alone, shared = (winners_and_heights(learner, each, draws) @ each[0] for each in (arms, twice))
    np.testing.assert_allclose(shared, alone, rtol=0, atol=1e-9)


def test_the_features_of_an_arm_that_always_wins_are_the_next_question_exactly() -> None:
    learner, arms = some_gaussian(4, seed=1), some_arms(30, 4, seed=1)
    winner = 1e3 * learner.mean[0] / np.linalg.norm(learner.mean[0]) ** 2  # its value is about 1000
    steady = Gaussian(learner.mean, None, 1e-3 * learner.factor, 1.0)
    arms = np.concatenate([arms, winner[None, None]], 1)
    S = winners_and_heights(steady, arms, drawn(64, 4, seed=0)) @ arms[0]
    np.testing.assert_allclose(S[0], winner, rtol=1e-9)


def test_what_all_arms_have_more_of_is_in_the_next_question_exactly() -> None:
    for seed in range(3):
        learner, arms = some_gaussian(5, seed), some_arms(30, 5, seed)
        more = np.random.default_rng(seed + 10).normal(size=5)
        S, moved = (winners_and_heights(learner, X, drawn(64, 5, seed)) @ X[0] for X in (arms, arms + more))
        np.testing.assert_allclose(moved - S, more[None], rtol=0, atol=1e-9)


# Brute force


HISTORIES: list[History] = [
    [],
    [(3, 1), (11, 0), (5, 1)],
    [(3, 1), (4, 1), (5, 0), (8, 0), (9, 0), (12, 0), (15, 0), (1, 1), (2, 1), (0, 1)],
]


def test_probabilities_agree_with_brute_force_and_add_up_to_one() -> None:
    for history in HISTORIES:
        learner, arms = after(FEATURES, history), FEATURES[None]
        truth = brute_force(learner, arms)
        for estimate, samples in ((rao_blackwell, 1000), (count_winners, 2**16)):
            (p,) = estimate(learner, arms, drawn(samples, 20, seed=0))
            assert p.sum() == pytest.approx(1.0, abs=1e-12)
            assert np.abs(p - truth).max() < 5e-3


@pytest.mark.parametrize(
    ("K", "M", "estimate"),
    [
        (20, 20, rao_blackwell),
        (8, 90, rao_blackwell),
        (120, 120, count_winners),
        (30, 4, winners_and_heights),
    ],
)
def test_the_estimate_follows_from_arms_and_features_and_agrees_with_brute_force(
    K: int, M: int, estimate: Estimate
) -> None:
    for seed in range(2):
        learner, arms = some_gaussian(M, seed), some_arms(K, M, seed)
        draws = PriorDraws.of(arms[0], 2000, seed)
        (p,) = best_arm(learner, arms, draws)
        assert np.array_equal(p, estimate(learner, arms, draws)[0])
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        truth = brute_force(learner, arms)
        if estimate is winners_and_heights:  # what counts is the next question
            assert np.abs((p - truth) @ arms[0]).max() < 8e-3
        assert np.abs(p - truth).max() < (0.02 if K == 120 else 8e-3)


def test_with_too_few_points_the_probabilities_are_still_finite() -> None:
    for K, M in ((5, 5), (5, 90), (30, 4), (30, 20), (300, 60)):
        arms = some_arms(K, M, seed=0)
        for samples in (2, 3, 8, 32):
            p = best_arm(some_gaussian(M, seed=0), arms, PriorDraws.of(arms[0], samples, seed=0))
            assert p.shape == (1, K)
            assert np.isfinite(p).all()


# Errors of a difference: what a yes leads to, less what a no leads to


def test_common_points_and_quasi_randomness_beat_the_published_estimate_of_a_difference() -> None:
    arms = FEATURES[None]
    no, yes = (after(FEATURES, [*HISTORIES[1], (8, answer)]) for answer in (0, 1))
    rewards = FEATURES[9].clip(1e-4, 1 - 1e-4)
    value = np.log(rewards / (1 - rewards))
    true = float((brute_force(yes, arms, MANY) - brute_force(no, arms, MANY)) @ value)

    def error(points_no: Array, points_yes: Array) -> float:
        (p_no,) = rao_blackwell(no, arms, PriorDraws(points_no[None], None))
        (p_yes,) = rao_blackwell(yes, arms, PriorDraws(points_yes[None], None))
        return float((p_yes - p_no) @ value) - true

    rng = np.random.default_rng(0)
    published = [error(*rng.normal(size=(2, 1000, 20))) for _ in range(40)]
    ours = [error(points, points) for points in (normal_points(1000, 20, seed) for seed in range(40))]
    assert np.std(ours) < np.std(published) / 2
    assert abs(np.mean(ours)) < 0.02


def test_heights_make_the_error_of_a_difference_smaller_than_winners_alone_with_the_same_points() -> None:
    rng = np.random.default_rng(2)
    words = rng.normal(size=(100, 10))
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    arms = np.column_stack([np.ones(100), words])[None]
    theta = np.append(-4.0, 8.0 * words[0])  # as in the paper's simulations
    no, yes = (after(arms[0], [(3, 0), (40, 1), (7, 0), (20, answer)]) for answer in (0, 1))
    true = float((brute_force(yes, arms, MANY) - brute_force(no, arms, MANY)) @ arms[0] @ theta)

    def error(S: Callable[[Gaussian, PriorDraws], Array], seed: int) -> float:
        draws = PriorDraws.of(arms[0], 1000, seed)
        return float((S(yes, draws) - S(no, draws))[0] @ theta) - true

    counted, both = (
        [error(S, seed) for seed in range(40)]
        for S in (
            lambda learner, draws: count_winners(learner, arms, draws) @ arms[0],
            lambda learner, draws: winners_and_heights(learner, arms, draws) @ arms[0],
        )
    )
    assert np.std(both) < 0.7 * np.std(counted)
    assert abs(np.mean(both)) < 0.02


def test_heights_do_no_harm_where_two_features_are_nearly_the_same() -> None:
    # The weights are large where arms hardly differ, so an error that does not shrink there would be large.
    for apart in (0.1, 1e-8):
        rng = np.random.default_rng(5)
        arms = rng.normal(size=(1, 30, 6))
        arms[..., 5] = arms[..., 0] + apart * rng.normal(size=30)
        theta = np.linalg.lstsq(arms[0], np.log(rng.uniform(0.05, 0.95, size=30)), rcond=None)[0]
        no, yes = (after(arms[0], [(3, 0), (14, 1), (20, answer)]) for answer in (0, 1))
        true = float((brute_force(yes, arms, MANY) - brute_force(no, arms, MANY)) @ arms[0] @ theta)
        errors = []
        for estimate in (winners_and_heights, count_winners):
            found = [
                ((estimate(yes, arms, draws) - estimate(no, arms, draws)) @ arms[0])[0] @ theta
                for draws in (drawn(2048, 6, seed) for seed in range(20))
            ]
            errors.append(np.mean((np.array(found) - true) ** 2))
        assert errors[0] < errors[1]


# Points and batches


def test_the_points_are_standard_normal_and_belong_to_their_seed() -> None:
    for M, spread, distance in ((20, 1e-2, 2e-3), (40, 0.15, 0.07)):
        points = normal_points(1000, M, seed=4)
        assert points.shape == (1024, M)  # the next power of 2: a Sobol sequence is balanced there
        assert np.array_equal(points, normal_points(1000, M, seed=4))
        assert not np.array_equal(points, normal_points(1000, M, seed=5))
        assert np.isfinite(points).all()
        np.testing.assert_allclose(points.mean(0), 0.0, atol=spread)
        np.testing.assert_allclose(np.cov(points.T), np.eye(M), atol=max(0.1, 1.2 * spread))
        assert all(stats.kstest(column, "norm").statistic < distance for column in points.T)


def test_long_collinear_arms_have_finite_posteriors() -> None:
    state = Learner(np.outer([1, 2, 3, -1.0], [1, 2, 3, 4, 5.0]) * 3e4).condition([(0, 1), (1, 0)])
    assert np.isfinite(state.mean).all()


@pytest.mark.parametrize("estimate", [rao_blackwell, count_winners, winners_and_heights, best_arm])
def test_an_element_has_the_same_probabilities_alone_and_in_a_batch(estimate: Estimate) -> None:
    for K, M in ((5, 5), (30, 4)):
        several = [some_gaussian(M, seed) for seed in range(6)]
        arms = np.random.default_rng(0).normal(size=(6, K, M))
        for groups in (1, 3):  # one learner's draws for all, or those of three learners, two elements each
            draws = [PriorDraws.of(arms[0], 200, seed) for seed in range(groups)]
            together = estimate(Gaussian.together(several), arms, PriorDraws.together(draws))
            for i, one in enumerate(several):
                alone = estimate(one, arms[i : i + 1], draws[i * groups // 6])
                np.testing.assert_allclose(alone[0], together[i], rtol=0, atol=1e-9)


def test_the_first_draws_are_the_first_points_with_their_values() -> None:
    draws = PriorDraws.of(some_arms(400, 40, seed=0)[0], 100, seed=0)
    assert draws.values is not None
    few = draws.first(64)
    assert few.values is not None
    assert np.array_equal(few.points, draws.points[:, :64])
    assert np.array_equal(few.values, draws.values[:, :64])
    assert draws.first(256) is draws


def test_with_ten_thousand_arms_no_matrix_of_arms_by_arms_is_built() -> None:
    arms = some_arms(10_000, 20, seed=0)
    tracemalloc.start()
    best_arm(some_gaussian(20, seed=1), arms, PriorDraws.of(arms[0], 1000, seed=2))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6  # bytes; arms by arms would be 800 MB
