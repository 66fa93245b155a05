"""Power compared with exact cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from studyapp.analysis.power import Power, find_power, participants_for

NOISE = 0.03  # four standard errors of a share of 4000 studies


def normal_pool(effect: float, size: int = 1000) -> np.ndarray:
    """Normal differences with this mean in standard deviations, as quantiles rather than random draws."""
    pool = stats.norm.ppf((np.arange(size) + 0.5) / size)
    return np.asarray(effect + pool / pool.std())[:, None]


def exact_power(effect: float, n: int, level: float) -> float:
    """The power of the two-sided paired t-test, from the noncentral t distribution."""
    critical = stats.t.ppf(1 - level / 2, n - 1)
    above = stats.nct.sf(critical, n - 1, effect * np.sqrt(n))
    below = stats.nct.cdf(-critical, n - 1, effect * np.sqrt(n))
    return float(above + below)


# Power


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize("effect", [0.3, 0.8, -0.8])
def test_the_power_for_normal_differences_is_that_of_the_noncentral_t(effect: float, level: float) -> None:
    sizes = [3, 5, 10, 20, 40]
    power = find_power(normal_pool(effect), sizes, level)
    expected = [exact_power(effect, n, level) for n in sizes]
    assert power.share[:, 0] == pytest.approx(expected, abs=NOISE)


def test_without_an_effect_the_power_is_about_the_level() -> None:
    for level in (0.05, 0.2):
        power = find_power(normal_pool(0.0), [2, 5, 20, 60], level)
        assert power.share[:, 0] == pytest.approx(level, abs=NOISE)


def test_the_power_from_a_small_pool_is_the_share_of_successes_among_all_possible_studies() -> None:
    pool = np.array([[0.4, -1.0], [0.5, 2.0], [0.7, 2.5], [0.6, 2.6]])
    power = find_power(pool, [3])
    studies = [pool[list(chosen)] for chosen in product(range(4), repeat=3) if len(set(chosen)) > 1]
    succeeded = [stats.ttest_1samp(study, 0.0).pvalue < 0.05 for study in studies]
    assert power.share[0] == pytest.approx(np.sum(succeeded, axis=0) / 4**3, abs=NOISE)
    assert 0.1 < power.share[0, 1] < power.share[0, 0] < 0.95


def test_a_study_that_repeats_one_session_does_not_succeed() -> None:
    power = find_power(np.array([[1.0], [5.0]]), [2])
    assert (power.share.item(), power.low.item(), power.high.item()) == (0.0, 0.0, 0.0)


def test_more_participants_have_more_power() -> None:
    power = find_power(normal_pool(0.5), [4, 8, 16, 32, 64])
    assert (np.diff(power.share[:, 0]) > 0).all()
    assert power.share[-1, 0] > 0.95


def test_every_question_from_the_second_on_has_its_own_power() -> None:
    pool = np.hstack([normal_pool(effect) for effect in (0.0, 0.5, 1.0)])
    power = find_power(pool, [10, 20])
    assert power.questions.tolist() == [2, 3, 4]
    assert power.sizes.tolist() == [10, 20]
    for at, effect in enumerate((0.0, 0.5, 1.0)):
        expected = [exact_power(effect, n, 0.05) for n in (10, 20)]
        assert power.share[:, at] == pytest.approx(expected, abs=NOISE)


def test_intervals_contain_the_power_and_are_wider_for_a_smaller_pool() -> None:
    inside, widths = [], []
    for seed in range(6):
        people = np.random.default_rng(seed).normal(0.5, 1, (120, 1))
        small, large = find_power(people[:12], [10, 20, 30]), find_power(people, [10, 20, 30])
        inside += [(power.low <= power.share) & (power.share <= power.high) for power in (small, large)]
        widths.append([(power.high - power.low).mean() for power in (small, large)])
    assert np.mean(inside) > 0.9
    of_small, of_large = np.array(widths).T
    assert (of_large < of_small).mean() > 0.8
    assert of_large.mean() < 0.75 * of_small.mean()


def test_most_intervals_contain_the_power_of_the_population_behind_the_pool() -> None:
    true = exact_power(0.6, 15, 0.05)
    contained = []
    for seed in range(40):
        power = find_power(np.random.default_rng(seed).normal(0.6, 1, (30, 1)), [15])
        contained.append(power.low.item() <= true <= power.high.item())
    assert np.mean(contained) > 0.8


def test_the_numbers_for_one_size_do_not_depend_on_the_other_sizes() -> None:
    pool = np.random.default_rng(3).normal(0.4, 1, (9, 4))
    first, second, alone = find_power(pool, [5, 10]), find_power(pool, [5, 10]), find_power(pool, [10])
    for name in ("share", "low", "high"):
        assert (getattr(first, name) == getattr(second, name)).all()
        assert (getattr(first, name)[1:] == getattr(alone, name)).all()


def test_progress_is_reported_after_every_size() -> None:
    reported: list[float] = []
    find_power(np.array([[1.0], [2.0]]), [2, 3, 5], 0.05, reported.append)
    assert reported == [1, 2, 3]


# Participants needed


def power_of(*shares: float) -> Power:
    """These shares after the last question; after the one before, all studies succeed."""
    share = np.array([[1.0, share] for share in shares])
    sizes = np.array([4, 8, 16, 32][: len(shares)])
    return Power(sizes, np.array([2, 3]), share, share, share)


@pytest.mark.parametrize(
    ("shares", "needed"),
    [
        ((0.1, 0.5, 0.8, 0.9), 16),
        ((0.9, 0.95, 0.97, 1.0), 4),
        ((0.1, 0.2, 0.3, 0.79), None),
        ((0.1, 0.2, 0.3, 0.8), 32),
        ((0.85, 0.7, 0.9, 0.95), 16),  # reached, lost, and reached again
        ((0.85, 0.9, 0.95, 0.7), None),  # not kept
        ((0.8,), 4),
        ((0.7,), None),
    ],
)
def test_the_participants_needed_are_the_smallest_size_from_which_on_the_goal_is_reached(
    shares: tuple[float, ...], needed: int | None
) -> None:
    assert participants_for(power_of(*shares), 0.8) == needed
