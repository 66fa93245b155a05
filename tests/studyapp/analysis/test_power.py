"""Power, and the participants needed, compared with simulated studies and with brute force."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools import POPULATIONS, people_like, pools_from, published_people
from published import needs_sessions
from scipy import stats

from studyapp.analysis.comparisons import Compared, compared_in
from studyapp.analysis.outcomes import OUTCOMES
from studyapp.analysis.power import (
    LEAST,
    MOST,
    Power,
    effect_of,
    participants_for,
    power_of,
    safe_number,
    sessions_to_show,
)
from studyapp.reporting.paired import d_z_interval, power

PAIR = ("a", "b")
MOST_TOO_SMALL = 0.1  # share of pools
HONEST_LIMIT = 0.3  # where a few people far on the wrong side decide: the pages say so


def compared(one: list[float], other: list[float], outcome: str = "reward") -> Compared:
    """Participants who had these values with each of two models, with one target."""
    values = [np.array(own, dtype=float) for own in (one, other)]
    people = [f"P{i}" for i in range(len(one))]
    return compared_in(OUTCOMES[outcome], PAIR, people, values, [own[:, None] for own in values])


def power_with(d_z: float, expected: str, sizes: list[int], outcome: str = "reward") -> Power:
    """The power if ten people's differences have exactly this d_z."""
    noise = stats.norm.ppf((np.arange(10) + 0.5) / 10)
    differences = d_z + noise / noise.std(ddof=1)
    effect = effect_of(compared(list(differences), [0.0] * 10, outcome))
    return power_of(effect, PAIR, OUTCOMES[outcome], expected, 15, sizes, 0.05)


# Which model is better


@pytest.mark.parametrize(("outcome", "better"), [("reward", "a"), ("found", "a"), ("time_to_find", "b")])
def test_more_reward_and_more_targets_are_better_but_fewer_questions(outcome: str, better: str) -> None:
    more, less = [5.0, 6.0, 5.5, 6.2], [1.0, 2.1, 1.2, 2.0]
    worse = "ab".replace(better, "")
    for own, expected in ((compared(more, less, outcome), better), (compared(less, more, outcome), worse)):
        assert (own.ahead, own.better, own.best_first[0]) == (expected, expected, expected)
        assert OUTCOMES[outcome].towards(PAIR, expected) == np.sign(own.test.difference)


def test_a_model_is_not_better_if_the_interval_includes_0_and_not_ahead_if_both_did_the_same() -> None:
    unclear = compared([1.0, 2.0, 3.0], [0.0, 2.5, 2.6])
    assert (unclear.ahead, unclear.better) == ("a", None)
    for other, ahead in (([0.5, 1.5, 2.5], "a"), ([1.0, 2.0, 3.0], None), ([1 + 1e-15, 2.0, 3.0], None)):
        same = compared([1.0, 2.0, 3.0], other)
        assert np.isnan([same.d_z, same.d_z_low, same.d_z_high]).all()
        assert (same.ahead, same.better) == (ahead, None)


# Power


def test_the_power_is_the_share_of_studies_with_p_below_the_level_and_the_expected_model_ahead() -> None:
    rng = np.random.default_rng(2)
    for d_z, expected, outcome in ((0.6, "a", "reward"), (0.6, "b", "reward"), (-0.4, "a", "time_to_find")):
        found = power_with(d_z, expected, [5, 20], outcome)
        for i, size in enumerate((5, 20)):
            tested = stats.ttest_1samp(rng.normal(d_z, 1, (20_000, size)), 0.0, axis=1)
            ahead = tested.statistic > 0 if (d_z > 0) == (expected == "a") else tested.statistic < 0
            assert found.power[i] == pytest.approx(np.mean((tested.pvalue < 0.05) & ahead), abs=0.02)


@given(
    differences=st.lists(st.floats(-1e3, 1e3).map(lambda value: round(value, 6)), min_size=2, max_size=30),
    expected=st.sampled_from(PAIR),
    outcome=st.sampled_from(OUTCOMES.names),
)
def test_an_estimate_lies_in_its_interval(differences: list[float], expected: str, outcome: str) -> None:
    own = compared(differences, [0.0] * len(differences), outcome)
    found = power_of(effect_of(own), PAIR, OUTCOMES[outcome], expected, 2, [2, 5, 1000], 0.05)
    shares, low, high = np.array(found.power), *np.array(found.ci95)
    assert np.isfinite(shares).all() == np.isfinite(own.d_z)
    if np.isfinite(own.d_z):
        assert ((low >= 0) & (low <= shares + 1e-12) & (shares <= high + 1e-12) & (high <= 1)).all()


