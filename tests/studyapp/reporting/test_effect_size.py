"""The noncentral t distribution, the interval of d_z and the power, against SciPy and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studyapp.reporting.effect_size import d_z_interval, power, probability_above

SHIFTS = np.array([-60.0, -3, -1, 0, 0.5, 2, 4, 10, 60])


@pytest.mark.parametrize("df", [1, 2, 3, 9, 30, 1000, 100_000])
@pytest.mark.parametrize("t", [-60.0, -2.0, 0.0, 0.5, 1.7, 2.3, 5.0, 12.7, 60.0])
def test_the_probability_is_that_of_scipys_noncentral_t(t: float, df: int) -> None:
    assert probability_above(t, df, SHIFTS) == pytest.approx(stats.nct.sf(t, df, SHIFTS), abs=1e-9)


@pytest.mark.parametrize(("t", "df"), [(1e6, 9), (1e9, 1), (1e4, 29), (1e5, 999)])
def test_the_probability_is_right_for_a_t_that_is_too_large_for_scipy(t: float, df: int) -> None:
    # The normal part of T vanishes beside such a shift: T > t if the chi part is below shift / t.
    for ratio in (0.8, 1.0, 1.1):
        expected = stats.chi2.cdf(df * ratio**2, df)
        assert probability_above(t, df, ratio * t) == pytest.approx(expected, abs=1e-4)


# SciPy's noncentral t underflows at 1e-154 and the like, so the numbers are rounded.
@given(d_z=st.floats(-5, 5).map(lambda d_z: round(d_z, 9)), n=st.integers(2, 200))
def test_the_limits_of_d_z_make_the_observed_t_improbable(d_z: float, n: int) -> None:
    low, high = d_z_interval(d_z, n)
    t, root = d_z * np.sqrt(n), np.sqrt(n)
    assert stats.nct.sf(t, n - 1, low * root) == pytest.approx(0.025, abs=1e-6)
    assert stats.nct.cdf(t, n - 1, high * root) == pytest.approx(0.025, abs=1e-6)


@given(d_z=st.floats(-1e9, 1e9), n=st.integers(2, 10_000))
def test_d_z_lies_in_its_interval(d_z: float, n: int) -> None:
    low, high = d_z_interval(d_z, n)
    assert low <= d_z <= high


@given(d_z=st.floats(-5, 5), n=st.integers(2, 200))
def test_the_interval_excludes_0_exactly_if_p_is_below_5_per_cent(d_z: float, n: int) -> None:
    p = 2 * stats.t.sf(abs(d_z) * np.sqrt(n), n - 1)
    low, high = d_z_interval(d_z, n)
    if abs(p - 0.05) > 1e-9:
        assert (low > 0 or high < 0) == (p < 0.05)


@pytest.mark.parametrize("effect", [0.0, 0.8, -1.5])
def test_95_per_cent_of_intervals_contain_the_d_z_of_normal_people(effect: float) -> None:
    people = np.random.default_rng(4).normal(effect, 1, (1000, 10))
    intervals = [d_z_interval(float(d_z), 10) for d_z in people.mean(1) / people.std(1, ddof=1)]
    assert np.mean([low <= effect <= high for low, high in intervals]) == pytest.approx(0.95, abs=0.03)


def test_there_is_no_interval_without_an_effect_size() -> None:
    for d_z, n in ((np.nan, 10), (np.inf, 10), (1.0, 1)):
        assert np.isnan(d_z_interval(d_z, n)).all()


@pytest.mark.parametrize(
    ("effect", "n", "level"), [(0.5, 20, 0.05), (0.8, 10, 0.01), (-0.3, 30, 0.05), (0, 5, 0.2)]
)
def test_the_power_is_the_share_of_studies_that_are_significant_in_the_expected_direction(
    effect: float, n: int, level: float
) -> None:
    studies = np.random.default_rng(5).normal(effect, 1, (40_000, n))
    tested = stats.ttest_1samp(studies, 0.0, axis=1)
    share = np.mean((tested.pvalue < level) & (tested.statistic > 0))
    assert power(effect, n, level) == pytest.approx(share, abs=0.01)


def test_the_power_exists_for_any_effect_and_level() -> None:
    effects = np.array([-1e9, 0.0, 1e9])
    for n in (2, 10, 100_000):
        assert power(effects, n, 0.05) == pytest.approx([0, 0.025, 1], abs=1e-9)
        assert (power(effects[:2], n, 5e-324) < 1e-100).all()
    assert np.isnan(power(np.nan, 10, 0.05))
