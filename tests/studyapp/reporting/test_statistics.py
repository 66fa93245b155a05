"""Statistics compared with scipy, brute force and exact cases."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studyapp.reporting.statistics import compare, exact_ci, holm, mean_ci, proportion_ci, sign_flip_p


def two_curves(n: int, questions: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.3, 1, (n, questions)).cumsum(1), rng.normal(0, 1, (n, questions)).cumsum(1)


@given(st.integers(2, 30), st.integers(1, 14), st.integers(0, 2**32 - 1))
def test_a_comparison_has_the_numbers_of_scipy_at_every_question(n: int, questions: int, seed: int) -> None:
    first, second = two_curves(n, questions, seed)
    comparison = compare(first, second)
    for q in range(questions):
        tested = stats.ttest_rel(first[:, q], second[:, q])
        interval = tested.confidence_interval(0.95)
        difference = first[:, q] - second[:, q]
        assert comparison.t[q] == pytest.approx(tested.statistic, rel=1e-9)
        assert comparison.p[q] == pytest.approx(tested.pvalue, rel=1e-9)
        assert (comparison.low[q], comparison.high[q]) == pytest.approx(
            (interval.low, interval.high), rel=1e-9
        )
        assert comparison.d_z[q] == pytest.approx(difference.mean() / difference.std(ddof=1), rel=1e-9)
        assert comparison.t[q] == pytest.approx(comparison.d_z[q] * np.sqrt(n), rel=1e-9)


@given(st.integers(2, 8), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_corrected_p_is_that_of_all_sign_flips_by_step_down(n: int, questions: int, seed: int) -> None:
    first, second = two_curves(n, questions, seed)
    difference = first - second
    observed = np.abs(stats.ttest_1samp(difference, 0.0).statistic)
    signs = np.array(list(product([1, -1], repeat=n)))
    flipped = np.abs(stats.ttest_1samp(signs[:, :, None] * difference, 0.0, axis=1).statistic)
    remaining, so_far = set(range(questions)), 0.0
    expected = np.zeros(questions)
    for q in sorted(remaining, key=lambda q: -observed[q]):
        largest = flipped[:, sorted(remaining)].max(-1)
        so_far = max(so_far, (largest >= observed[q] * (1 - 1e-9)).mean())
        expected[q] = so_far
        remaining.remove(q)
    assert sign_flip_p(difference) == pytest.approx(expected, abs=1e-12)


def test_a_clear_question_does_not_make_the_others_less_clear_than_they_are() -> None:
    rng = np.random.default_rng(3)
    clear, other = rng.normal(5, 1, 10), rng.normal(0.6, 1, 10)
    both = sign_flip_p(np.column_stack([clear, other]))
    assert both[0] == 2 / 1024
    assert both[1] == sign_flip_p(other[:, None])[0]  # the largest of both would be larger


def test_random_flips_for_many_participants_come_close_to_the_exact_p_and_never_give_zero() -> None:
    first, second = two_curves(30, 1, seed=4)
    difference = first - second
    exact = stats.permutation_test(
        (difference[:, 0],),
        lambda d, axis: np.abs(d.mean(axis)),
        permutation_type="samples",
        n_resamples=100_000,
        alternative="greater",
        rng=1,
    ).pvalue
    assert sign_flip_p(difference)[0] == pytest.approx(exact, abs=0.02)
    assert sign_flip_p(np.full((30, 2), 5.0) + np.arange(30)[:, None] * 1e-3).min() == pytest.approx(1e-4)


@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_corrected_p_is_never_below_that_of_a_single_permutation_test(
    n: int, questions: int, seed: int
) -> None:
    first, second = two_curves(n, questions, seed)
    difference = first - second
    corrected = sign_flip_p(difference)
    single = [sign_flip_p(difference[:, [q]])[0] for q in range(questions)]
    assert (corrected >= np.array(single) - 1e-12).all()
    assert corrected.min() == pytest.approx(sign_flip_p(difference).min())


def test_a_statistic_that_does_not_exist_is_nan_without_a_warning() -> None:
    one = compare(np.array([[1.0, 2.0]]), np.array([[0.0, 1.0]]))
    assert one.mean.tolist() == [1.0, 1.0]
    assert np.isnan([one.p, one.t, one.low, one.d_z, one.p_corrected]).all()
    same = compare(np.ones((5, 2)), np.ones((5, 2)))
    assert same.mean.tolist() == [0.0, 0.0]
    assert np.isnan([same.p, same.p_corrected]).all()
    constant = compare(np.full((5, 2), 0.3) + 0.1, np.full((5, 2), 0.1))
    assert np.isnan([constant.t, constant.p, constant.d_z]).all()  # not infinite: there is no spread
    assert np.isnan([constant.low, constant.high]).all()  # and no interval without any width
    nobody = compare(np.full((3, 2), np.nan), np.ones((3, 2)))
    assert nobody.participants == 0
    assert np.isnan(nobody.mean).all()


def test_equal_differences_give_the_smallest_p_that_flips_can_give() -> None:
    assert sign_flip_p(np.full((4, 1), 1.5)).tolist() == [2 / 16]


def test_a_question_without_differences_does_not_affect_the_correction_of_others() -> None:
    rng = np.random.default_rng(1)
    difference = np.column_stack([np.zeros(6), rng.normal(2, 1, 6)])
    corrected = sign_flip_p(difference)
    assert np.isnan(corrected[0])
    assert corrected[1] == sign_flip_p(difference[:, 1:])[0]


def test_the_interval_of_a_mean_leaves_out_unknown_values() -> None:
    values = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0]])
    estimate = mean_ci(values)
    assert estimate.count.tolist() == [3, 2]
    low, high = stats.t.interval(0.95, 2, loc=2.0, scale=stats.sem([1.0, 2.0, 3.0]))
    assert (estimate.mean[0], estimate.low[0], estimate.high[0]) == pytest.approx((2.0, low, high))
    assert estimate.mean[1] == 6.0


def test_a_proportion_of_participants_who_differ_has_the_exact_interval_of_fewer_trials() -> None:
    hits, trials = np.array([[3.0], [5.0], [4.0], [8.0]]), np.full((4, 1), 10.0)
    estimate = proportion_ci(hits, trials)
    assert estimate.mean[0] == 0.5
    few = (stats.t.ppf(0.975, 39) / stats.t.ppf(0.975, 3)) ** 2
    worth = 0.25 / (np.var([0.3, 0.5, 0.4, 0.8], ddof=1) / 4) * few
    low, high = stats.beta.ppf([0.025, 0.975], [worth / 2, worth / 2 + 1], [worth / 2 + 1, worth / 2])
    assert (estimate.low[0], estimate.high[0]) == pytest.approx((low, high))
    assert worth < 10


def test_participants_who_do_not_differ_are_worth_all_of_their_trials() -> None:
    estimate = proportion_ci(np.full((4, 1), 5.0), np.full((4, 1), 10.0))
    expected = stats.binomtest(20, 40).proportion_ci(method="exact")
    assert (estimate.low[0], estimate.high[0]) == pytest.approx((expected.low, expected.high))


def test_the_interval_of_a_share_holds_the_truth_in_95_percent_of_studies() -> None:
    rng = np.random.default_rng(8)
    studies, participants, rounds = 2000, 8, 19
    truth = 0.9
    own = rng.beta(truth * 10, (1 - truth) * 10, (participants, studies))
    estimate = proportion_ci(rng.binomial(rounds, own).astype(float), np.full(own.shape, float(rounds)))
    assert ((estimate.low <= truth) & (truth <= estimate.high)).mean() > 0.94


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holms_correction_is_that_of_testing_every_set_of_hypotheses(p: list[float]) -> None:
    sets = [chosen for k in range(1, len(p) + 1) for chosen in combinations(range(len(p)), k)]
    bonferroni = {own: min(1.0, len(own) * min(p[i] for i in own)) for own in sets}
    expected = [max(bonferroni[own] for own in sets if one in own) for one in range(len(p))]
    assert holm(np.array(p)) == pytest.approx(expected)


def test_tests_without_a_p_do_not_count_in_holms_correction() -> None:
    assert holm(np.array([0.01, np.nan, 0.04])) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert np.isnan(holm(np.array([np.nan]))).all()


@given(st.integers(1, 200).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_exact_interval_of_a_proportion_is_that_of_scipy(counts: tuple[int, int]) -> None:
    hits, trials = counts
    low, high = exact_ci(np.array([float(hits)]), np.array([float(trials)]))
    expected = stats.binomtest(hits, trials).proportion_ci(method="exact")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert low[0] < high[0]


def test_a_proportion_without_trials_has_no_interval() -> None:
    assert np.isnan(exact_ci(np.array([0.0]), np.array([0.0]))).all()


@pytest.mark.parametrize("hits", [0.0, 10.0])
def test_trials_of_several_participants_that_all_end_alike_have_the_exact_interval(hits: float) -> None:
    estimate = proportion_ci(np.full((2, 1), hits), np.full((2, 1), 10.0))
    expected = stats.binomtest(int(2 * hits), 20).proportion_ci(method="exact")
    assert (estimate.low[0], estimate.high[0]) == pytest.approx((expected.low, expected.high))
