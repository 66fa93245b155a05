"""Both teachers on known answers: compared with single questions, exact densities, simulated teachers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit
from strategies import FEATURES

from core.planners import alpha_posterior, log_likelihood, planning_odds
from core.rewards import clamped
from core.settings import Settings
from core.simulated import SimulatedTeacher

REWARDS = clamped(FEATURES)


def drawn(rounds: int, questions: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (rounds, questions)
    return rng.integers(0, 20, rounds), rng.integers(0, 20, shape), rng.random(shape) < 0.5


def test_the_chances_of_several_rounds_at_once_equal_those_of_single_questions() -> None:
    targets, asked, yes = drawn(3, 4, seed=1)
    for horizon in (1, 2):
        settings = Settings(samples=32, horizon=horizon, seed=5)
        odds = planning_odds(FEATURES, REWARDS[targets], asked, yes, settings)
        for r, target in enumerate(targets):
            one = slice(r, r + 1)
            alone = planning_odds(FEATURES, REWARDS[targets[one]], asked[one], yes[one], settings)
            np.testing.assert_allclose(odds[one], alone, rtol=0, atol=1e-8)  # whatever the other rounds
            for q in range(4):
                history = [(int(a), int(y)) for a, y in zip(asked[r, :q], yes[r, :q], strict=True)]
                # Every question number has points of its own.
                own = Settings(samples=32, horizon=horizon, seed=5 + q)
                chance = SimulatedTeacher("planning", FEATURES, FEATURES[target], own).chance(
                    history, int(asked[r, q])
                )
                assert expit(odds[r, q]) == pytest.approx(chance, abs=1e-9)


def test_one_step_ahead_the_odds_are_those_of_a_planning_teacher_up_to_the_noise_of_the_points() -> None:
    targets, asked, yes = drawn(3, 6, seed=1)
    settings = Settings(samples=4096)
    odds = planning_odds(FEATURES, REWARDS[targets], asked, yes, settings)
    for r, target in enumerate(targets):
        teacher = SimulatedTeacher("planning", FEATURES, FEATURES[target], settings)
        for q in range(6):
            history = [(int(a), int(y)) for a, y in zip(asked[r, :q], yes[r, :q], strict=True)]
            chance = teacher.chance(history, int(asked[r, q]))
            assert expit(odds[r, q]) == pytest.approx(chance, abs=0.05)


def test_with_contradicting_answers_the_odds_are_finite_for_any_prior_that_settings_allow() -> None:
    for tau, words in product((1e-6, 2.0, 1e4, 1e6), (1, 2, 20)):
        rng = np.random.default_rng(words)
        asked, yes = rng.integers(0, words, (6, 12)), rng.random((6, 12)) < 0.5
        odds = planning_odds(FEATURES, REWARDS[:6], asked, yes, Settings(samples=8, tau=tau))
        assert np.isfinite(odds).all()
    asked, yes = np.zeros((2, 40), dtype=np.intp), np.array([[True], [False]]).repeat(40, axis=1)
    for tau in (2.0, 2e3):  # the same answer again and again
        settings = Settings(samples=8, tau=tau)
        assert np.isfinite(planning_odds(FEATURES, REWARDS[:2], asked, yes, settings)).all()


def test_a_log_likelihood_is_the_log_of_the_probability_and_stays_finite_for_an_unexpected_answer() -> None:
    yes = np.array([[True, False], [False, True]])
    odds = np.array([[0.0, 2.0], [-1.5, 0.3]])
    expected = np.log(np.where(yes, expit(odds), 1 - expit(odds)))
    assert log_likelihood(yes, odds) == pytest.approx(expected, abs=1e-12)
    assert log_likelihood(np.array([False, True]), np.array([500.0, -900.0])).tolist() == [-500.0, -900.0]


def test_answers_that_only_one_kind_of_teacher_gives_make_a_beta_density() -> None:
    # Seven answers that only a planner gives, three that only a naive teacher gives: Beta(8, 4).
    by_planner = np.array([True] * 7 + [False] * 3)
    certain, impossible = 0.0, -np.inf
    posterior = alpha_posterior(
        np.where(by_planner, certain, impossible), np.where(by_planner, impossible, certain)
    )
    assert posterior.mean == pytest.approx(8 / 12, abs=1e-6)
    assert posterior.low == pytest.approx(0.39026, abs=2e-3)  # quantiles of Beta(8, 4)
    assert posterior.high == pytest.approx(0.89074, abs=2e-3)
    assert posterior.best == pytest.approx(0.7)


def test_answers_that_both_teachers_give_equally_often_leave_the_prior() -> None:
    both = np.log([0.3, 0.9])
    posterior = alpha_posterior(both, both)
    assert posterior.mean == pytest.approx(0.5, abs=1e-9)
    assert (posterior.low, posterior.high) == pytest.approx((0.025, 0.975), abs=2e-3)


def test_answers_like_neither_teachers_have_an_alpha_inside_although_neither_describes_them() -> None:
    # Yes to every second question, where one teacher expects a yes, and the other a no, almost always.
    yes = np.arange(40) % 2 == 0
    odds = np.full(40, 4.0)
    planning, naive = log_likelihood(yes, odds), log_likelihood(yes, -odds)
    posterior = alpha_posterior(planning, naive)
    assert 0.3 < posterior.low < posterior.mean < posterior.high < 0.7
    assert max(planning.mean(), naive.mean()) < 2 * np.log(0.5)


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
    odds = planning_odds(FEATURES, REWARDS[targets], asked, yes, Settings(samples=64))
    planning = log_likelihood(yes, odds)
    naive = log_likelihood(yes, logit(REWARDS[targets[:, None], asked]))
    assert least <= alpha_posterior(planning.ravel(), naive.ravel()).mean <= most
    assert (planning.mean() > naive.mean()) == (kind == "planning")
