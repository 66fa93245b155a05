"""Concordance agrees with plain counting of pairs and with Kendall's tau."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from core.randomness import stream
from core.simulation import TrueOrder


def counted(truth: NDArray[np.float64], estimate: NDArray[np.float64]) -> float:
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
    expected = [counted(*row) for row in zip(truth, estimates, strict=True)]
    np.testing.assert_allclose(TrueOrder(truth).concordance(estimates), expected, atol=1e-15)


def test_concordance_without_ties_is_kendalls_tau_on_another_scale() -> None:
    draws = stream(1, "concordance")
    truth, estimates = draws.uniform(50), draws.uniform(50)
    tau = stats.kendalltau(truth, estimates).statistic
    assert TrueOrder(truth[None]).concordance(estimates[None])[0] == pytest.approx((tau + 1) / 2)


def test_concordance_of_the_truth_is_1_of_its_opposite_0_and_of_a_constant_one_half() -> None:
    truth = stream(2, "concordance").uniform(3 * 9).reshape(3, 9)
    for estimates, expected in ((truth, 1.0), (-truth, 0.0), (0 * truth, 0.5), (truth + 1e6, 1.0)):
        np.testing.assert_array_equal(TrueOrder(truth).concordance(estimates), expected)


def test_if_all_arms_are_equal_any_order_is_half_right() -> None:
    for estimates in ([[0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]]):
        assert TrueOrder(np.full((1, 3), -0.7)).concordance(np.array(estimates)).tolist() == [0.5]


def test_differences_by_rounding_do_not_count_as_order() -> None:
    truth = np.array([[0.1, 0.1 + 1e-15, 0.9]])
    assert TrueOrder(truth).concordance(np.array([[2.0, 1.0, 3.0]])) == 1.0
    rounded = TrueOrder(np.array([[0.1, 0.5, 0.9]])).concordance(np.array([[2.0, 2.0 - 1e-14, 3.0]]))
    assert rounded == pytest.approx(5 / 6)
