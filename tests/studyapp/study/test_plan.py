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
from hypothesis import strategies as st
from proofs import holds_for
from scipy.stats import chi2
from study_files import WORDS, Settings, loaded, small, study_files

from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import Round, learner_seed, make

Plans = dict[str, list[Round]]

PEOPLE = [f"P{number:03d}" for number in range(500)]


@pytest.fixture(scope="module")
def paper() -> LoadedStudy:
    return load("paper")


@pytest.fixture(scope="module")
def plans(paper: LoadedStudy) -> Plans:
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


@holds_for(10, 100, chosen=study_files(), participant=st.from_regex(r"[A-Za-z0-9_-]{1,9}", fullmatch=True))
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


def test_the_published_plans_have_40_rounds_2_of_them_practice_and_are_all_different(plans: Plans) -> None:
    for rounds in plans.values():
        assert len(rounds) == 40
        assert [(round_.practice, round_.target) for round_ in rounds[:2]] == [(True, "cat")] * 2
        assert not any(round_.practice for round_ in rounds[2:])
    assert len({tuple(rounds) for rounds in plans.values()}) == len(plans)


# Chance


def test_both_models_come_first_equally_often_with_every_target_independently(plans: Plans) -> None:
    firsts: Counter[tuple[bool, str]] = Counter()
    alike = 0
    for rounds in plans.values():
        order = {target: group[0].model for target, group in by_target(rounds).items()}
        firsts.update(target for target, model in order.items() if model == "naive")
        alike += sum(one == other for one, other in pairwise(order.values()))
    assert len(firsts) == 20
    for count in firsts.values():
        assert abs(count - 250) < 5 * math.sqrt(500 / 4)
    assert abs(sum(firsts.values()) - 20 * 250) < 5 * math.sqrt(20 * 500 / 4)
    assert abs(alike - 19 * 250) < 5 * math.sqrt(19 * 500 / 4)


def test_all_orders_of_three_models_are_equally_likely(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(models={name: {"teacher": "naive"} for name in "abc"}))
    orders: Counter[tuple[str, ...]] = Counter()
    for participant in PEOPLE:
        for group in by_target(make(study, participant)).values():
            orders[tuple(round_.model for round_ in group)] += 1
    assert set(orders) == set(permutations("abc"))
    assert not unlikely(list(orders.values()))


def test_all_words_but_the_target_are_equally_likely_first_questions(
    paper: LoadedStudy, plans: Plans
) -> None:
    words = paper.vocabulary.words
    for index, target in enumerate(paper.targets):
        firsts = Counter(rounds[2 + 2 * index].first for rounds in plans.values())
        assert firsts[target] == 0
        assert not unlikely([firsts[word] for word in words if word != target])


def test_a_random_order_puts_every_target_in_every_place_equally_often_and_changes_nothing_else(
    tmp_path: Path,
) -> None:
    fixed = make(loaded(tmp_path, small(targets="all", order="fixed")), "P01")
    study = loaded(tmp_path, small(targets="all", order="random"))
    shuffled = make(study, "P01")
    assert fixed != shuffled
    assert sorted(astuple(one)[1:] for one in fixed) == sorted(astuple(one)[1:] for one in shuffled)
    places: Counter[tuple[str, int]] = Counter()
    for participant in PEOPLE:
        rounds = make(study, participant)
        targets = dict.fromkeys(round_.target for round_ in rounds if not round_.practice)
        places.update((target, place) for place, target in enumerate(targets))
    for word in WORDS:
        assert not unlikely([places[word, place] for place in range(len(WORDS))])


def test_another_seed_gives_another_plan_and_another_target_leaves_the_others_theirs(
    paper: LoadedStudy, tmp_path: Path
) -> None:
    assert make(paper, "P01") != make(paper.with_seed(2020), "P01")
    assert make(paper, "P01") == make(paper.with_seed(2019), "P01")
    few = make(loaded(tmp_path, small(targets=["tea", "no"], practice=[])), "P01")
    more = make(loaded(tmp_path, small(targets=["tea", "no", "null"], practice=[])), "P01")
    assert more[: len(few)] == few


def test_the_models_of_a_target_share_a_seed_that_nothing_else_has(plans: Plans, tmp_path: Path) -> None:
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
    rounds = make(loaded(tmp_path, small(targets=["tea"], practice=["tea"])), "P01")
    assert len({learner_seed(2019, "P01", round_) for round_ in rounds}) == 2  # practice has its own
    assert learner_seed(2019, "P01", rounds[0]) != learner_seed(2020, "P01", rounds[0])
    assert all(0 <= learner_seed(2019, "P01", round_) < 2**52 for round_ in rounds)


def fingerprint(rounds: list[Round]) -> str:
    plan = json.dumps([[*astuple(round_), learner_seed(2019, "P01", round_)] for round_ in rounds])
    return hashlib.sha256(plan.encode()).hexdigest()


def test_the_plan_of_p01_in_the_published_study_never_changes(paper: LoadedStudy) -> None:
    """If it does, sessions that have begun cannot continue: think twice."""
    rounds = make(paper, "P01")
    assert rounds[:4] == [
        Round(1, True, "naive", "cat", "turtle"),
        Round(2, True, "mixture", "cat", "turtle"),
        Round(3, False, "naive", "dog", "sea"),
        Round(4, False, "mixture", "dog", "sea"),
    ]
    assert fingerprint(rounds) == "e09598c7c53234886385f2084f9accf129a63e32421e1edd7589138768316e4f"


def test_a_balanced_plan_with_practice_never_changes_either(tmp_path: Path) -> None:
    models = {name: {"teacher": "naive"} for name in "abc"}
    chosen = small(models=models, targets="all", practice=["tea", "n"], order_of_models="balanced")
    study = loaded(tmp_path, chosen)
    rounds = [round_ for participant in PEOPLE[:6] for round_ in make(study, participant)]
    assert fingerprint(rounds) == "6555fcfd63553d2cb6915d5028e9f7c92baee214aaf1d65e9048e8935a7e8b4c"
