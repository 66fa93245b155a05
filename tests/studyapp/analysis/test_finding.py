"""The shares and times of finding the target: participants weigh the same, and intervals are exact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from studyapp.analysis.curves import share_ci, time_ci
from studyapp.reporting.statistics import clustered_ci


def test_none_found_and_all_found_have_the_exact_interval_of_their_rounds() -> None:
    none, everything = share_ci(np.zeros((9, 2)), 189), share_ci(np.ones((9, 2)), 189)
    assert none.mean.tolist() == none.low.tolist() == [0, 0]
    assert none.high == pytest.approx(0.01933, abs=1e-4)  # 0 of 189: up to 1.9 %
    assert everything.low == pytest.approx(1 - none.high)


def test_the_interval_of_a_share_allows_participants_to_differ() -> None:
    shares = np.array([[0.2], [0.4], [0.9]])
    found = share_ci(shares, 30)
    assert found.mean == pytest.approx(0.5)
    low, high = clustered_ci(np.array(0.5), np.array(stats.sem(shares[:, 0]) ** 2), np.array(30), np.array(3))
    assert (found.low[0], found.high[0]) == pytest.approx((float(low), float(high)))


def test_one_participant_has_a_share_and_a_mean_without_intervals() -> None:
    share, mean = share_ci(np.array([[0.25, 0.5]]), 4), time_ci(np.array([9.0]))
    assert share.mean.tolist() == [0.25, 0.5]
    assert mean.mean == 9.0
    assert np.isnan([*share.low, *share.high, mean.low, mean.high]).all()


def test_times_that_are_the_same_have_no_interval() -> None:
    same = time_ci(np.full(9, 15.0))
    assert same.mean == 15.0
    assert np.isnan([same.low, same.high]).all()
    times = np.array([3.0, 4.0, 8.0])
    interval = stats.t.interval(0.95, 2, times.mean(), stats.sem(times))
    assert (time_ci(times).low, time_ci(times).high) == pytest.approx(interval)
