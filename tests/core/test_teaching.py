"""The teaching MDP agrees with the paper's examples and with brute force over trajectories."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from strategies import FEATURES

from core.gaussian import Gaussian
from core.likelihoods import Evidence
from core.rewards import RewardTable
from core.settings import Settings
from core.teachers import TEACHERS
from core.teaching import Ahead, look_ahead
from core.thompson import PriorDraws, best_arm, count_winners

Array = NDArray[np.float64]
TAU = 2.0


def naive_posterior(features: Array, answers: list[int]) -> tuple[Array, Array]:
    """Mean and covariance of a Bayesian logistic regression by Laplace: plain Newton steps in NumPy."""
    theta = np.zeros(features.shape[1])
    signs = 2.0 * np.array(answers, dtype=float) - 1.0
    for _ in range(100):
        surprise = 1.0 / (1.0 + np.exp(signs * (features @ theta)))
        precision = np.eye(len(theta)) / TAU**2 + (features.T * (surprise * (1 - surprise))) @ features
        theta = theta + np.linalg.solve(precision, features.T @ (signs * surprise) - theta / TAU**2)
    return theta, np.linalg.inv(precision)


def naive_gaussian(features: Array, answers: list[int]) -> Gaussian:
    """The same as a batch of one, with core's factor: the inverse of the transposed Cholesky factor."""
    mean, covariance = naive_posterior(features, answers)
    factor = np.linalg.inv(np.linalg.cholesky(np.linalg.inv(covariance))).T
    return Gaussian(mean[None], None, factor[None], TAU)


def ahead(arms: Array, history: list[tuple[int, int]], asked: int, horizon: int, gamma: float = 1.0) -> Ahead:
    M = arms.shape[1]
    features = arms[None, [arm for arm, _ in history]]
    signs = np.array([[2.0 * answer - 1.0 for _, answer in history]])
    return look_ahead(
        arms[None],
        Evidence(features, signs, np.zeros((1, len(history), 2, 2 ** (horizon - 1), M))),
        arms[None, asked],
        np.zeros((1, M)),
        PriorDraws.of(arms, 500, seed=0),
        Settings(tau=TAU, horizon=horizon, gamma=gamma),
        "converged",
    )


HISTORY = [(3, 1), (11, 0), (5, 1)]


def test_one_step_is_the_next_question_in_expectation_after_either_answer() -> None:
    sums = ahead(FEATURES, HISTORY, 8, horizon=1).sums
    assert sums.shape == (1, 2, 1, 20)
    features = FEATURES[[*(arm for arm, _ in HISTORY), 8]]
    draws = PriorDraws.of(FEATURES, 500, seed=0)
    for answer in (0, 1):
        learner = naive_gaussian(features, [*(y for _, y in HISTORY), answer])
        expected = best_arm(learner, FEATURES[None], draws) @ FEATURES
        np.testing.assert_allclose(sums[0, answer, 0], expected[0], atol=1e-9)


def test_several_steps_are_all_trajectories_of_virtual_arms() -> None:
    arms, gamma = np.random.default_rng(0).normal(size=(6, 4)), 0.7
    draws = PriorDraws.of(arms, 500, seed=0)
    for horizon in (2, 3):
        sums = ahead(arms, [(3, 1), (1, 0)], 2, horizon, gamma).sums[0].reshape(2**horizon, 4)
        for row, answers in zip(sums, itertools.product((0, 1), repeat=horizon), strict=True):
            features, given, total = arms[[3, 1, 2]], [1, 0], np.zeros(4)
            for step, answer in enumerate(answers):
                given = [*given, answer]
                learner = naive_gaussian(features, given)
                (virtual,) = best_arm(learner, arms[None], draws.first(1024 >> step)) @ arms
                total += gamma**step * virtual
                features = np.vstack([features, virtual])
            np.testing.assert_allclose(row, total / horizon, atol=1e-9)


