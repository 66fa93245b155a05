"""A balanced order is balanced: counted by brute force, over targets, participants and neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_files import WORDS, loaded, small

from studyapp.study.balanced import balanced_orders, block_size
from studyapp.study.ids import Place, first_ids
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import make

MODELS = range(2, 8)
TARGETS = (1, 2, 3, 4, 5, 6, 7, 12, 19, 30)


def orders_of(
    models: int, targets: int, participants: Iterable[int], seed: int = 7
) -> dict[int, list[list[int]]]:
    return {
        number: balanced_orders(seed, "targets", models, targets, Place(number)) for number in participants
    }


def block(models: int, index: int = 0) -> range:
    size = block_size(models)
    return range(1 + index * size, 1 + (index + 1) * size)


def places(orders: list[list[int]], models: int) -> list[int]:
    """How often each model is in each place."""
    counts = Counter((place, model) for order in orders for place, model in enumerate(order))
    return [counts[place, model] for place in range(models) for model in range(models)]


def neighbours(orders: list[list[int]], models: int) -> list[int]:
    """How often each model directly follows each other one."""
    counts = Counter(pair for order in orders for pair in pairwise(order))
    return [counts[pair] for pair in permutations(range(models), 2)]


# A participant


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("targets", TARGETS)
def test_a_participant_has_each_model_in_each_place_equally_often(models: int, targets: int) -> None:
    """To within one if the number of targets is no multiple of the number of models, and else exactly."""
    for orders in orders_of(models, targets, range(1, 3 * block_size(models) + 1)).values():
        assert all(sorted(order) == list(range(models)) for order in orders)
        counts = places(orders, models)
        assert max(counts) - min(counts) == (1 if targets % models else 0)


@pytest.mark.parametrize("models", MODELS)
def test_a_participant_with_enough_targets_has_each_model_follow_each_other_equally_often(
    models: int,
) -> None:
    for orders in orders_of(models, 2 * block_size(models), range(1, 30)).values():
        assert set(neighbours(orders, models)) == {2 * block_size(models) // models}


# Participants


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("targets", TARGETS)
def test_for_each_target_as_many_participants_as_models_have_each_model_once_in_each_place(
    models: int, targets: int
) -> None:
    for start in range(1, 4 * block_size(models), models):
        square = orders_of(models, targets, range(start, start + models))
        for target in range(targets):
            assert set(places([orders[target] for orders in square.values()], models)) == {1}


@pytest.mark.parametrize("models", MODELS)
def test_for_each_target_a_block_of_participants_has_each_model_follow_each_other_equally_often(
    models: int,
) -> None:
    for index in range(3):
        whole = orders_of(models, 5, block(models, index))
        for target in range(5):
            counts = neighbours([orders[target] for orders in whole.values()], models)
            assert set(counts) == {block_size(models) // models}


@given(
    models=st.integers(2, 6), targets=st.integers(1, 15), participants=st.integers(1, 40), seed=st.integers()
)
def test_any_number_of_participants_is_balanced_to_within_one(
    models: int, targets: int, participants: int, seed: int
) -> None:
    orders = orders_of(models, targets, range(1, participants + 1), seed)
    for target in range(targets):
        counts = places([own[target] for own in orders.values()], models)
        assert max(counts) - min(counts) == (1 if participants % models else 0)


def spread(models: int, targets: int, participants: Iterable[int], seed: int) -> int:
    """The largest count of a model in a place with a target, minus the smallest."""
    orders = orders_of(models, targets, participants, seed)
    counts = [places([own[target] for own in orders.values()], models) for target in range(targets)]
    return max(max(own) - min(own) for own in counts)


@given(
    models=st.integers(2, 5),
    targets=st.integers(1, 9),
    participants=st.integers(1, 30),
    gone=st.sets(st.integers(1, 30), max_size=4),
    seed=st.integers(),
)
def test_each_participant_who_is_left_out_unbalances_a_target_by_at_most_one(
    models: int, targets: int, participants: int, gone: set[int], seed: int
) -> None:
    there = [number for number in range(1, participants + 1) if number not in gone]
    missing = participants - len(there)
    assert spread(models, targets, there, seed) <= missing + (participants % models != 0)


@given(
    models=st.integers(2, 5),
    targets=st.integers(1, 9),
    first=st.integers(-20, 120),
    participants=st.integers(1, 30),
    seed=st.integers(),
)
def test_numbers_that_begin_anywhere_are_balanced_to_within_two(
    models: int, targets: int, first: int, participants: int, seed: int
) -> None:
    """Only a square that is begun or ended in the middle is not complete, and there are two of these."""
    assert spread(models, targets, range(first, first + participants), seed) <= 2


@pytest.mark.parametrize("models", [2, 3, 4])
def test_a_model_is_as_often_first_at_each_time_of_a_session(models: int) -> None:
    """Over many blocks, for targets in a fixed order: no place in the session belongs to a model."""
    blocks = 600 // models
    counts = Counter(
        (target, orders[target][0])
        for index in range(blocks)
        for orders in orders_of(models, 5, [block(models, index)[0]]).values()
        for target in range(5)
    )
    share = 1 / models
    limit = 5 * (blocks * share * (1 - share)) ** 0.5
    assert all(
        abs(counts[target, model] - blocks * share) < limit for target in range(5) for model in range(models)
    )


@pytest.mark.parametrize("models", [2, 3, 4])
def test_what_a_participant_had_so_far_does_not_give_away_the_next_order(models: int) -> None:
    """The next target has the same model first as often as if the targets' orders were shuffled."""
    targets = 4 * models
    same = total = 0
    for index in range(1500):
        orders = balanced_orders(index, "targets", models, targets, Place(1))
        firsts = [order[0] for order in orders]
        for one, other in pairwise(firsts):
            total += one == 0
            same += one == other == 0
    expected = (targets / models - 1) / (targets - 1)  # drawn without replacement
    assert abs(same / total - expected) < 5 * (expected * (1 - expected) / total) ** 0.5


