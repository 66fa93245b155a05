"""Effects of made-up participants, compared with the paired t-test of SciPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up import a_session, others_like
from scipy import stats

from studyapp.analysis.comparisons import compare_models
from studyapp.analysis.effects import OUTCOMES, Effect, effect_of, effects_by_pair
from studyapp.analysis.finding import find_targets
from studyapp.analysis.rewards import compare_rewards
from studyapp.analysis.sample import Sample

REWARD, FOUND, TIME = OUTCOMES


def effect(one: list[float], other: list[float], outcome: int = 0) -> Effect:
    columns = (np.array(values, dtype=float)[:, None] for values in (one, other))
    return effect_of(OUTCOMES[outcome], ("a", "b"), 15, *columns)


def test_an_effect_is_the_mean_difference_with_the_interval_of_the_paired_t_test() -> None:
    one, other = np.random.default_rng(1).normal(0, 1, (2, 9))
    tested = stats.ttest_rel(one, other)
    found = effect(list(one), list(other))
    assert found.difference[0] == pytest.approx((one - other).mean())
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(tested.confidence_interval()))
    assert found.d_z[0] == pytest.approx(tested.statistic / 3)
    assert found.d_z_low[0] < found.d_z[0] < found.d_z_high[0]
    assert (found.sessions, found.questions.tolist()) == (9, [15])


@pytest.mark.parametrize(("outcome", "better"), [(0, "a"), (1, "a"), (2, "b")])
def test_more_reward_and_more_targets_are_better_but_fewer_questions(outcome: int, better: str) -> None:
    more, less = [5.0, 6.0, 5.5, 6.2], [1.0, 2.1, 1.2, 2.0]
    worse = "ab".replace(better, "")
    for found, expected in ((effect(more, less, outcome), better), (effect(less, more, outcome), worse)):
        assert (found.ahead, found.better) == (expected, expected)
        assert found.towards(expected) == np.sign(found.difference[-1])


def test_a_model_is_not_better_if_the_interval_includes_0() -> None:
    found = effect([1.0, 2.0, 3.0], [0.0, 2.5, 2.6])
    assert (found.ahead, found.better) == ("a", None)


def test_participants_without_one_of_the_models_are_left_out() -> None:
    found = effect([1.0, np.nan, 3.0, 2.0], [0.0, 0.0, 1.0, np.nan])
    assert (found.sessions, found.difference.tolist()) == (2, [1.5])


@pytest.mark.parametrize(("other", "ahead"), [([0.5, 1.5, 2.5], "a"), ([1.0, 2.0, 3.0], None)])
def test_without_spread_there_is_no_effect_size(other: list[float], ahead: str | None) -> None:
    found = effect([1.0, 2.0, 3.0], other)
    assert np.isnan([found.d_z[0], found.d_z_low[0], found.d_z_high[0]]).all()
    assert (found.ahead, found.better) == (ahead, None)


def test_differences_that_are_rounding_are_none() -> None:
    found = effect([7.1, 7.2, 7.3], [7.1 + 1e-15, 7.2, 7.3 + 2e-15])
    assert (found.difference[0], found.ahead) == (0.0, None)
    assert np.isnan(found.d_z[0])


def test_the_effects_are_those_of_the_report(tmp_path: Path) -> None:
    sample = Sample(others_like(a_session(tmp_path), 6))
    rewards = compare_rewards(sample)
    compared = compare_models(sample, rewards, find_targets(sample), margin=0.5)
    for pair, (reward, found, time) in effects_by_pair(sample).items():
        assert reward.questions.tolist() == rewards.compared_questions.tolist()
        outcomes = compared[pair].reward, compared[pair].found, compared[pair].time
        for effect, outcome in zip((reward, found, time), outcomes, strict=True):
            assert effect.difference[-1] == pytest.approx(outcome.test.difference)
            assert effect.sessions == outcome.test.count
            if not outcome.test.reason:
                assert effect.low[-1] == pytest.approx(outcome.test.low)
        assert reward.difference == pytest.approx(rewards.comparisons[pair].mean)
        assert reward.low == pytest.approx(rewards.comparisons[pair].low)
        assert reward.d_z == pytest.approx(rewards.comparisons[pair].d_z)
