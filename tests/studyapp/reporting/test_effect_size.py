"""The interval of d_z and the power, against SciPy's tests and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from studyapp.reporting.paired import d_z_interval, power
from studyapp.reporting.statistics import LARGEST_T

SMALL = st.floats(-5, 5).map(lambda value: round(value, 9))


@example(t=1116.0, n=239)
# SciPy's noncentral t underflows at 1e-100 and the like, so the numbers are rounded.
@given(t=st.floats(-LARGEST_T, LARGEST_T).map(lambda t: round(t, 9)) | SMALL, n=st.integers(2, 10_000))
def test_the_limits_of_d_z_make_the_observed_t_improbable(t: float, n: int) -> None:
    d_z, root = t / np.sqrt(n), np.sqrt(n)
    low, high = d_z_interval(d_z, n)
    assert low <= d_z <= high
    # The distribution of t is that of (shift + Z) / S, here by a sum over S, which is chi / sqrt(df).
    middles = (np.arange(20_000) + 0.5) / 20_000
    spread = np.sqrt(stats.chi2.ppf(middles, n - 1) / (n - 1))
    assert stats.norm.sf(t * spread - low * root).mean() == pytest.approx(0.025, abs=1e-4)
    assert stats.norm.cdf(t * spread - high * root).mean() == pytest.approx(0.025, abs=1e-4)


@given(d_z=SMALL, n=st.integers(2, 200))
def test_the_interval_excludes_0_exactly_if_p_is_below_5_per_cent(d_z: float, n: int) -> None:
    p = 2 * stats.t.sf(abs(d_z) * np.sqrt(n), n - 1)
    low, high = d_z_interval(d_z, n)
    if abs(p - 0.05) > 1e-9:
        assert (low > 0 or high < 0) == (p < 0.05)


def test_95_per_cent_of_intervals_contain_the_d_z_of_normal_people() -> None:
    for effect in (0.0, -1.5):
        people = np.random.default_rng(4).normal(effect, 1, (500, 10))
        intervals = [d_z_interval(float(d_z), 10) for d_z in people.mean(1) / people.std(1, ddof=1)]
        assert np.mean([low <= effect <= high for low, high in intervals]) == pytest.approx(0.95, abs=0.03)


def test_there_is_no_interval_without_an_effect_size() -> None:
    for d_z, n in ((np.nan, 10), (np.inf, 10), (1.0, 1)):
        assert np.isnan(d_z_interval(d_z, n)).all()


def test_the_power_is_the_share_of_studies_that_are_significant_in_the_expected_direction() -> None:
    for effect, n, level in ((0.5, 20, 0.05), (0.8, 10, 0.01), (-0.3, 30, 0.05), (0, 5, 0.2)):
        studies = np.random.default_rng(5).normal(effect, 1, (40_000, n))
        tested = stats.ttest_1samp(studies, 0.0, axis=1)
        share = np.mean((tested.pvalue < level) & (tested.statistic > 0))
        assert power(effect, n, level) == pytest.approx(share, abs=0.01)


def test_the_power_exists_for_any_effect_and_level() -> None:
    effects = np.array([-1e9, 0.0, 1e9])
    for n in (2, 10, 100_000):
        for level in (0.0001, 0.05):
            assert power(effects, n, level) == pytest.approx([0, level / 2, 1], abs=1e-9)
    assert np.isnan(power(np.nan, 10, 0.05))
