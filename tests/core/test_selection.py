"""Selection rules choose the arm that their formulas name, and ties are broken fairly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from strategies import FEATURES

from core import Learner
from core.inference import WeightsBelief
from core.laplace import Fit
from core.posterior import Posterior
from core.selection import EXPLORING, SELECTIONS, choose
from core.thompson import PriorDraws, rao_blackwell

HISTORY = [(3, 1), (11, 0), (5, 1), (8, 0)]


def gaussian(mean: list[float], sd: list[float]) -> Posterior:
    """Independent weights, as a batch of one."""
    zero, at = np.zeros(1), np.array([mean])
    fit = Fit(at, zero, at[..., None], zero, zero.astype(np.int64))
    return Posterior(at, None, np.diag(sd)[None], 1.0, None, zero, at, fit)


def arm(rule: str, posterior: Posterior, question: int, seed: int = 0) -> int:
    M = posterior.mean.shape[1]
    belief = WeightsBelief(posterior, np.eye(M)[None])
    (choice,) = choose(rule, belief, question, [seed])
    return choice.arm


def test_greedy_asks_about_the_arm_with_the_best_mean() -> None:
    assert arm("greedy", gaussian([0.1, 0.3, 0.2], [9.0, 0.1, 5.0]), question=7) == 1


def test_bayes_ucb_uses_the_median_first_and_higher_and_higher_quantiles_later() -> None:
    posterior = gaussian([0.0, -1.0], [0.1, 1.0])
    assert [arm("bayes-ucb", posterior, question) for question in (2, 3, 5, 9, 50)] == [0, 0, 0, 1, 1]
    # the quantile 1 - 1/t of N(-1, 1) passes that of N(0, 0.1^2) between t = 7 and t = 8
    for t in (7, 8):
        z = stats.norm.ppf(1 - 1 / t)
        assert arm("bayes-ucb", posterior, t) == int(-1 + z > 0.1 * z)


def test_bayes_ucb_scores_a_quantile_of_the_linear_predictor() -> None:
    state = Learner(FEATURES, teacher="naive").condition(HISTORY)
    z = stats.norm.ppf(1 - 1 / 5)
    scores = FEATURES @ state.mean + z * np.sqrt(np.einsum("km,mn,kn->k", FEATURES, state.cov, FEATURES))
    best, second = np.sort(scores)[[-1, -2]]
    assert state.arm == scores.argmax()
    assert state.gap == pytest.approx(best - second, abs=1e-9)


def test_thompson_asks_each_arm_as_often_as_it_is_the_best() -> None:
    posterior = gaussian([0.3, 0.0, -0.2], [0.5, 1.0, 1.2])
    counts = np.bincount([arm("thompson", posterior, 5, seed) for seed in range(3000)], minlength=3)
    (p,) = rao_blackwell(posterior, np.eye(3)[None], PriorDraws.of(np.eye(3), 2**15, seed=0))
    assert stats.chisquare(counts, 3000 * p).pvalue > 1e-3


def test_every_question_has_draws_of_its_own_and_breaks_ties_anew() -> None:
    posterior = gaussian([0.0] * 6, [1.0] * 6)
    assert len({arm("thompson", posterior, question) for question in range(2, 40)}) == 6
    assert len({arm("explore-first", posterior, question) for question in range(2, EXPLORING + 1)}) > 1
    assert len({arm("greedy", posterior, question) for question in range(2, 40)}) == 6


def test_ties_are_broken_fairly_and_by_the_seed() -> None:
    posterior = gaussian([0.5, 0.5 + 1e-12, 0.5, 0.0], [1.0] * 4)
    for rule in ("bayes-ucb", "greedy"):
        counts = np.bincount([arm(rule, posterior, 4, seed) for seed in range(600)], minlength=4)
        assert counts[3] == 0
        assert stats.chisquare(counts[:3]).pvalue > 1e-3
        (choice,) = choose(rule, WeightsBelief(posterior, np.eye(4)[None]), 4, [0])
        assert choice.gap == 0.0


def test_small_features_cause_no_ties_and_a_difference_larger_than_rounding_is_none() -> None:
    tiny = [Learner(1e-5 * FEATURES, teacher="naive", seed=seed).condition(HISTORY) for seed in range(5)]
    assert len({state.arm for state in tiny}) == 1
    posterior = gaussian([0.5, 0.5 + 1e-8], [1.0, 1.0])
    assert {arm("greedy", posterior, 4, seed) for seed in range(20)} == {1}


def test_the_first_question_is_drawn_and_never_chosen() -> None:
    for rule in SELECTIONS.names:
        with pytest.raises(ValueError, match="first question"):
            arm(rule, gaussian([0.0, 1.0], [1.0, 1.0]), question=1)
        assert math.isinf(Learner(FEATURES, selection=rule).begin().gap)
