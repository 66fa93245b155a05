"""Kaplan and Meier's estimate, compared with SciPy, plain loops and the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studyapp.reporting.statistics import mean_ci
from studyapp.reporting.survival import Survival, kaplan_meier, restricted_mean, share_missing

Q = 15


def rounds(participants: int, each: int, seed: int, stopped: float = 0.0) -> tuple[np.ndarray, ...]:
    """Times, found and participants of random rounds; some share of them stopped early."""
    rng = np.random.default_rng(seed)
    speed = rng.uniform(0.03, 0.25, participants).repeat(each)
    times = rng.geometric(speed)
    ends = np.where(rng.random(len(times)) < stopped, rng.integers(1, Q + 1, len(times)), Q)
    return np.minimum(times, ends).astype(float), times <= ends, np.arange(participants).repeat(each)


def estimated(*given_rounds: np.ndarray) -> Survival:
    return kaplan_meier(*given_rounds, Q)


@given(st.integers(1, 6), st.integers(1, 30), st.sampled_from([0.0, 0.4, 0.9]), st.integers(0, 2**32 - 1))
def test_the_curve_is_that_of_scipy(participants: int, each: int, stopped: float, seed: int) -> None:
    times, found, people = rounds(participants, each, seed, stopped)
    data = stats.CensoredData(uncensored=times[found], right=times[~found])
    survival = estimated(times, found, people)
    last = int(times.max()) if not found[times == times.max()].all() else Q
    expected = stats.ecdf(data).sf.evaluate(np.arange(1, last + 1))
    assert survival.missing.mean[:last] == pytest.approx(expected, abs=1e-12)
    # Nobody was looked at for longer: the curve stays where it is.
    assert survival.missing.mean[last:] == pytest.approx(np.full(Q - last, expected[-1]), abs=1e-12)
    assert survival.at_risk[0] == len(times) == survival.found.sum() + survival.censored.sum()


@given(st.integers(2, 8), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_without_early_ends_shares_and_means_are_those_of_the_participants(
    participants: int, each: int, seed: int
) -> None:
    times, found, people = rounds(participants, each, seed)
    survival = estimated(times, found, people)
    shares = 1 - found.reshape(participants, each).mean(1)
    assert survival.missing.mean[-1] == pytest.approx(shares.mean(), abs=1e-12)
    expected = mean_ci(times.reshape(participants, each).mean(1))  # a round that needs more counts as Q
    assert survival.restricted_mean.mean == pytest.approx(expected.mean)
    if np.ptp(times.reshape(participants, each).mean(1)) > 1e-6:
        assert survival.restricted_mean.low == pytest.approx(expected.low)
        assert survival.restricted_mean.high == pytest.approx(expected.high)


def test_after_the_last_round_has_stopped_early_nothing_changes() -> None:
    survival = estimated(np.array([4.0, 4.0, 2.0]), np.array([True, False, True]), np.array([0, 0, 1]))
    assert survival.missing.mean.tolist() == [1.0, 0.5, 0.5, *[0.25] * 12]
    assert np.isfinite([survival.missing.low, survival.missing.high]).all()
    assert survival.restricted_mean.mean == 1 + 1 + 0.5 + 0.5 + 11 * 0.25
    assert np.isfinite(survival.restricted_mean.low)
    one = share_missing(np.array([4.0, 4.0]), np.array([True, False]), 6)
    assert one.tolist() == [1, 1, 1, 0.5, 0.5, 0.5]


def test_participants_weigh_the_same_whatever_their_number_of_rounds() -> None:
    times = np.array([3.0] * 8 + [15.0] * 2)
    survival = estimated(times, times < 15, np.array([0] * 8 + [1] * 2))
    assert survival.missing.mean[-1] == 0.5
    assert survival.restricted_mean.mean == 9.0


def test_none_found_and_all_found_have_the_exact_interval_of_their_rounds() -> None:
    people = np.arange(9).repeat(21)
    none = estimated(np.full(189, 15.0), np.zeros(189, dtype=bool), people)
    assert none.missing.low[-1] == pytest.approx(1 - 0.01933, abs=1e-4)  # 0 of 189 found: up to 1.9 %
    assert none.missing.high[-1] == 1.0
    assert none.restricted_mean.mean == 15.0
    assert np.isnan([none.restricted_mean.low, none.median]).all()
    all_at_once = estimated(np.full(189, 4.0), np.ones(189, dtype=bool), people)
    assert all_at_once.missing.mean.tolist() == [1.0] * 3 + [0.0] * 12
    assert all_at_once.missing.high[-1] == pytest.approx(0.01933, abs=1e-4)
    assert (all_at_once.restricted_mean.mean, all_at_once.median) == (4.0, 4.0)


def test_one_participant_has_a_curve_and_no_intervals() -> None:
    survival = estimated(*rounds(1, 19, 5))
    assert np.isfinite(survival.missing.mean).all()
    assert np.isnan([survival.missing.low, survival.missing.high]).all()
    assert np.isnan(survival.restricted_mean.low)


def test_variances_over_participants_are_those_of_the_bootstrap_where_rounds_stopped_early() -> None:
    participants, each = 60, 10
    times, found, people = rounds(participants, each, 2, stopped=0.5)
    survival = estimated(times, found, people)
    rng = np.random.default_rng(0)
    means = []
    for _ in range(1000):
        drawn = rng.integers(participants, size=participants)
        rows = (drawn[:, None] * each + np.arange(each)).ravel()
        means.append(restricted_mean(share_missing(times[rows], found[rows], Q)))
    half = float(survival.restricted_mean.high - survival.restricted_mean.mean)
    assert half / stats.t.ppf(0.975, participants - 1) == pytest.approx(np.std(means), rel=0.1)
