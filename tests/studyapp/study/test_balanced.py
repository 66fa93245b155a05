"""A balanced order is balanced: counted by brute force, over targets, participants and neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, permutations, product
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


def test_a_participant_has_each_model_in_each_place_equally_often() -> None:
    """To within one if the number of targets is no multiple of the number of models, and else exactly."""
    for models, targets in product(MODELS, (1, 2, 3, 4, 5, 6, 7, 12, 19, 30)):
        for orders in orders_of(models, targets, block(models)).values():
            assert all(sorted(order) == list(range(models)) for order in orders)
            counts = places(orders, models)
            assert max(counts) - min(counts) == (1 if targets % models else 0), (models, targets)


def test_with_enough_targets_or_participants_each_model_follows_each_other_equally_often() -> None:
    for models in MODELS:
        for orders in orders_of(models, 2 * block_size(models), range(1, 30)).values():
            assert set(neighbours(orders, models)) == {2 * block_size(models) // models}
        for index in range(3):
            whole = orders_of(models, 5, block(models, index))
            for target in range(5):
                counts = neighbours([orders[target] for orders in whole.values()], models)
                assert set(counts) == {block_size(models) // models}


def test_for_each_target_as_many_participants_as_models_have_each_model_once_in_each_place() -> None:
    for models, targets in product(MODELS, (1, 2, 5, 12, 19)):
        for start in range(1, 4 * block_size(models), models):
            square = orders_of(models, targets, range(start, start + models))
            for target in range(targets):
                assert set(places([orders[target] for orders in square.values()], models)) == {1}


def spread(models: int, targets: int, participants: Iterable[int], seed: int) -> int:
    """The largest count of a model in a place with a target, minus the smallest."""
    orders = orders_of(models, targets, participants, seed)
    counts = [places([own[target] for own in orders.values()], models) for target in range(targets)]
    return max(max(own) - min(own) for own in counts)


@given(
    models=st.integers(2, 5),
    targets=st.integers(1, 9),
    first=st.integers(-20, 120),
    participants=st.integers(1, 30),
    gone=st.sets(st.integers(1, 30), max_size=4),
    seed=st.integers(),
)
def test_any_participants_are_balanced_nearly(
    models: int, targets: int, first: int, participants: int, gone: set[int], seed: int
) -> None:
    """To within one from the beginning, and one more for a series begun later or for each who left."""
    whole = range(1, participants + 1)
    rest = participants % models != 0
    assert spread(models, targets, whole, seed) == rest
    assert spread(models, targets, range(first, first + participants), seed) <= 2
    there = [number for number in whole if number not in gone]
    assert spread(models, targets, there, seed) <= participants - len(there) + rest


def test_what_a_participant_had_so_far_does_not_give_away_the_next_order() -> None:
    """The next target has the same model first as often as if the targets' orders were shuffled."""
    for models in (2, 3, 4):
        targets, same, total = 4 * models, 0, 0
        for index in range(1000):
            firsts = [order[0] for order in balanced_orders(index, "targets", models, targets, Place(1))]
            for one, other in pairwise(firsts):
                total += one == 0
                same += one == other == 0
        expected = (targets / models - 1) / (targets - 1)  # drawn without replacement
        assert abs(same / total - expected) < 5 * (expected * (1 - expected) / total) ** 0.5


def test_all_orders_of_three_models_come_up_and_are_equally_likely_to_come_first() -> None:
    whole = orders_of(3, 4, block(3))
    for target in range(4):
        assert {tuple(orders[target]) for orders in whole.values()} == set(permutations(range(3)))
    counts = Counter(tuple(balanced_orders(seed, "targets", 3, 4, Place(1))[2]) for seed in range(1200))
    assert set(counts) == set(permutations(range(3)))
    assert all(abs(count - 200) < 5 * (1200 * 5 / 36) ** 0.5 for count in counts.values())


def test_blocks_seeds_parts_and_series_have_draws_of_their_own() -> None:
    names = product((1, 2), ("targets", "practice"), (None, "", "s", "0503-"), (1, 7, 13))
    drawn = [
        tuple(map(tuple, balanced_orders(seed, part, 3, 12, Place(number, series))))
        for seed, part, series, number in names
    ]
    assert len(set(drawn)) == len(drawn)
    for number in (0, -5, 10**60):  # any number has orders
        orders = balanced_orders(7, "targets", 3, 4, Place(number))
        assert [sorted(order) for order in orders] == [[0, 1, 2]] * 4


def test_the_orders_of_a_participant_never_change() -> None:
    """If they do, sessions can no longer be verified: think twice."""
    assert balanced_orders(2019, "targets", 3, 4, Place(1)) == [[1, 2, 0], [0, 1, 2], [2, 0, 1], [0, 2, 1]]
    assert balanced_orders(2019, "targets", 3, 4, Place(8)) == [[0, 2, 1], [2, 1, 0], [0, 1, 2], [1, 0, 2]]


# Plans


@pytest.fixture(params=["fixed", "random"])
def study(request: pytest.FixtureRequest, tmp_path: Path) -> LoadedStudy:
    changes = {"targets": "all", "practice": ["tea", "n"], "order": request.param}
    models = {name: {"teacher": "naive"} for name in "abc"}
    return loaded(tmp_path, small(models=models, order_of_models="balanced", **changes))


def test_plans_of_any_series_are_balanced_over_targets_and_participants(study: LoadedStudy) -> None:
    """With the targets in any order, in practice and in the rounds that count."""
    for participants in (
        first_ids(study.study, 6),
        [f"S{number:02}" for number in range(1, 7)],  # a series that the scheme does not know
        [f"lab-{number}" for number in range(13, 19)],
        [f"p{number:02}" for number in range(1, 7)],  # the scheme in lower case
    ):
        by_target: Counter[tuple[bool, str, int, str]] = Counter()
        for participant in participants:
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


def test_only_the_order_of_the_models_depends_on_the_setting(tmp_path: Path) -> None:
    random, balanced = (
        make(loaded(tmp_path, small(order="random", order_of_models=order)), "P05")
        for order in ("random", "balanced")
    )
    assert [(one.target, one.first) for one in random] == [(one.target, one.first) for one in balanced]
