"""A safe number of participants is enough, whichever ten people happened to take part."""

from __future__ import annotations

import pytest
from pools import POPULATIONS, people_like, pools_from, published_people
from published import needs_sessions

MOST_TOO_SMALL = 0.1
HONEST_LIMIT = 0.3  # where a few people far on the wrong side decide: the pages say so


@pytest.mark.parametrize(
    ("population", "effect"), [("normal", 0.5), ("normal", 0.8), ("shares", 0.8), ("skewed against", 0.8)]
)
def test_safe_numbers_are_enough_in_9_of_10_pools(population: str, effect: float) -> None:
    measured = pools_from(POPULATIONS[population], effect, 0.8, 300)
    assert measured.too_small <= MOST_TOO_SMALL
    assert measured.with_number > 0.2  # it is not that there are none


@pytest.mark.prove
@pytest.mark.parametrize("goal", [0.8, 0.9])
@pytest.mark.parametrize("effect", [0.3, 0.5, 0.8, 1.2])
@pytest.mark.parametrize("population", sorted(set(POPULATIONS) - {"very skewed"}))
def test_safe_numbers_are_enough_in_9_of_10_pools_of_any_usual_population(
    population: str, effect: float, goal: float
) -> None:
    measured = pools_from(POPULATIONS[population], effect, goal, 2_000)
    assert measured.too_small <= MOST_TOO_SMALL
    assert measured.estimate_too_small > measured.too_small


@pytest.mark.prove
@pytest.mark.parametrize("effect", [0.5, 0.8, 1.2])
def test_safe_numbers_are_too_small_more_often_where_people_are_very_skewed(effect: float) -> None:
    measured = pools_from(POPULATIONS["very skewed"], effect, 0.9, 2_000)
    assert MOST_TOO_SMALL < measured.too_small < HONEST_LIMIT


@needs_sessions
@pytest.mark.prove
@pytest.mark.parametrize("goal", [0.8, 0.9])
@pytest.mark.parametrize("effect", [0.5, 0.8, 1.2])
@pytest.mark.parametrize("outcome", ["reward", "found", "time"])
def test_safe_numbers_are_enough_in_9_of_10_pools_of_people_like_the_published_ones(
    outcome: str, effect: float, goal: float
) -> None:
    population = people_like(outcome, published_people()[outcome])
    assert pools_from(population, effect, goal, 2_000).too_small <= MOST_TOO_SMALL
