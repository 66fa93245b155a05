"""The look-ahead in NumPy: its fits, probabilities and points are those of the look-ahead in torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from strategies import FEATURES

from core import one_step, thompson
from core.evidence import Evidence
from core.posterior import fit_naive

TAU = 2.0
PRIOR = TAU**2 * FEATURES @ FEATURES.T


def answered(count: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count + length)
    return rng.integers(0, 20, (count, length)), np.where(rng.random((count, length)) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("length", [1, 5, 15])
def test_the_imagined_posterior_is_that_of_the_fit_in_the_weights(length: int) -> None:
    asked, signs = answered(10, length)
    mean, covariance, _ = one_step.imagined(PRIOR, asked, signs)
    evidence = Evidence.without_plans(torch.tensor(FEATURES[asked]), torch.tensor(signs))
    fit = fit_naive(evidence, TAU, torch.zeros(10, 1, 20, dtype=torch.float64), "converged")
    assert fit.fit.converged.all()
    np.testing.assert_allclose(mean, fit.mean.numpy() @ FEATURES.T, atol=1e-7)
    weights = fit.factor @ fit.factor.mT
    np.testing.assert_allclose(covariance, FEATURES @ weights.numpy() @ FEATURES.T, atol=1e-7)


def test_the_same_answer_again_and_again_still_converges() -> None:
    asked = np.zeros((2, 40), dtype=np.intp)
    signs = np.stack([np.ones(40), -np.ones(40)])
    mean, _, _ = one_step.imagined(1e6 * PRIOR, asked, signs)
    assert mean[0, 0] > 0 > mean[1, 0]


@pytest.mark.parametrize("tau", [1e-6, 2.0, 1e3, 1e4, 1e6])
@pytest.mark.parametrize("words", [1, 2, 20])
def test_contradicting_answers_converge_with_any_prior_that_settings_allow(tau: float, words: int) -> None:
    rng = np.random.default_rng(words)
    asked, yes = rng.integers(0, words, (6, 12)), rng.random((6, 12)) < 0.5
    points = [one_step.normal_points(8, 20, seed=question) for question in range(12)]
    odds = np.log(FEATURES[:6] / (1.0001 - FEATURES[:6]))
    ahead = one_step.advantages(tau**2 * FEATURES @ FEATURES.T, odds, asked, yes, points)
    assert np.isfinite(ahead).all()


def test_probabilities_are_those_of_core_thompson() -> None:
    asked, signs = answered(10, 5)
    mean, covariance, _ = one_step.imagined(PRIOR, asked, signs)
    points = thompson.normal_points(64, 20, seed=1)
    factor = torch.linalg.cholesky(torch.tensor(covariance))
    arms = torch.eye(20, dtype=torch.float64).expand(10, -1, -1)
    expected = thompson.best_arm_probabilities(torch.tensor(mean), factor, arms, points)
    ours = one_step.best_arm_probabilities(mean, covariance, points.numpy())
    np.testing.assert_allclose(ours, expected.numpy(), atol=1e-4)  # the jitter is in the factor here


def test_points_are_those_of_core_thompson() -> None:
    for samples in (32, 33):
        expected = thompson.normal_points(samples, 20, seed=3).numpy()
        np.testing.assert_allclose(one_step.normal_points(samples, 20, seed=3), expected, atol=1e-12)


def test_no_result_depends_on_what_else_is_in_the_batch() -> None:
    asked, signs = answered(6, 8)
    odds = np.log(np.linspace(0.1, 0.9, 20)) * np.ones((6, 1))
    points = [one_step.normal_points(32, 20, seed) for seed in range(8)]
    together = one_step.advantages(PRIOR, odds, asked, signs > 0, points)
    for i in range(6):
        one = slice(i, i + 1)
        alone = one_step.advantages(PRIOR, odds[one], asked[one], signs[one] > 0, points)
        np.testing.assert_allclose(together[one], alone, atol=1e-8)


def test_comparing_rounds_with_a_planning_teacher_loads_no_torch() -> None:
    code = (
        "import sys, numpy as np; from core import Settings; from core.planners import planning_odds\n"
        "arms = np.eye(3); rewards = np.full((1, 3), 0.5); asked = np.array([[0, 1]])\n"
        "planning_odds(arms, rewards, asked, asked == 0, Settings(samples=32))\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
