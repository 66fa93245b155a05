"""How much a person plans: compared with single questions, exact densities and simulated teachers."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import FEATURES

from core.planners import alpha_posterior, planning_chances
from core.rewards import clamped
from core.settings import Settings
from core.simulated import SimulatedTeacher

REWARDS = clamped(FEATURES)


def drawn(rounds: int, questions: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (rounds, questions)
    return rng.integers(0, 20, rounds), rng.integers(0, 20, shape), rng.random(shape) < 0.5


@pytest.mark.parametrize("horizon", [1, 2])
def test_the_chances_of_several_rounds_at_once_equal_those_of_single_questions(horizon: int) -> None:
    targets, asked, yes = drawn(3, 4, seed=1)
    settings = Settings(samples=32, horizon=horizon, seed=5)
    chances = planning_chances(FEATURES, REWARDS[targets], asked, yes, settings)
    for r, target in enumerate(targets):
        for q in range(4):
            history = [(int(a), int(y)) for a, y in zip(asked[r, :q], yes[r, :q], strict=True)]
            # Every question number has points of its own.
            own = Settings(samples=32, horizon=horizon, seed=5 + q)
            teacher = SimulatedTeacher("planning", FEATURES, FEATURES[target], own)
            assert chances[r, q] == pytest.approx(teacher.chance(history, int(asked[r, q])), abs=1e-9)


def test_answers_that_only_one_kind_of_teacher_gives_make_a_beta_density() -> None:
    # Seven answers that only a planner gives, three that only a naive teacher gives: Beta(8, 4).
    yes = np.array([True] * 7 + [False] * 3)
    posterior = alpha_posterior(yes, np.ones(10), np.zeros(10))
    assert posterior.mean == pytest.approx(8 / 12, abs=1e-6)
    assert posterior.low == pytest.approx(0.39026, abs=2e-3)  # quantiles of Beta(8, 4)
    assert posterior.high == pytest.approx(0.89074, abs=2e-3)


def test_answers_that_both_teachers_give_equally_often_leave_the_prior() -> None:
    chances = np.array([0.3, 0.9])
    posterior = alpha_posterior(np.array([True, False]), chances, chances)
    assert posterior.mean == pytest.approx(0.5, abs=1e-9)
    assert (posterior.low, posterior.high) == pytest.approx((0.025, 0.975), abs=2e-3)


@pytest.mark.parametrize(("kind", "least", "most"), [("planning", 0.9, 1.0), ("naive", 0.0, 0.1)])
def test_simulated_planners_and_naive_teachers_are_recognised(kind: str, least: float, most: float) -> None:
    targets, asked, _ = drawn(12, 8, seed=2)
    rng = np.random.default_rng(3)
    yes = np.zeros(asked.shape, dtype=bool)
    for r, target in enumerate(targets):
        teacher = SimulatedTeacher(kind, FEATURES, FEATURES[target], Settings(samples=64, seed=9))
        history: list[tuple[int, int]] = []
        for q, arm in enumerate(asked[r]):
            yes[r, q] = rng.random() < teacher.chance(history, int(arm))
            history.append((int(arm), int(yes[r, q])))
    planning = planning_chances(FEATURES, REWARDS[targets], asked, yes, Settings(samples=64))
    naive = REWARDS[targets[:, None], asked]
    posterior = alpha_posterior(yes.ravel(), planning.ravel(), naive.ravel())
    assert least <= posterior.mean <= most
