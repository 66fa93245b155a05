"""Power compared with simulated studies and with brute force."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from studyapp.analysis.effects import OUTCOMES, Effect, effect_of
from studyapp.analysis.power import (
    LEAST,
    MOST,
    find_power,
    participants_for,
    power_by_pair,
    safe_number,
    sessions_to_show,
)
from studyapp.reporting import effect_size

PAIR = ("a", "b")


def effect_with(*d_z: float, sessions: int = 10, outcome: int = 0) -> Effect:
    """The effect of people whose differences have exactly these d_z, question by question."""
    noise = stats.norm.ppf((np.arange(sessions) + 0.5) / sessions)
    differences = np.array(d_z) + (noise / noise.std(ddof=1))[:, None]
    return effect_of(OUTCOMES[outcome], PAIR, len(d_z) + 1, differences, np.zeros_like(differences))


# Power


def test_the_power_is_the_share_of_studies_with_p_below_the_level_and_the_expected_model_ahead() -> None:
    rng = np.random.default_rng(2)
    for d_z, expected in ((0.6, "a"), (0.6, "b"), (-0.4, "b")):
        power = find_power(effect_with(d_z), expected, [5, 20], 0.05)
        for i, size in enumerate((5, 20)):
            tested = stats.ttest_1samp(rng.normal(d_z, 1, (20_000, size)), 0.0, axis=1)
            ahead = tested.statistic > 0 if expected == "a" else tested.statistic < 0
            assert power.share[i, 0] == pytest.approx(np.mean((tested.pvalue < 0.05) & ahead), abs=0.02)


@given(
    differences=st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30),
    expected=st.sampled_from(PAIR),
    level=st.floats(1e-6, 0.5),
    outcome=st.sampled_from([0, 1, 2]),
)
def test_an_estimate_lies_in_its_interval(
    differences: list[float], expected: str, level: float, outcome: int
) -> None:
    values = np.array(differences)[:, None]
    effect = effect_of(OUTCOMES[outcome], PAIR, 2, values, np.zeros_like(values))
    power = find_power(effect, expected, [2, 5, 50, 1000], level)
    known = np.isfinite(power.share)
    assert known.all() == bool(np.isfinite(effect.d_z).all())
    assert (power.low[known] <= power.share[known] + 1e-12).all()
    assert (power.share[known] <= power.high[known] + 1e-12).all()
    assert ((power.low[known] >= 0) & (power.high[known] <= 1)).all()


def test_every_question_has_its_own_power() -> None:
    power = find_power(effect_with(0.0, 0.5, 1.0), "a", [10, 20])
    assert power.effect.questions.tolist() == [2, 3, 4]
    expected = [effect_size.power(np.array([0.0, 0.5, 1.0]), n, 0.05) for n in (10, 20)]
    assert power.share == pytest.approx(np.array(expected))


def test_without_an_effect_size_there_is_no_power() -> None:
    same = np.ones((5, 1))
    power = find_power(effect_of(OUTCOMES[0], PAIR, 2, same, 0 * same), "a", [5, 10])
    assert np.isnan([power.share, power.low, power.high]).all()
    assert (power.needed(0.8), power.safe(0.8)) == (None, None)


def test_the_expected_model_is_the_named_one_and_otherwise_the_one_that_is_ahead() -> None:
    effects = {PAIR: [effect_with(-0.5), effect_with(0.5, outcome=1), effect_with(0.5, outcome=2)]}
    for better, expected in ((None, "bab"), ("a", "aaa"), ("b", "bbb"), ("c", "bab")):
        powers = power_by_pair(effects, [10], 0.05, better)[PAIR]
        assert "".join(power.expected for power in powers) == expected


def test_the_power_to_show_the_opposite_of_the_effect_falls_with_the_participants() -> None:
    power = find_power(effect_with(-0.8), "a", [5, 10, 50])
    assert power.share[0, 0] < 0.025
    assert (np.diff(power.share[:, 0]) < 0).all()
    assert (power.needed(0.8), power.safe(0.8)) == (None, None)


# Participants needed


@pytest.mark.parametrize("goal", [0.8, 0.9])
@pytest.mark.parametrize("d_z", [0.2, 0.35, 0.8, 1.5, 6.0, 1e9])
def test_the_participants_needed_are_the_first_with_the_power(d_z: float, goal: float) -> None:
    needed = next(n for n in range(2, 1000) if effect_size.power(d_z, n, 0.05) >= goal)
    assert participants_for(d_z, goal) == needed


@pytest.mark.parametrize("d_z", [0.01, 0.3, 1.0, 3.0])
def test_more_participants_have_more_power(d_z: float) -> None:
    sizes = [*range(2, 60), 100, 1000, 10_000, MOST]
    powers = [float(effect_size.power(d_z, n, 0.05)) for n in sizes]
    assert all(one < other or other > 1 - 1e-9 for one, other in pairwise(powers))


@pytest.mark.parametrize("d_z", [0.0, -0.5, -1e9, np.nan, 1e-6])
def test_no_number_of_participants_shows_an_effect_that_is_not_there(d_z: float) -> None:
    assert participants_for(d_z, 0.8) is None


def test_the_safe_number_has_the_power_at_the_lower_limit_and_is_never_small() -> None:
    low = effect_size.d_z_interval(1.1, 10)[0]
    assert (
        safe_number(1.1, 10, 0.8)
        == participants_for(low, 0.8)
        == find_power(effect_with(1.1), "a", [5]).safe(0.8)
    )
    assert participants_for(effect_size.d_z_interval(5.0, 10)[0], 0.8) == 4
    assert safe_number(5.0, 10, 0.8) == LEAST


def test_no_number_is_safe_if_the_interval_includes_0() -> None:
    assert effect_size.d_z_interval(0.6, 10)[0] < 0
    assert safe_number(0.6, 10, 0.8) is None


@pytest.mark.parametrize("d_z", [0.1, 0.33, -0.8, 2.0])
def test_the_sessions_that_would_show_an_effect_are_the_first_whose_interval_excludes_0(d_z: float) -> None:
    def shown(n: int) -> bool:
        low, high = effect_size.d_z_interval(d_z, n)
        return low > 0 or high < 0

    assert sessions_to_show(d_z) == next(n for n in range(2, 1000) if shown(n))
    assert sessions_to_show(0.0) is None
