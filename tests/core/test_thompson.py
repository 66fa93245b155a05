"""Thompson probabilities agree with exact cases and brute force."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats
from strategies import FEATURES
from torch import Tensor

from core import Learner
from core.thompson import (
    _count_winners,
    _rao_blackwell,
    best_arm_probabilities,
    normal_points,
    thompson_points,
)


def gaussian(M: int, seed: int) -> tuple[Tensor, Tensor]:
    """The mean and factor of some Gaussian over M weights, as a batch of one."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(M, M)) / math.sqrt(M) + np.eye(M)
    return torch.from_numpy(rng.normal(size=(1, M))), torch.from_numpy(root).unsqueeze(0)


def after(history: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """The naive learner's posterior on the study's words."""
    posterior = Learner(FEATURES, teacher="naive").condition(history)
    precision = np.linalg.inv(posterior.cov)
    factor = np.linalg.inv(np.linalg.cholesky(precision)).T
    return torch.tensor(posterior.mean).unsqueeze(0), torch.from_numpy(factor.copy()).unsqueeze(0)


def brute_force(mean: Tensor, factor: Tensor, arms: Tensor, draws: int = 1_000_000) -> np.ndarray:
    """How often each arm is the best in this number of independent draws."""
    rng = np.random.default_rng(0)
    wins = np.zeros(arms.shape[1])
    for _ in range(draws // 10_000):
        theta = mean[0].numpy() + rng.normal(size=(10_000, arms.shape[2])) @ factor[0].numpy().T
        wins += np.bincount((theta @ arms[0].numpy().T).argmax(1), minlength=arms.shape[1])
    return wins / draws


def test_two_independent_arms_have_the_probability_of_a_difference_of_normals() -> None:
    mean = torch.tensor([[0.3, -0.2]], dtype=torch.float64)
    factor = torch.diag(torch.tensor([1.5, 0.8], dtype=torch.float64)).unsqueeze(0)
    arms = torch.eye(2, dtype=torch.float64).unsqueeze(0)
    exact = stats.norm.cdf(0.5 / math.hypot(1.5, 0.8))
    for estimate in (_rao_blackwell, _count_winners):
        p = estimate(mean, factor, arms, normal_points(2**14, 2, seed=1).unsqueeze(0))[0]
        assert p.tolist() == pytest.approx([exact, 1 - exact], abs=1e-3)


def test_equal_arms_have_equal_probabilities() -> None:
    arms = torch.eye(5, dtype=torch.float64).unsqueeze(0)
    p = best_arm_probabilities(
        torch.zeros(1, 5, dtype=torch.float64), 2 * arms, arms, normal_points(4096, 5, 0)
    )
    assert p[0].tolist() == pytest.approx([0.2] * 5, abs=2e-3)


def test_two_equal_arms_share_the_probability_of_one() -> None:
    mean, factor = gaussian(6, seed=3)
    arms = torch.from_numpy(np.random.default_rng(3).normal(size=(1, 5, 6)))
    twice = torch.cat([arms, arms[:, :1]], 1)
    points = normal_points(2**14, 6, seed=0)
    alone, shared = (best_arm_probabilities(mean, factor, a, points)[0] for a in (arms, twice))
    assert float(shared[0] + shared[5]) == pytest.approx(float(alone[0]), abs=5e-3)


HISTORIES: list[list[tuple[int, int]]] = [
    [],
    [(3, 1), (11, 0), (5, 1)],
    [(3, 1), (4, 1), (5, 0), (8, 0), (9, 0), (12, 0), (15, 0), (1, 1), (2, 1), (0, 1)],
]


@pytest.mark.parametrize("history", HISTORIES, ids=len)
def test_probabilities_of_the_studys_words_agree_with_brute_force(history: list[tuple[int, int]]) -> None:
    mean, factor = after(history)
    arms = torch.from_numpy(FEATURES).unsqueeze(0)
    p = best_arm_probabilities(mean, factor, arms, thompson_points(20, 20, 1000, seed=0))[0]
    assert float(p.sum()) == pytest.approx(1.0, abs=1e-12)
    assert np.abs(p.numpy() - brute_force(mean, factor, arms)).max() < 4e-3


@pytest.mark.parametrize("seed", range(3))
def test_with_more_arms_than_features_probabilities_agree_with_brute_force(seed: int) -> None:
    mean, factor = gaussian(4, seed)
    arms = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 30, 4)))
    p = best_arm_probabilities(mean, factor, arms, thompson_points(30, 4, 1000, seed))[0]
    assert float(p.sum()) == pytest.approx(1.0, abs=1e-12)
    assert np.abs(p.numpy() - brute_force(mean, factor, arms)).max() < 8e-3


