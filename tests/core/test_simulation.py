"""The simulated experiments: against one learner and one teacher at a time, exact cases, and in any batch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import stats

from core import Learner, Vocabulary
from core.concordance import concordance
from core.errors import SettingError
from core.pairs import PAIRS, pair_named
from core.randomness import stream
from core.settings import Settings
from core.simulated import SimulatedTeacher
from core.simulation import Replication, World, prepared, simulate, world
from core.thompson import best_arm_probabilities, thompson_points

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


def test_a_column_or_row_without_any_direction_is_refused() -> None:
    table = np.random.default_rng(0).normal(size=(5, 3))
    flat = table.copy()
    flat[:, 1] = 7.0
    with pytest.raises(SettingError, match="column 2 has the same number in every row"):
        prepared(flat)
    centre = np.vstack([table, -table, np.zeros((1, 3))])
    with pytest.raises(SettingError, match="row 11 is the mean of all rows"):
        prepared(centre)


def test_a_world_has_the_rewards_of_the_paper_and_the_constant_first() -> None:
    for each in worlds(range(20)):
        assert each.arms.shape == (30, 11)
        assert (each.arms[:, 0] == 1.0).all()
        np.testing.assert_array_equal(each.arms[:, 1:], TABLE[each.rows])
        assert len(set(each.rows.tolist())) == 30
        odds = each.arms @ each.theta
        np.testing.assert_allclose(each.rewards, 1 / (1 + np.exp(-odds)), atol=1e-12)
        assert each.theta[0] == -4.0
        assert each.rewards.max() == pytest.approx(1 / (1 + np.exp(-4.0)))  # the target: c + d
        assert 0 <= each.first < 30


def test_worlds_differ_by_number_and_seed_and_by_nothing_else() -> None:
    (one,), (again,) = worlds(range(3, 4)), worlds(range(3, 4))
    assert one.rows.tolist() == again.rows.tolist()
    assert (one.seed, one.first) == (again.seed, again.first)
    assert one.luck.tolist() == again.luck.tolist()
    rows = {tuple(each.rows.tolist()) for each in worlds(range(10)) + worlds(range(10), seed=1)}
    assert len(rows) == 20


def test_targets_and_first_questions_are_spread_over_all_arms() -> None:
    many = worlds(range(600), arms=5, questions=1)
    firsts = np.bincount([each.first for each in many], minlength=5)
    targets = np.bincount([int(each.rewards.argmax()) for each in many], minlength=5)
    for counts in (firsts, targets):
        assert stats.chisquare(counts).pvalue > 1e-4


# One learner and one teacher at a time


def one_by_one(
    each: World, pair: str, settings: Settings, teacher_beta: float
) -> tuple[list[int], list[int]]:
    """The same world by way of Learner and SimulatedTeacher."""
    parts = pair_named(pair)
    learner = Learner(
        each.arms,
        teacher=parts.model.name,
        selection=settings.selection,
        beta=settings.beta,
        horizon=settings.horizon,
        samples=settings.samples,
        seed=each.seed,
    )
    plan = Settings(beta=teacher_beta, horizon=settings.horizon, samples=settings.samples, seed=each.seed)
    teacher = SimulatedTeacher(parts.teacher.name, each.arms, each.rewards, plan)
    state = learner.begin(each.first)
    asked, answers = [], []
    for luck in each.luck:
        asked.append(state.arm)
        answers.append(int(luck < teacher.chance(state.history, state.arm)))
        state = learner.tell(state, answers[-1])
    return asked, answers


@pytest.mark.parametrize("pair", PAIRS)
def test_a_replication_is_what_a_learner_asks_and_a_teacher_answers(pair: str) -> None:
    settings = Settings(selection="thompson", samples=64, beta=10.0)
    some = worlds(range(4), questions=8)
    for each, found in zip(some, simulate(some, pair, settings, 15.0), strict=True):
        assert (found.asked.tolist(), found.answers.tolist()) == one_by_one(each, pair, settings, 15.0)
        assert found.reward.tolist() == each.rewards[found.asked].tolist()
        assert found.converged
        assert (found.alpha is None) == (pair[2] != "M")


@pytest.mark.parametrize("selection", ["bayes-ucb", "greedy"])
def test_other_rules_of_selection_are_a_learners_too(selection: str) -> None:
    settings = Settings(selection=selection, samples=64)
    some = worlds(range(2))
    for each, found in zip(some, simulate(some, "P-M", settings, 20.0), strict=True):
        assert (found.asked.tolist(), found.answers.tolist()) == one_by_one(each, "P-M", settings, 20.0)


def test_planning_two_steps_is_a_learners_and_a_teachers_too() -> None:
    settings = Settings(selection="thompson", samples=64, horizon=2)
    some = worlds(range(2), questions=4)
    for each, found in zip(some, simulate(some, "P-P", settings, 20.0), strict=True):
        assert (found.asked.tolist(), found.answers.tolist()) == one_by_one(each, "P-P", settings, 20.0)


# Whatever the batch


@pytest.mark.parametrize("fit", ["converged", "published"])
@pytest.mark.parametrize("pair", ["N-N", "N-M", "P-P"])
def test_replications_do_not_depend_on_their_company_or_order(pair: str, fit: str) -> None:
    settings = Settings(selection="thompson", samples=64, fit=fit)
    some = worlds(range(5), questions=5)
    together = simulate(some, pair, settings, 20.0)
    backwards = simulate(some[::-1], pair, settings, 20.0)[::-1]
    alone = [simulate([each], pair, settings, 20.0)[0] for each in some]
    assert all(map(same, together, alone))
    assert all(map(same, together, backwards))


def test_pairs_share_the_first_question_of_a_replication() -> None:
    some = worlds(range(6), questions=2)
    firsts = [[found.asked[0] for found in simulate(some, pair, THOMPSON, 20.0)] for pair in PAIRS]
    assert all(first == firsts[0] for first in firsts)


def test_a_naive_teacher_says_yes_as_often_as_the_reward_is() -> None:
    some = worlds(range(400), arms=5, questions=1, c=-1.0, d=2.0)
    found = simulate(some, "N-N", THOMPSON, 20.0)
    rewards = np.array([each.reward[0] for each in found])
    yes = np.array([each.answers[0] for each in found])
    spread = np.sqrt((rewards * (1 - rewards)).sum())
    assert abs(yes.sum() - rewards.sum()) < 4 * spread


def test_a_teacher_of_beta_0_says_yes_to_half_of_everything() -> None:
    found = simulate(worlds(range(200), arms=5, questions=3), "P-N", THOMPSON, 0.0)
    yes = np.array([each.answers for each in found])
    assert stats.binomtest(int(yes.sum()), yes.size).pvalue > 1e-4


# How the imagined learner is fitted


def test_nobody_imagines_anything_with_a_naive_teacher_and_learner() -> None:
    some = worlds(range(3))
    one, other = (simulate(some, "N-N", THOMPSON, 20.0, fit) for fit in ("converged", "published"))
    assert all(map(same, one, other))
    assert all(each.contrast is None for each in one)


def test_the_imagined_learner_is_fitted_as_told_and_the_learner_as_set() -> None:
    """The contrast is the imagined learner's, what a first answer teaches depends on both."""
    some = worlds(range(4), questions=1)
    published = Settings(selection="thompson", samples=64, fit="published")
    by_fits = {
        (fit, imagined): simulate(some, "N-P", settings, 20.0, imagined)
        for fit, settings in (("converged", THOMPSON), ("published", published))
        for imagined in ("converged", "published")
    }
    contrasts = {fits: [float(each.contrast[0]) for each in found] for fits, found in by_fits.items()}  # type: ignore[index]
    assert contrasts["converged", "published"] == contrasts["published", "published"]
    assert contrasts["published", "converged"] == contrasts["converged", "converged"]
    halved = np.array(contrasts["converged", "published"]) / np.array(contrasts["converged", "converged"])
    assert (halved < 0.75).all()
    told = {fits: {each.converged for each in found} for fits, found in by_fits.items()}
    assert told.pop(("converged", "converged")) == {True}
    assert all(each == {False} for each in told.values())
    as_set = simulate(some, "N-P", published, 20.0)
    assert all(map(same, as_set, by_fits["published", "published"]))


