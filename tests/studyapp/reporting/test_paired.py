"""The paired t-test, the equivalence test and the Bayes factor, compared with SciPy and brute force."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from studyapp.reporting.paired import bayes_factor, equivalence, paired_test

SLEEP = (
    np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]),
    np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]),
)  # Student's own data


def two_columns(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.3, 1, n), rng.normal(0, 1, n)


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_the_paired_test_is_that_of_scipy(n: int, seed: int) -> None:
    first, second = two_columns(n, seed)
    test, expected = paired_test(first, second), stats.ttest_rel(first, second)
    interval = expected.confidence_interval(0.95)
    assert (test.t, test.p, test.df) == pytest.approx((expected.statistic, expected.pvalue, n - 1), rel=1e-9)
    assert (test.low, test.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert (test.count, test.reason) == (n, "")


@pytest.mark.parametrize(
    ("first", "second", "reason", "difference"),
    [
        ([np.nan], [1.0], "no participant has both models", math.nan),
        ([2.0, 1.0], [1.5, np.nan], "there is only one participant", 0.5),
        ([0.4, 0.6], [0.1, 0.3], "every participant has the same difference", 0.3),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], "every participant has the same difference", 0.0),
    ],
)
def test_where_there_is_no_test_the_reason_is_said(
    first: list[float], second: list[float], reason: str, difference: float
) -> None:
    test = paired_test(np.array(first), np.array(second))
    assert test.reason == reason
    assert test.difference == pytest.approx(difference, nan_ok=True)
    assert np.isnan([test.low, test.high, test.t, test.p]).all()
    assert math.isnan(equivalence(test, 0.5).p)
    assert not equivalence(test, 0.5).equivalent
    assert math.isnan(bayes_factor(test.t, test.count))


@given(st.integers(2, 30), st.floats(0.05, 3), st.integers(0, 2**32 - 1))
def test_equivalence_is_two_one_sided_tests_of_scipy(n: int, margin: float, seed: int) -> None:
    first, second = two_columns(n, seed)
    same = equivalence(paired_test(first, second), margin)
    above = stats.ttest_1samp(first - second, -margin, alternative="greater")
    below = stats.ttest_1samp(first - second, margin, alternative="less")
    assert same.p == pytest.approx(max(above.pvalue, below.pvalue), rel=1e-7)
    interval = stats.ttest_rel(first, second).confidence_interval(0.90)
    assert (same.low, same.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert same.equivalent == (-margin < same.low and same.high < margin)


def test_the_bayes_factor_of_students_sleep_data_is_the_published_one() -> None:
    """R: BayesFactor::ttestBF(sleep$extra[1:10], sleep$extra[11:20], paired = TRUE) gives 17.25888."""
    test = paired_test(*SLEEP)
    assert test.t == pytest.approx(-4.0621, abs=1e-4)
    assert bayes_factor(test.t, test.count) == pytest.approx(17.25888, abs=1e-4)


@given(st.floats(-6, 6), st.integers(2, 60), st.sampled_from([0.5, math.sqrt(2) / 2, 1.0]))
def test_the_bayes_factor_is_the_ratio_of_the_likelihoods_of_t(t: float, n: int, width: float) -> None:
    """Under H1, t has a noncentral t distribution, with an effect size from a Cauchy distribution."""

    def weighted(effect: float) -> float:
        return float(stats.nct.pdf(t, n - 1, effect * math.sqrt(n)) * stats.cauchy.pdf(effect, scale=width))

    peak = t / math.sqrt(n)
    ends = [-math.inf, peak - 3, peak, peak + 3, math.inf]
    parts = [integrate.quad(weighted, a, b, epsabs=1e-13)[0] for a, b in pairwise(ends)]
    expected = sum(parts) / stats.t.pdf(t, n - 1)
    assert bayes_factor(t, n, width) == pytest.approx(expected, rel=1e-5)


def test_the_bayes_factor_favours_no_effect_more_the_more_participants_show_none() -> None:
    factors = [bayes_factor(0.0, n) for n in (5, 20, 100, 1000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[0] < 1
    assert math.isfinite(bayes_factor(1e6, 500))