def test_without_an_effect_size_there_is_no_power() -> None:
    same = effect_of(compared([1.0] * 5, [0.0] * 5))
    found = power_of(same, PAIR, OUTCOMES["reward"], "a", 2, [5, 10], 0.05)
    assert np.isnan([*found.power, *found.ci95[0], *found.ci95[1]]).all()
    assert {*found.needed.values(), *found.needed_at_lower_limit.values()} == {None}


def test_the_power_to_show_the_opposite_of_the_effect_falls_with_the_participants() -> None:
    found = power_with(-0.8, "a", [5, 10, 50])
    assert found.power[0] < 0.025
    assert sorted(found.power, reverse=True) == found.power
    assert {*found.needed.values(), *found.needed_at_lower_limit.values()} == {None}


# Participants needed


def test_the_participants_needed_are_the_first_with_the_power() -> None:
    for d_z in (0.2, 0.8, 1.5, 6.0, 1e9):
        for goal in (0.8, 0.9):
            needed = next(n for n in range(2, 1000) if power(d_z, n, 0.05) >= goal)
            assert participants_for(d_z, goal) == needed
    for d_z in (0.0, -0.5, -1e9, np.nan, 1e-6):
        assert participants_for(d_z, 0.8) is None


def test_more_participants_have_more_power() -> None:
    for d_z in (0.01, 0.3, 3.0):
        powers = [float(power(d_z, n, 0.05)) for n in [*range(2, 60), 100, 1000, 10_000, MOST]]
        assert all(one < other or other > 1 - 1e-9 for one, other in pairwise(powers))


def test_the_safe_number_has_the_power_at_the_lower_limit_and_is_never_small() -> None:
    low = d_z_interval(1.1, 10)[0]
    found = power_with(1.1, "a", [5])
    assert safe_number(1.1, 10, 0.8) == participants_for(low, 0.8) == found.needed_at_lower_limit["0.8"]
    assert participants_for(d_z_interval(5.0, 10)[0], 0.8) == 4
    assert safe_number(5.0, 10, 0.8) == LEAST
    assert d_z_interval(0.6, 10)[0] < 0
    assert safe_number(0.6, 10, 0.8) is None


def test_the_sessions_that_would_show_an_effect_are_the_first_whose_interval_excludes_0() -> None:
    for d_z in (0.33, -0.8, 2.0):
        first = next(n for n in range(2, 1000) if np.prod(d_z_interval(d_z, n)) > 0)
        assert sessions_to_show(d_z) == first
    assert sessions_to_show(0.0) is None


# Safe numbers are enough, whichever ten people happened to take part


@pytest.mark.parametrize(
    ("population", "effect"), [("normal", 0.5), ("shares", 0.8), ("skewed against", 0.8)]
)
def test_safe_numbers_are_enough_in_9_of_10_pools(population: str, effect: float) -> None:
    measured = pools_from(POPULATIONS[population], effect, 0.8, 200)
    assert measured.too_small <= MOST_TOO_SMALL
    assert measured.with_number > 0.15  # it is not that there are none


@pytest.mark.prove
@pytest.mark.parametrize("effect", [0.3, 0.8, 1.2])
@pytest.mark.parametrize("population", sorted(set(POPULATIONS) - {"very skewed"}))
def test_safe_numbers_are_enough_in_9_of_10_pools_of_any_usual_population(
    population: str, effect: float
) -> None:
    for goal in (0.8, 0.9):
        measured = pools_from(POPULATIONS[population], effect, goal, 1_000)
        assert measured.too_small <= MOST_TOO_SMALL
        assert measured.estimate_too_small > measured.too_small


@pytest.mark.prove
def test_safe_numbers_are_too_small_more_often_where_people_are_very_skewed() -> None:
    for effect in (0.5, 1.2):
        measured = pools_from(POPULATIONS["very skewed"], effect, 0.9, 1_000)
        assert MOST_TOO_SMALL < measured.too_small < HONEST_LIMIT


@needs_sessions
@pytest.mark.prove
@pytest.mark.parametrize("outcome", ["reward", "found", "time"])
def test_safe_numbers_are_enough_in_9_of_10_pools_of_people_like_the_published_ones(outcome: str) -> None:
    population = people_like(outcome, published_people()[outcome])
    for effect in (0.5, 1.2):
        assert pools_from(population, effect, 0.8, 1_000).too_small <= MOST_TOO_SMALL