def test_the_contrast_is_how_far_apart_the_next_questions_are_in_expectation() -> None:
    (each,) = worlds(range(1), questions=1)
    (found,) = simulate([each], "P-N", THOMPSON, 20.0)
    points = thompson_points(*each.arms.shape, 64, each.seed)
    ahead = []
    for answer in (0, 1):
        state = Learner(each.arms, teacher="naive").condition([(each.first, answer)])
        factor = np.linalg.inv(np.linalg.cholesky(np.linalg.inv(state.cov))).T
        mean, root, arms = (torch.from_numpy(part.copy())[None] for part in (state.mean, factor, each.arms))
        ahead.append(best_arm_probabilities(mean, root, arms, points)[0].numpy() @ each.arms)
    assert found.contrast is not None
    assert found.contrast[0] == pytest.approx(np.linalg.norm(ahead[1] - ahead[0]), abs=1e-9)


# Concordance


def plain(truth: NDArray[np.float64], estimate: NDArray[np.float64]) -> float:
    right, pairs = 0.0, 0
    for i, j in itertools.combinations(range(len(truth)), 2):
        if truth[i] != truth[j]:
            pairs += 1
            agree = (truth[i] - truth[j]) * (estimate[i] - estimate[j])
            right += 1.0 if agree > 0 else 0.5 if agree == 0 else 0.0
    return right / pairs


