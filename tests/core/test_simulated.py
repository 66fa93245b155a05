"""Simulated teachers say yes with the chance that their equations, or the published answers, give."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from strategies import FEATURES, WORDS

from core import Learner
from core.errors import SettingError
from core.people import People
from core.recall import NEVER
from core.rewards import LEAST, MOST, clamped, log_odds
from core.settings import Settings
from core.simulated import SimulatedTeacher
from core.thompson import PriorDraws, best_arm
from core.vocabulary import Vocabulary

TARGET = WORDS.index("tea")
HISTORIES = (
    [],
    [(WORDS.index("salt"), 0)],
    [(WORDS.index("coffee"), 1), (WORDS.index("dog"), 0)],
    [(WORDS.index("dog"), 1), (WORDS.index("dog"), 1), (WORDS.index("tea"), 0), (WORDS.index("cat"), 1)],
)


def teacher(kind: str, target: int = TARGET, **settings: float) -> SimulatedTeacher:
    return SimulatedTeacher(kind, FEATURES, FEATURES[target], Settings(**settings))  # type: ignore[arg-type]


def test_a_naive_teacher_says_yes_with_the_reward_as_its_chance_and_a_random_one_half_of_the_time() -> None:
    for history in HISTORIES:
        naive = [teacher("naive").chance(history, arm) for arm in range(20)]
        assert naive == np.clip(FEATURES[TARGET], LEAST, MOST).tolist()
        assert {teacher("random").chance(history, arm) for arm in range(20)} == {0.5}


def test_a_person_takes_a_hint_back_and_recognises_the_target() -> None:
    coffee, person = WORDS.index("coffee"), teacher("person")
    first = person.chance([], coffee)
    assert 0.5 < first < 1 - People.default().slip
    assert person.chance([(coffee, 1)], coffee) < 0.3
    assert person.chance([(coffee, 0)], coffee) == pytest.approx(People.default().slip)
    assert person.chance([(TARGET, 1)], coffee) < first
    for history in HISTORIES:
        assert person.chance(history, TARGET) == pytest.approx(1 - People.default().slip)


def test_a_person_recognises_every_target_of_the_study() -> None:
    for target in range(20):
        chances = [teacher("person", target).chance([], arm) for arm in range(20)]
        assert chances.index(max(chances)) == target
        assert chances[target] == pytest.approx(1 - People.default().slip)


def test_people_who_are_given_answer_instead_of_the_published_ones() -> None:
    shy = replace(People.default(), ready=-5.0, pairs=None)
    coffee = WORDS.index("coffee")
    one = SimulatedTeacher("person", FEATURES, FEATURES[TARGET], Settings(), people=shy)
    assert one.chance([], coffee) < 0.2 < teacher("person").chance([], coffee)


def test_a_person_who_is_given_answers_with_parameters_of_their_own() -> None:
    known = People.default().person(1, "P", target=TARGET, rewards=FEATURES[TARGET], about=("tea",))
    one = SimulatedTeacher("person", FEATURES, FEATURES[TARGET], Settings(), person=known)
    for history in HISTORIES:
        for arm in range(20):
            last = dict(history).get(arm, NEVER)
            found = any(asked == TARGET for asked, _ in history)
            assert one.chance(history, arm) == pytest.approx(known.chance(len(history) + 1, arm, last, found))


# Planning


def test_a_planning_teacher_compares_what_the_imagined_learner_asks_after_a_yes_and_after_a_no() -> None:
    """Equations 3 and 4; where a learner looks is checked in test_thompson.py and test_teaching.py."""
    draws = PriorDraws.of(FEATURES, 1000, 0)
    odds = log_odds(clamped(FEATURES[TARGET]))
    for history, arm in product(HISTORIES, (TARGET, WORDS.index("coffee"), WORDS.index("dog"))):
        asked = []
        for answer in (0, 1):
            imagined = Learner(FEATURES, teacher="naive").condition([*history, (arm, answer)])._posterior
            assert imagined is not None
            asked.append(best_arm(imagined, FEATURES[None], draws)[0])
        for beta in (1.0, 20.0):
            chance = teacher("planning", beta=beta).chance(history, arm)
            assert chance == pytest.approx(float(expit(beta * (asked[1] - asked[0]) @ odds)), abs=1e-9)


def test_a_planning_teacher_says_yes_to_the_target_and_no_to_the_least_similar_word() -> None:
    for history, word in product(HISTORIES, ("tea", "cat", "salt")):
        target = WORDS.index(word)
        planning = teacher("planning", target)
        assert planning.chance(history, target) > 0.8
        assert planning.chance(history, int(FEATURES[target].argmin())) < 0.5


def test_a_planning_teacher_with_beta_0_tosses_a_coin() -> None:
    planning = teacher("planning", beta=0)
    assert [planning.chance(HISTORIES[2], arm) for arm in range(20)] == [0.5] * 20


def test_a_planning_teacher_may_look_further_ahead() -> None:
    near, far = teacher("planning", horizon=1, samples=64), teacher("planning", horizon=3, samples=64)
    for arm in (TARGET, WORDS.index("dog")):
        assert near.chance([], arm) != far.chance([], arm)
    assert far.chance([], TARGET) > 0.9


def test_what_no_teacher_can_be_asked_is_refused() -> None:
    for kind in ("naive", "planning", "random"):
        one = teacher(kind)
        for history, arm in (([], -1), ([], 20), ([(1, 5)], 0), ([(20, 1)], 0), ([(-1, 1)], 0), ([3], 0)):
            with pytest.raises(SettingError):
                one.chance(history, arm)  # type: ignore[arg-type]
    for rewards in (FEATURES, [0.5], [0.2, "much"], [0.2, 1.5], [0.2, np.nan], None):
        with pytest.raises(SettingError, match="rewards"):
            SimulatedTeacher("naive", FEATURES, rewards, Settings())  # type: ignore[arg-type]
    for arms in (FEATURES[:5], FEATURES[0], np.full((20, 3), np.nan), "arms"):
        with pytest.raises(SettingError):
            SimulatedTeacher("planning", arms, FEATURES[TARGET], Settings())  # type: ignore[arg-type]
    with pytest.raises(
        SettingError, match=r"kind of teacher is 'persn' \(did you mean 'person'\?\); it must be"
    ):
        teacher("persn")


def test_a_planning_teacher_knows_the_rewards_however_few_the_features() -> None:
    words = Vocabulary.load("words10k")
    rewards = clamped(Vocabulary(words.words[:1500], words.vectors[:1500]).features()[7])
    units = words.vectors[:1500] / np.linalg.norm(words.vectors[:1500], axis=1, keepdims=True)
    planning = SimulatedTeacher("planning", units, rewards, Settings(samples=256, seed=2))
    nearest = int(np.argsort(-rewards)[1])
    assert planning.chance([], 7) > 0.8
    assert planning.chance([], nearest) > planning.chance([], int(rewards.argmin()))
