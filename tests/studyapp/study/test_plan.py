"""A plan draws fairly, and is the same for ever for the same study, seed and ID."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from dataclasses import astuple
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from study_files import WORDS, Settings, loaded, small, study_files

from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import Round, learner_seed, make

PEOPLE = [f"P{number:03d}" for number in range(500)]


@pytest.fixture(scope="module")
def paper() -> LoadedStudy:
    return load("paper")


@pytest.fixture(scope="module")
def plans(paper: LoadedStudy) -> dict[str, list[Round]]:
    return {participant: make(paper, participant) for participant in PEOPLE}


def by_target(rounds: list[Round]) -> dict[tuple[bool, str], list[Round]]:
    groups: dict[tuple[bool, str], list[Round]] = defaultdict(list)
    for round_ in rounds:
        groups[round_.practice, round_.target].append(round_)
    return groups


def unlikely(counts: list[int]) -> bool:
    """Would equal chances give such counts less than once in a million times?"""
    expected = sum(counts) / len(counts)
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    return bool(chi2.sf(statistic, len(counts) - 1) < 1e-6)


# Every plan


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(study_files(), st.from_regex(r"[A-Za-z0-9_-]{1,9}", fullmatch=True))
def test_every_target_has_one_round_with_every_model_and_one_first_question(
    tmp_path: Path, chosen: Settings, participant: str
) -> None:
    study = loaded(tmp_path, chosen)
    rounds = make(study, participant)
    assert [round_.round for round_ in rounds] == list(range(1, len(rounds) + 1))
    practised = [round_.practice for round_ in rounds]
    assert practised == sorted(practised, reverse=True)
    groups = by_target(rounds)
    assert {target for practice, target in groups if practice} == set(chosen.get("practice", []))
    assert {target for practice, target in groups if not practice} == set(study.targets)
    for (_, target), group in groups.items():
        assert sorted(round_.model for round_ in group) == sorted(chosen["models"])
        assert [round_.round for round_ in group] == list(range(group[0].round, group[0].round + len(group)))
        assert len({round_.first for round_ in group}) == 1
        assert group[0].first in WORDS
        assert group[0].first != target
    if chosen.get("order", "fixed") == "fixed":
        assert [target for practice, target in groups if not practice] == study.targets
    assert rounds == make(study, participant)


def test_the_published_plan_has_40_rounds_2_of_them_practice(plans: dict[str, list[Round]]) -> None:
    for rounds in plans.values():
        assert len(rounds) == 40
        assert [(round_.practice, round_.target) for round_ in rounds[:2]] == [(True, "cat")] * 2
        assert not any(round_.practice for round_ in rounds[2:])


# Chance


def test_both_models_come_first_equally_often(plans: dict[str, list[Round]]) -> None:
    firsts: Counter[tuple[bool, str]] = Counter()
    for rounds in plans.values():
        for target, group in by_target(rounds).items():
            firsts[target] += group[0].model == "naive"
    assert len(firsts) == 20
    for count in firsts.values():
        assert abs(count - 250) < 5 * math.sqrt(500 / 4)
    assert abs(sum(firsts.values()) - 20 * 250) < 5 * math.sqrt(20 * 500 / 4)


def test_the_orders_of_two_targets_are_independent(plans: dict[str, list[Round]]) -> None:
    alike = 0
    for rounds in plans.values():
        order = [group[0].model for group in by_target(rounds).values()]
        alike += sum(one == other for one, other in pairwise(order))
    assert abs(alike - 19 * 250) < 5 * math.sqrt(19 * 500 / 4)


def test_all_orders_of_three_models_are_equally_likely(tmp_path: Path) -> None:
    models = {name: {"teacher": "naive"} for name in "abc"}
    study = loaded(tmp_path, small(models=models))
    orders: Counter[tuple[str, ...]] = Counter()
    for participant in PEOPLE:
        for group in by_target(make(study, participant)).values():
            orders[tuple(round_.model for round_ in group)] += 1
    assert set(orders) == set(permutations("abc"))
    assert not unlikely(list(orders.values()))


def test_all_words_but_the_target_are_equally_likely_first_questions(
    paper: LoadedStudy, plans: dict[str, list[Round]]
) -> None:
    words = paper.vocabulary.words
    for index, target in enumerate(paper.targets):
        firsts = Counter(rounds[2 + 2 * index].first for rounds in plans.values())
        assert firsts[target] == 0
        assert not unlikely([firsts[word] for word in words if word != target])


def test_a_random_order_puts_every_target_in_every_place_equally_often(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(targets="all", order="random", bonus=None))
    places: Counter[tuple[str, int]] = Counter()
    for participant in PEOPLE:
        targets = list(
            dict.fromkeys(round_.target for round_ in make(study, participant) if not round_.practice)
        )
        places.update((target, place) for place, target in enumerate(targets))
    for word in WORDS:
        assert not unlikely([places[word, place] for place in range(len(WORDS))])


def test_a_random_order_changes_only_the_order(tmp_path: Path) -> None:
    fixed = make(loaded(tmp_path, small(targets="all", order="fixed")), "P01")
    shuffled = make(loaded(tmp_path, small(targets="all", order="random")), "P01")

    def without_numbers(rounds: list[Round]) -> list[tuple[object, ...]]:
        return sorted(astuple(round_)[1:] for round_ in rounds)

    assert fixed != shuffled
    assert without_numbers(fixed) == without_numbers(shuffled)


def test_no_two_participants_have_the_same_plan(plans: dict[str, list[Round]]) -> None:
    assert len({tuple(rounds) for rounds in plans.values()}) == len(plans)


def test_another_seed_gives_another_plan(paper: LoadedStudy) -> None:
    assert make(paper, "P01") != make(paper.with_seed(2020), "P01")
    assert make(paper, "P01") == make(paper.with_seed(2019), "P01")


def test_another_target_does_not_change_the_rounds_of_the_others(tmp_path: Path) -> None:
    few = make(loaded(tmp_path, small(targets=["tea", "no"], practice=[])), "P01")
    more = make(loaded(tmp_path, small(targets=["tea", "no", "null"], practice=[])), "P01")
    assert more[: len(few)] == few


# Seeds of the learners


def test_the_models_of_a_target_share_a_seed_that_nothing_else_has(plans: dict[str, list[Round]]) -> None:
    seeds = {
        (participant, round_.practice, round_.target): {
            learner_seed(2019, participant, other) for other in group
        }
        for participant, rounds in list(plans.items())[:100]
        for group in by_target(rounds).values()
        for round_ in group
    }
    assert len(seeds) == 100 * 20
    assert all(len(shared) == 1 for shared in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)


def test_practice_and_real_rounds_of_a_target_have_different_seeds(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(targets=["tea"], practice=["tea"]))
    rounds = make(study, "P01")
    assert len({learner_seed(2019, "P01", round_) for round_ in rounds}) == 2
    assert learner_seed(2019, "P01", rounds[0]) != learner_seed(2020, "P01", rounds[0])
    assert all(0 <= learner_seed(2019, "P01", round_) < 2**52 for round_ in rounds)


# For ever


def test_the_plan_of_p01_in_the_published_study_never_changes(paper: LoadedStudy) -> None:
    """If it does, sessions that have begun cannot continue: think twice."""
    rounds = make(paper, "P01")
    assert rounds[:4] == [
        Round(1, True, "naive", "cat", "turtle"),
        Round(2, True, "mixture", "cat", "turtle"),
        Round(3, False, "naive", "dog", "sea"),
        Round(4, False, "mixture", "dog", "sea"),
    ]
    plan = json.dumps([[*astuple(round_), learner_seed(2019, "P01", round_)] for round_ in rounds])
    assert hashlib.sha256(plan.encode()).hexdigest() == (
        "e09598c7c53234886385f2084f9accf129a63e32421e1edd7589138768316e4f"
    )