def test_concordance_is_the_share_of_pairs_in_the_right_order() -> None:
    draws = stream(0, "concordance")
    truth = np.round(draws.uniform(7 * 20).reshape(7, 20), 1)
    estimates = np.round(draws.uniform(7 * 20).reshape(7, 20), 1)
    expected = [plain(*row) for row in zip(truth, estimates, strict=True)]
    np.testing.assert_allclose(concordance(truth, estimates), expected, atol=1e-15)


def test_concordance_without_ties_is_kendalls_tau_on_another_scale() -> None:
    draws = stream(1, "concordance")
    truth, estimates = draws.uniform(50), draws.uniform(50)
    tau = stats.kendalltau(truth, estimates).statistic
    assert concordance(truth[None], estimates[None])[0] == pytest.approx((tau + 1) / 2)


def test_concordance_of_the_truth_is_1_of_its_opposite_0_and_of_nothing_one_half() -> None:
    truth = stream(2, "concordance").uniform(3 * 9).reshape(3, 9)
    for estimates, expected in ((truth, 1.0), (-truth, 0.0), (0 * truth, 0.5), (truth + 1e6, 1.0)):
        np.testing.assert_array_equal(concordance(truth, estimates), expected)


def test_where_no_arm_is_better_than_another_any_order_is_half_right() -> None:
    for estimates in ([[0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]]):
        assert concordance(np.full((1, 3), -0.7), np.array(estimates)).tolist() == [0.5]
    found = simulate(worlds(range(2), d=0.0), "P-N", THOMPSON, 20.0)
    assert all((each.concordance == 0.5).all() for each in found)


def test_arms_of_hardly_any_reward_still_have_an_order() -> None:
    some = worlds(range(2), c=-40.0, d=5.0)
    assert all(each.rewards.max() < 1e-14 for each in some)
    assert any((each.concordance != 0.5).any() for each in simulate(some, "P-N", THOMPSON, 20.0))


def test_differences_by_rounding_are_no_order() -> None:
    truth = np.array([[0.1, 0.1 + 1e-15, 0.9]])
    assert concordance(truth, np.array([[2.0, 1.0, 3.0]])) == 1.0
    assert concordance(np.array([[0.1, 0.5, 0.9]]), np.array([[2.0, 2.0 - 1e-14, 3.0]])) == pytest.approx(
        5 / 6
    )


def test_more_arms_than_rows_and_unknown_pairs_are_refused() -> None:
    with pytest.raises(SettingError, match="arms is 501"):
        world(TABLE, 0, arms=501, questions=3, c=-4.0, d=8.0, seed=0)
    with pytest.raises(SettingError, match="pair is 'M-N'"):
        simulate(worlds(range(1)), "M-N", THOMPSON, 20.0)