def test_common_points_and_quasi_randomness_beat_the_published_estimate_of_a_difference() -> None:
    arms = torch.from_numpy(FEATURES).unsqueeze(0)
    no, yes = (after([*HISTORIES[1], (8, answer)]) for answer in (0, 1))
    rewards = FEATURES[9].clip(1e-4, 1 - 1e-4)
    value = torch.from_numpy(np.log(rewards / (1 - rewards)))
    true = float(torch.from_numpy(brute_force(*yes, arms) - brute_force(*no, arms)) @ value)

    def error(points_no: Tensor, points_yes: Tensor) -> float:
        p_no = best_arm_probabilities(*no, arms, points_no)[0]
        p_yes = best_arm_probabilities(*yes, arms, points_yes)[0]
        return float((p_yes - p_no) @ value) - true

    generator = torch.Generator().manual_seed(0)
    published = [
        error(*torch.randn(2, 1000, 20, dtype=torch.float64, generator=generator)) for _ in range(40)
    ]
    ours = [error(points, points) for points in (thompson_points(20, 20, 1000, seed) for seed in range(40))]
    assert np.std(ours) < np.std(published) / 2
    assert abs(np.mean(ours)) < 0.02


def test_the_points_are_standard_normal_and_belong_to_their_seed() -> None:
    points = normal_points(1000, 20, seed=4)
    assert points.shape == (1024, 20)  # the next power of 2: a Sobol sequence is balanced there
    assert torch.equal(points, normal_points(1000, 20, seed=4))
    assert not torch.equal(points, normal_points(1000, 20, seed=5))
    assert bool(points.isfinite().all())
    np.testing.assert_allclose(points.mean(0), 0.0, atol=1e-2)
    np.testing.assert_allclose(np.cov(points.numpy().T), np.eye(20), atol=0.1)
    for column in points.numpy().T:
        assert stats.kstest(column, "norm").statistic < 2e-3


def test_long_collinear_arms_have_finite_posteriors() -> None:
    state = Learner(np.outer([1, 2, 3, -1.0], [1, 2, 3, 4, 5.0]) * 3e4).condition([(0, 1), (1, 0)])
    assert np.isfinite(state.mean).all()


def test_an_element_has_the_same_probabilities_alone_and_in_a_batch() -> None:
    for K, M in ((5, 5), (30, 4)):
        several = [gaussian(M, seed) for seed in range(6)]
        mean, factor = torch.cat([m for m, _ in several]), torch.cat([f for _, f in several])
        arms = torch.from_numpy(np.random.default_rng(0).normal(size=(6, K, M)))
        points = thompson_points(K, M, 200, seed=0)
        together = best_arm_probabilities(mean, factor, arms, points)
        for i in range(6):
            one = slice(i, i + 1)
            alone = best_arm_probabilities(mean[one], factor[one], arms[one], points)
            torch.testing.assert_close(alone[0], together[i], rtol=0, atol=1e-9)


def test_with_ten_thousand_arms_no_matrix_of_arms_by_arms_is_built() -> None:
    code = """
import resource
import numpy as np
from core import Learner
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
arms = np.random.default_rng(0).normal(size=(10_000, 20))
small = Learner(arms[:100])
small.tell(small.begin(0), 1)
before = peak()
large = Learner(arms)
state = large.tell(large.begin(0), 1)
assert state.fit.converged
print(peak() - before)
"""
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert float(run.stdout) < 200  # MB; arms by arms would be 800