def test_the_first_step_of_a_longer_plan_is_the_one_step_plan_exactly() -> None:
    one, two = (ahead(FEATURES, HISTORY, 8, horizon, 1e-12) for horizon in (1, 2))
    np.testing.assert_allclose(2 * two.sums.mean(2), one.sums[:, :, 0], rtol=0, atol=1e-11)
    assert np.array_equal(two.naive, one.naive)


def test_the_value_of_an_answer_is_the_best_trajectory_after_it_for_learners_and_teachers() -> None:
    thetas = np.random.default_rng(0).normal(size=(20, 4))
    odds = thetas.T @ FEATURES.T
    for horizon in (1, 3):
        seen = ahead(FEATURES, HISTORY, 8, horizon, 0.7)
        evidence = Evidence(np.zeros((1, 1, 20)), np.ones((1, 1)), seen.sums[:, None])
        density = TEACHERS["planning"].log_likelihood(evidence, 20.0, math.inf)
        expected = []
        for theta in thetas.T:
            no, yes = (max(theta @ row for row in rows) for rows in seen.sums[0])
            expected.append(yes - no)
            (value,) = density(theta[None]).value
            assert value == pytest.approx(-math.log1p(math.exp(-20.0 * (yes - no))), abs=1e-9)
        alone = [seen.advantage(own[None])[0] for own in odds]
        np.testing.assert_allclose(alone, expected, rtol=0, atol=1e-10)
        together = seen.advantages(RewardTable(np.zeros((1, 4, 20)), odds[None]))
        np.testing.assert_allclose(together, [expected], rtol=0, atol=1e-10)


def test_in_figure_2_the_planning_teacher_says_yes_to_an_arm_with_reward_probability_006() -> None:
    places = np.linspace(0.0, 1.0, 10)
    arms = np.column_stack([np.ones(10), *(np.exp(-((places - c) ** 2) / (2 * 0.13**2)) for c in (0.2, 0.8))])
    theta = np.array([-4.0, 4.5, 6.5])
    reward = 1.0 / (1.0 + np.exp(-arms @ theta))
    assert round(reward[5], 2) == 0.06
    no, yes = ahead(arms, [], 5, horizon=1).sums[0, :, 0] @ theta
    assert yes > no
    assert 1.0 / (1.0 + math.exp(-20.0 * (yes - no))) > 0.99
    # because the next question is then nearer to the higher peak
    near_the_peak = np.exp(-((places - 0.8) ** 2) / (2 * 0.13**2)) > 0.5
    draws = PriorDraws.of(arms, 500, seed=0)
    chances = []
    for answer in (0, 1):
        (p,) = count_winners(naive_gaussian(arms[[5]], [answer]), arms[None], draws)
        chances.append(p[near_the_peak].sum())
    assert chances[1] > chances[0]


def test_with_two_independent_arms_one_answer_suffices_as_beta_grows() -> None:
    grid = np.linspace(-8, 8, 161)
    theta = np.stack(np.meshgrid(grid, grid, indexing="ij"), -1).reshape(-1, 2)
    prior = np.exp(-0.5 * np.square(theta / TAU).sum(-1))
    better, tie = theta[:, 0] > theta[:, 1], theta[:, 0] == theta[:, 1]
    for asked in (0, 1):
        # The optimal teacher says yes to the better arm and no to the other; let arm 0 be the better.
        sign = np.full((1, 1), 1.0 if asked == 0 else -1.0)
        sums = ahead(np.eye(2), [], asked, horizon=1).sums[:, None]
        evidence = Evidence(np.eye(2)[asked].reshape(1, 1, 2), sign, sums).repeat(len(theta))
        sure = []
        for model, beta in (("naive", 0.0), ("planning", 1.0), ("planning", 20.0), ("planning", 1000.0)):
            density = TEACHERS[model].log_likelihood(evidence, beta, math.inf)
            weight = prior * np.exp(density(theta).value)
            sure.append(float((weight * better).sum() / (weight * ~tie).sum()))
        assert sure[0] < 0.75  # a teaching-unaware learner must ask on
        assert sure[1] < sure[2] < sure[3]
        assert sure[2] > 0.9
        assert sure[3] > 0.999  # one answer suffices