def test_three_models_meet_every_target_in_all_six_orders() -> None:
    whole = orders_of(3, 4, block(3))
    for target in range(4):
        assert {tuple(orders[target]) for orders in whole.values()} == set(permutations(range(3)))


# Chance


def test_all_orders_are_equally_likely_in_the_first_place_of_a_block() -> None:
    counts = Counter(tuple(balanced_orders(seed, "targets", 3, 4, Place(1))[2]) for seed in range(1200))
    assert set(counts) == set(permutations(range(3)))
    assert all(abs(count - 200) < 5 * (1200 * 5 / 36) ** 0.5 for count in counts.values())


def test_blocks_seeds_parts_and_series_have_draws_of_their_own() -> None:
    drawn = [
        tuple(map(tuple, balanced_orders(seed, part, 3, 12, Place(number, series))))
        for seed in (1, 2)
        for part in ("targets", "practice")
        for series in (None, "", "s", "0503-")
        for number in (1, 7, 13)
    ]
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("number", [0, -5, 10**60])
def test_any_number_has_orders(number: int) -> None:
    assert [sorted(order) for order in balanced_orders(7, "targets", 3, 4, Place(number))] == [[0, 1, 2]] * 4


def test_the_orders_of_a_participant_never_change() -> None:
    """If they do, sessions can no longer be verified: think twice."""
    assert balanced_orders(2019, "targets", 3, 4, Place(1)) == [[1, 2, 0], [0, 1, 2], [2, 0, 1], [0, 2, 1]]
    assert balanced_orders(2019, "targets", 3, 4, Place(8)) == [[0, 2, 1], [2, 1, 0], [0, 1, 2], [1, 0, 2]]


# Plans


@pytest.fixture(params=["fixed", "random"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> LoadedStudy:
    models = {name: {"teacher": "naive"} for name in "abc"}
    return loaded(
        tmp_path,
        small(
            models=models,
            targets="all",
            practice=["tea", "n"],
            order=request.param,
            order_of_models="balanced",
        ),
    )


def test_plans_are_balanced_over_targets_and_participants(study: LoadedStudy) -> None:
    """With the targets in any order, in practice and in the rounds that count."""
    by_target: Counter[tuple[bool, str, int, str]] = Counter()
    for participant in first_ids(study.study, 6):
        own: Counter[tuple[int, str]] = Counter()
        for round_ in make(study, participant):
            place = (round_.round - 1) % 3
            by_target[round_.practice, round_.target, place, round_.model] += 1
            if not round_.practice:
                own[place, round_.model] += 1
        assert set(own.values()) == {len(WORDS) // 3}
        assert len(own) == 9
    assert len(by_target) == (len(WORDS) + 2) * 9
    assert set(by_target.values()) == {2}


@pytest.mark.parametrize(
    "participants",
    [
        [f"S{number:02}" for number in range(1, 7)],  # a series that the scheme does not know
        [f"lab-{number}" for number in range(13, 19)],
        [f"p{number:02}" for number in range(1, 7)],  # the scheme in lower case
    ],
)
def test_plans_of_any_series_are_balanced(study: LoadedStudy, participants: list[str]) -> None:
    by_target = Counter(
        (round_.target, (round_.round - 1) % 3, round_.model)
        for participant in participants
        for round_ in make(study, participant)
        if not round_.practice
    )
    assert len(by_target) == len(WORDS) * 9
    assert set(by_target.values()) == {2}


def test_the_first_participants_of_many_days_do_not_all_have_one_order(study: LoadedStudy) -> None:
    """IDs such as 0503-1 and 0504-1: each has a series of its own, and its own rounds are balanced."""
    firsts = Counter(
        (round_.target, round_.model)
        for day in range(1, 61)
        for round_ in make(study, f"05{day:02}-1")
        if not round_.practice and (round_.round - 1) % 3 == 0
    )
    assert len(firsts) == len(WORDS) * 3
    assert max(firsts.values()) < 20 + 5 * (60 * 2 / 9) ** 0.5


def test_only_the_order_of_the_models_depends_on_the_setting(tmp_path: Path) -> None:
    random, balanced = (
        make(loaded(tmp_path, small(order="random", order_of_models=order)), "P05")
        for order in ("random", "balanced")
    )
    assert [(one.target, one.first) for one in random] == [(one.target, one.first) for one in balanced]


def test_the_same_plan_follows_on_any_computer_from_the_id_alone(study: LoadedStudy) -> None:
    later = make(study, "P04")  # nobody before
    for participant in first_ids(study.study, 3):
        make(study, participant)
    assert make(study, "P04") == later
