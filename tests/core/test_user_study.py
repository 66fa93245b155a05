"""The rounds of simulated people in the published protocol."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from core.people import People
from core.settings import Settings
from core.simulation import simulate
from core.vocabulary import Vocabulary
from core.worlds import World, rounds_of

FEATURES = Vocabulary.load("study20").features()
TARGETS = range(1, 20)


def rounds(person: int = 0, seed: int = 0) -> list[World]:
    return rounds_of(person, FEATURES, People.default(), targets=TARGETS, questions=15, seed=seed)


def test_a_person_has_one_round_for_each_target_and_none_begins_with_its_target() -> None:
    for person in range(5):
        worlds = rounds(person)
        assert [one.target for one in worlds] == list(TARGETS)
        assert all(one.first != one.target for one in worlds)
        assert len({one.first for one in worlds}) > 5
        assert all(one.luck.shape == (15,) for one in worlds)


def test_a_person_is_the_same_in_all_rounds_and_another_person_is_not() -> None:
    persons = {(one.person.ready, one.person.again) for one in rounds() if one.person is not None}
    others = {(one.person.ready, one.person.again) for one in rounds(1) if one.person is not None}
    assert len(persons) == len(others) == 1
    assert persons != others


def test_the_rewards_are_the_likenesses_and_the_weights_mean_them() -> None:
    for one in rounds():
        np.testing.assert_allclose(one.rewards, np.clip(FEATURES[one.target], 1e-4, 1 - 1e-4))
        np.testing.assert_allclose(one.arms @ one.thetas[one.target], one.odds, atol=1e-6)
        np.testing.assert_allclose(expit(one.odds_table)[one.target], one.rewards, atol=1e-6)


def test_the_same_names_give_the_same_rounds_and_another_seed_gives_others() -> None:
    one, again, other = (simulate(rounds(seed=seed), "H-N", Settings(), 20.0) for seed in (0, 0, 1))
    assert all((a.asked == b.asked).all() for a, b in zip(one, again, strict=True))
    assert any((a.asked != b.asked).any() for a, b in zip(one, other, strict=True))


def test_all_learners_begin_a_round_with_the_same_question() -> None:
    firsts = [
        [round_.asked[0] for round_ in simulate(rounds(), pair, Settings(samples=8), 20.0)]
        for pair in ("H-N", "H-M", "H-HT")
    ]
    assert firsts[0] == firsts[1] == firsts[2] == [one.first for one in rounds()]
