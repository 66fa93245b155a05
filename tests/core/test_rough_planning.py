"""A rough look-ahead draws from the posterior that it claims, and sees nearly what the exact one sees."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm
from strategies import FEATURES, History

from core import Settings
from core.randomness import stream
from core.recall import Recall
from core.reward_tables import Table
from core.rewards import clamped, log_odds
from core.rough_planning import DRAWS, RoughPlanner
from core.simulated import SimulatedTeacher

Array = NDArray[np.float64]

ODDS = log_odds(clamped(FEATURES))
REWARDS = Table.of(FEATURES[None])
TAU = 2.0
HISTORY = [(3, 0), (15, 1), (16, 1), (15, 0), (19, 1), (16, 1), (16, 1)]


def planner() -> RoughPlanner:
    return RoughPlanner(FEATURES[None], REWARDS, TAU)


def counts(history: History) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    recall = Recall.of(history, len(FEATURES))
    return recall.yes, recall.no


def test_draws_have_the_mean_and_covariance_of_the_normal_posterior() -> None:
    """Written down in the space of the weights, answer by answer."""
    X = FEATURES[[arm for arm, _ in HISTORY]]
    signs = np.array([2 * answer - 1 for _, answer in HISTORY])
    covariance = np.linalg.inv(np.eye(20) / TAU**2 + X.T @ X / 4)
    mean = covariance @ X.T @ signs / 2
    yes, no = counts(HISTORY)
    draws = planner().draws(yes[0], no[0])
    assert draws.shape == (DRAWS, 20)
    spread = FEATURES @ covariance @ FEATURES.T
    error = np.sqrt(np.diag(spread) / DRAWS)
    assert np.abs((draws.mean(0) - FEATURES @ mean) / error).max() < 4
    # The variance of a sample covariance of normal draws (Wishart).
    noise = np.sqrt((spread**2 + np.outer(np.diag(spread), np.diag(spread))) / DRAWS)
    assert np.abs((np.cov(draws.T) - spread) / noise).max() < 5


def test_of_two_arms_each_wins_as_often_as_the_normal_distribution_says() -> None:
    arms = np.eye(2)
    two = RoughPlanner(arms[None], Table(np.full((1, 2, 2), 0.5)), TAU)
    shares = two.winners(np.array([1, 0], dtype=np.int16), np.array([0, 0], dtype=np.int16))
    # The first arm: precision 1/4 + 1/4, mean 2 * (1/2) = 1, variance 2; the second: mean 0, variance 4.
    chance = norm.cdf(1 / np.sqrt(2 + 4))
    assert shares.sum() == pytest.approx(1)
    assert abs(shares[0] - chance) < 4 * np.sqrt(chance * (1 - chance) / DRAWS)


def test_the_advantage_is_the_difference_of_the_expected_log_odds() -> None:
    yes, no = counts(HISTORY)
    one = planner()
    more = np.eye(20, dtype=np.int16)[8]
    gain = one.winners(yes[0] + more, no[0]) - one.winners(yes[0], no[0] + more)
    np.testing.assert_allclose(one.advantages(yes, no, np.array([8]))[0], ODDS @ gain, atol=1e-12)


def rounds(count: int) -> list[tuple[int, History, int]]:
    """Targets, histories in which questions near the target get yeses, and the next question."""
    made = []
    for number in range(count):
        target = stream(0, "rounds", number, "target").integer(20)
        history = []
        for i in range(number % 12):
            arm = stream(0, "rounds", number, "arm", i).integer(20)
            answer = int(stream(0, "rounds", number, "answer", i).uniform(1)[0] < 3 * FEATURES[target, arm])
            history.append((arm, answer))
        made.append((target, history, stream(0, "rounds", number, "next").integer(20)))
    return made


def test_rough_plans_agree_with_exact_ones() -> None:
    """Both say yes, or both say no, wherever the exact one is fairly sure; and they go together closely."""
    one, settings = planner(), Settings()
    exact, rough = [], []
    for target, history, arm in rounds(200):
        chance = SimulatedTeacher("planning", FEATURES, FEATURES[target], settings).chance(history, arm)
        exact.append(logit(np.clip(chance, 1e-12, 1 - 1e-12)) / settings.beta)
        rough.append(one.advantages(*counts(history), np.array([arm]))[0, target])
    sure = np.abs(expit(settings.beta * np.array(exact)) - 0.5) > 0.4
    assert sure.mean() > 0.7
    same = np.sign(exact) == np.sign(rough)
    print(f"sure {sure.mean():.2f} same {same[sure].mean():.3f} r {np.corrcoef(exact, rough)[0, 1]:.3f}")
    assert same[sure].mean() > 0.9
    assert np.corrcoef(exact, rough)[0, 1] > 0.9


def test_nothing_depends_on_what_else_is_in_the_batch() -> None:
    histories: list[History] = [HISTORY[:i] for i in range(1, 8)]
    yes, no = (np.concatenate(tables) for tables in zip(*map(counts, histories), strict=True))
    arm = np.arange(7)
    together = planner().advantages(yes, no, arm)
    for b in range(7):
        alone = planner().advantages(yes[b : b + 1], no[b : b + 1], arm[b : b + 1])
        np.testing.assert_array_equal(together[b], alone[0])


def test_worlds_with_other_arms_have_their_own_draws() -> None:
    other = FEATURES[::-1]
    both = RoughPlanner(np.stack([FEATURES, other]), Table.of(np.stack([FEATURES, FEATURES])), TAU)
    yes, no = counts(HISTORY)
    together = both.advantages(yes.repeat(2, axis=0), no.repeat(2, axis=0), np.array([4, 4]))
    alone = RoughPlanner(other[None], REWARDS, TAU).advantages(yes, no, np.array([4]))
    np.testing.assert_allclose(together[0], planner().advantages(yes, no, np.array([4]))[0], atol=1e-12)
    np.testing.assert_allclose(together[1], alone[0], atol=1e-12)
    assert not np.allclose(together[0], together[1])
