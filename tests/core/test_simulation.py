"""Simulations agree with single learners and teachers and with exact cases, in any batch."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from strategies import FEATURES

from core import Learner, Vocabulary
from core.errors import SettingError
from core.gaussian import Gaussian
from core.pairs import TABLE_1
from core.people import People
from core.settings import Settings
from core.simulation import Replication, TrueOrder, simulate
from core.thompson import PriorDraws, best_arm
from core.worlds import World, prepared, rounds_of, world

TABLE = prepared(Vocabulary.load("words10k").vectors[:500])
THOMPSON = Settings(selection="thompson", samples=64)


def worlds(numbers: range, arms: int = 30, questions: int = 6, **more: Any) -> list[World]:
    settings = {"c": -4.0, "d": 8.0, "seed": 0} | more
    return [world(TABLE, number, arms=arms, questions=questions, **settings) for number in numbers]


def same(one: Replication, other: Replication) -> bool:
    return (
        one.number == other.number
        and one.asked.tolist() == other.asked.tolist()
        and one.answers.tolist() == other.answers.tolist()
        and np.array_equal(one.reward, other.reward)
        and np.allclose(one.concordance, other.concordance, rtol=0, atol=1e-9)
    )


# The data


def test_prepared_columns_are_centred_and_scaled_before_rows_get_unit_length() -> None:
    table = np.random.default_rng(0).normal(3.0, 5.0, size=(50, 4))
    columns = (table - table.mean(0)) / table.std(0)
    np.testing.assert_allclose(
        prepared(table), columns / np.linalg.norm(columns, axis=1)[:, None], atol=1e-15
    )


def test_a_constant_column_or_a_row_without_direction_is_refused() -> None:
    table = np.random.default_rng(0).normal(size=(5, 3))
    flat = table.copy()
    flat[:, 1] = 7.0
    with pytest.raises(SettingError, match="column 2 has the same number in every row"):
        prepared(flat)
    centre = np.vstack([table, -table, np.zeros((1, 3))])
    with pytest.raises(SettingError, match="row 11 is the mean of all rows"):
        prepared(centre)


def test_a_world_has_the_rewards_of_the_paper_and_the_constant_first() -> None:
    for one in worlds(range(20)):
        assert one.arms.shape == (30, 11)
        assert (one.arms[:, 0] == 1.0).all()
        np.testing.assert_array_equal(one.arms[:, 1:], TABLE[one.rows])
        assert len(set(one.rows.tolist())) == 30
        theta = one.thetas[one.target]
        odds = one.arms @ theta
        np.testing.assert_allclose(one.rewards, 1 / (1 + np.exp(-odds)), atol=1e-12)
        assert theta[0] == -4.0
        assert one.rewards.max() == pytest.approx(1 / (1 + np.exp(-4.0)))  # the target: c + d
        assert 0 <= one.first < 30


def test_worlds_depend_on_number_and_seed_alone() -> None:
    (one,), (again,) = worlds(range(3, 4)), worlds(range(3, 4))
    assert one.rows.tolist() == again.rows.tolist()
    assert (one.seed, one.first) == (again.seed, again.first)
    assert one.luck.tolist() == again.luck.tolist()
    rows = {tuple(one.rows.tolist()) for one in worlds(range(10)) + worlds(range(10), seed=1)}
    assert len(rows) == 20


def test_all_arms_are_equally_often_target_and_first_question() -> None:
    batch = worlds(range(600), arms=5, questions=1)
    firsts = np.bincount([one.first for one in batch], minlength=5)
    targets = np.bincount([int(one.rewards.argmax()) for one in batch], minlength=5)
    for counts in (firsts, targets):
        assert stats.chisquare(counts).pvalue > 1e-4


# Independence of the batch


def test_replications_do_not_depend_on_their_batch_or_order() -> None:
    batch = worlds(range(4), questions=4)
    for pair, fit in product(("N-N", "N-M", "P-P"), ("converged", "published")):
        settings = Settings(selection="thompson", samples=64, fit=fit)
        together = simulate(batch, pair, settings, 20.0)
        backwards = simulate(batch[::-1], pair, settings, 20.0)[::-1]
        alone = [simulate([one], pair, settings, 20.0)[0] for one in batch]
        assert all(map(same, together, alone))
        assert all(map(same, together, backwards))


def test_pairs_share_the_first_question_of_a_replication() -> None:
    batch = worlds(range(6), questions=2)
    firsts = [[result.asked[0] for result in simulate(batch, pair, THOMPSON, 20.0)] for pair in TABLE_1]
    assert all(first == firsts[0] for first in firsts)


def test_teachers_say_yes_as_often_as_their_chances() -> None:
    replications = simulate(worlds(range(400), arms=5, questions=1, c=-1.0, d=2.0), "N-N", THOMPSON, 20.0)
    rewards = np.array([one.reward[0] for one in replications])
    yes = np.array([one.answers[0] for one in replications])
    assert abs(yes.sum() - rewards.sum()) < 4 * np.sqrt((rewards * (1 - rewards)).sum())
    by_chance = simulate(worlds(range(200), arms=5, questions=3), "P-N", THOMPSON, 0.0)  # beta is 0
    yes = np.array([one.answers for one in by_chance])
    assert stats.binomtest(int(yes.sum()), yes.size).pvalue > 1e-4


# How the imagined learner is fitted


def test_a_naive_teacher_and_learner_imagine_no_learner() -> None:
    batch = worlds(range(3))
    plain, other = (simulate(batch, "N-N", THOMPSON, 20.0, fit) for fit in ("converged", "published"))
    assert all(map(same, plain, other))
    assert all(one.contrast is None for one in plain)


def test_the_learner_and_the_imagined_learner_are_each_fitted_in_their_own_way() -> None:
    """The contrast depends on the imagined learner alone, convergence on both."""
    batch = worlds(range(4), questions=1)
    published = Settings(selection="thompson", samples=64, fit="published")
    by_fits = {
        (fit, imagined): simulate(batch, "N-P", settings, 20.0, imagined)
        for fit, settings in (("converged", THOMPSON), ("published", published))
        for imagined in ("converged", "published")
    }
    contrasts = {
        fits: [float(one.contrast[0]) for one in replications]  # type: ignore[index]
        for fits, replications in by_fits.items()
    }
    assert contrasts["converged", "published"] == contrasts["published", "published"]
    assert contrasts["published", "converged"] == contrasts["converged", "converged"]
    halved = np.array(contrasts["converged", "published"]) / np.array(contrasts["converged", "converged"])
    assert (halved < 0.75).all()
    converged = {fits: {one.converged for one in replications} for fits, replications in by_fits.items()}
    assert converged.pop(("converged", "converged")) == {True}
    assert all(flags == {False} for flags in converged.values())
    as_set = simulate(batch, "N-P", published, 20.0)
    assert all(map(same, as_set, by_fits["published", "published"]))


def test_the_contrast_is_how_far_apart_the_next_questions_are_in_expectation() -> None:
    (one,) = worlds(range(1), questions=1)
    (result,) = simulate([one], "P-N", THOMPSON, 20.0)
    draws = PriorDraws.of(one.arms, 64, one.seed)
    ahead = []
    for answer in (0, 1):
        state = Learner(one.arms, teacher="naive").condition([(one.first, answer)])
        assert state.mean is not None
        assert state.cov is not None
        factor = np.linalg.inv(np.linalg.cholesky(np.linalg.inv(state.cov))).T
        learner = Gaussian(state.mean[None], None, factor[None], 2.0)
        ahead.append(best_arm(learner, one.arms[None], draws)[0] @ one.arms)
    assert result.contrast is not None
    assert result.contrast[0] == pytest.approx(np.linalg.norm(ahead[1] - ahead[0]), abs=1e-9)


# Concordance


def concordance(truth: Any, estimates: Any) -> float:
    return float(TrueOrder(np.atleast_2d(truth)).concordance(np.atleast_2d(estimates))[0])


def test_concordance_is_the_share_of_pairs_in_the_right_order() -> None:
    rng = np.random.default_rng(0)
    truth, estimates = rng.integers(0, 9, (2, 20)) / 10  # with ties
    pairs = [(i, j) for i, j in combinations(range(20), 2) if truth[i] != truth[j]]
    agree = [np.sign((truth[i] - truth[j]) * (estimates[i] - estimates[j])) for i, j in pairs]
    assert concordance(truth, estimates) == pytest.approx((np.mean(agree) + 1) / 2)
    truth, estimates = rng.random((2, 50))  # without
    assert concordance(truth, estimates) == pytest.approx((stats.kendalltau(truth, estimates)[0] + 1) / 2)
    for like, expected in ((truth, 1.0), (-truth, 0.0), (0 * truth, 0.5), (truth + 1e6, 1.0)):
        assert concordance(truth, like) == expected


def test_differences_by_rounding_are_no_order_and_tiny_rewards_have_one() -> None:
    assert concordance([0.1, 0.1 + 1e-15, 0.9], [2.0, 1.0, 3.0]) == 1.0
    assert concordance([0.1, 0.5, 0.9], [2.0, 2.0 - 1e-14, 3.0]) == pytest.approx(5 / 6)
    assert concordance(3 * [-0.7], [1.0, 2.0, 3.0]) == 0.5  # if all are equal, any order is half right
    batch = worlds(range(2), c=-40.0, d=5.0)
    assert all(one.rewards.max() < 1e-14 for one in batch)
    assert any((one.concordance != 0.5).any() for one in simulate(batch, "P-N", THOMPSON, 20.0))


def test_more_arms_than_rows_and_unknown_pairs_are_refused() -> None:
    with pytest.raises(SettingError, match="arms is 501"):
        world(TABLE, 0, arms=501, questions=3, c=-4.0, d=8.0, seed=0)
    with pytest.raises(SettingError, match="pair is 'M-N'"):
        simulate(worlds(range(1)), "M-N", THOMPSON, 20.0)


# The published user study


def rounds(person: int = 0, seed: int = 0) -> list[World]:
    return rounds_of(person, FEATURES, People.default(), targets=range(1, 20), questions=15, seed=seed)


def test_a_person_is_the_same_in_all_rounds_one_for_each_target_and_none_begins_with_it() -> None:
    persons = set()
    for person in range(5):
        own = rounds(person)
        assert [one.target for one in own] == list(range(1, 20))
        assert all(one.first != one.target for one in own)
        assert len({one.first for one in own}) > 5
        (parameters,) = {(one.person.ready, one.person.again) for one in own if one.person is not None}
        persons.add(parameters)
    assert len(persons) == 5


def test_the_rewards_are_the_likenesses_and_the_weights_mean_them() -> None:
    for one in rounds():
        np.testing.assert_allclose(one.rewards, np.clip(FEATURES[one.target], 1e-4, 1 - 1e-4))
        np.testing.assert_allclose(one.arms @ one.thetas[one.target], one.odds, atol=1e-6)
        np.testing.assert_allclose(expit(one.odds_table)[one.target], one.rewards, atol=1e-6)


def test_the_same_names_give_the_same_rounds_and_all_learners_begin_them_alike() -> None:
    def asked(pair: str, seed: int) -> list[list[int]]:
        return [one.asked.tolist() for one in simulate(rounds(seed=seed), pair, Settings(samples=8), 20.0)]

    assert asked("H-N", 0) == asked("H-N", 0) != asked("H-N", 1)
    for pair in ("H-N", "H-M", "H-HT"):
        assert [questions[0] for questions in asked(pair, 0)] == [one.first for one in rounds()]
