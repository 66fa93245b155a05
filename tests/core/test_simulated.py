"""Simulated teachers say yes with the chance that their equations, or the published answers, give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from strategies import FEATURES, WORDS

from core.errors import SettingError
from core.people import People
from core.recall import NEVER
from core.rewards import LEAST, MOST, clamped
from core.settings import Settings
from core.simulated import SimulatedTeacher
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


@pytest.mark.parametrize("history", HISTORIES)
def test_a_naive_teacher_says_yes_with_the_reward_as_its_chance(history: list[tuple[int, int]]) -> None:
    naive = teacher("naive")
    for arm, reward in enumerate(FEATURES[TARGET]):
        assert naive.chance(history, arm) == np.clip(reward, LEAST, MOST)
    assert naive.chance(history, TARGET) == 1 - 1e-4


@pytest.mark.parametrize("history", HISTORIES)
def test_a_random_teacher_says_yes_half_of_the_time(history: list[tuple[int, int]]) -> None:
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


def test_an_unknown_kind_is_refused_with_a_suggestion() -> None:
    with pytest.raises(
        SettingError,
        match=r"the kind of teacher is 'persn' \(did you mean 'person'\?\); it must be",
    ):
        teacher("persn")


# Planning, against equations 3 and 4 by brute force


def naive_posterior(history: list[tuple[int, int]], tau: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the Laplace approximation of a naive learner, by scipy."""
    X = FEATURES[[arm for arm, _ in history]]
    signs = np.array([2 * answer - 1 for _, answer in history])
    mean = minimize(
        lambda theta: -log_expit(signs * (X @ theta)).sum() + theta @ theta / (2 * tau**2),
        np.zeros(20),
        jac=lambda theta: -X.T @ (signs * expit(-signs * (X @ theta))) + theta / tau**2,
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 2000},
    ).x
    p = expit(X @ mean)
    return mean, np.linalg.inv(X.T @ (X * (p * (1 - p))[:, None]) + np.eye(20) / tau**2)


def expected_question(history: list[tuple[int, int]], tau: float, draws: np.ndarray) -> np.ndarray:
    """The features that a naive learner with Thompson sampling asks about next, on average."""
    mean, cov = naive_posterior(history, tau)
    theta = mean + draws @ np.linalg.cholesky(cov).T
    asked = (theta @ FEATURES.T).argmax(1)
    return np.bincount(asked, minlength=20) / len(draws) @ FEATURES


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("arm", [TARGET, WORDS.index("coffee"), WORDS.index("dog")])
def test_a_planning_teacher_steers_the_imagined_learner(history: list[tuple[int, int]], arm: int) -> None:
    rewards = np.clip(FEATURES[TARGET], LEAST, MOST)
    theta = np.linalg.solve(FEATURES, np.log(rewards / (1 - rewards)))
    draws = np.random.default_rng(5).normal(size=(100_000, 20))  # the same for both: their error cancels
    no, yes = (theta @ expected_question([*history, (arm, answer)], 2.0, draws) for answer in (0, 1))
    for beta in (1.0, 20.0):
        chance = teacher("planning", beta=beta).chance(history, arm)
        log_odds = np.log(chance) - np.log1p(-chance) if chance < 1 else np.inf
        if chance < 1 - 1e-9:
            assert log_odds == pytest.approx(beta * (yes - no), abs=beta * 0.06)
        else:
            assert beta * (yes - no) > 15


@pytest.mark.parametrize("history", HISTORIES)
def test_a_planning_teacher_says_yes_to_the_target_and_no_to_the_least_similar_word(
    history: list[tuple[int, int]],
) -> None:
    for target in (TARGET, WORDS.index("cat"), WORDS.index("salt")):
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


@pytest.mark.parametrize("rewards", [FEATURES, [0.5], [0.2, "much"], [0.2, 1.5], [0.2, np.nan], None])
def test_rewards_that_are_none_are_refused(rewards: object) -> None:
    with pytest.raises(SettingError, match="rewards"):
        SimulatedTeacher("naive", FEATURES, rewards, Settings())  # type: ignore[arg-type]


@pytest.mark.parametrize("arms", [FEATURES[:5], FEATURES[0], np.full((20, 3), np.nan), "arms"])
def test_arms_with_which_nobody_can_plan_are_refused(arms: object) -> None:
    with pytest.raises(SettingError):
        SimulatedTeacher("planning", arms, FEATURES[TARGET], Settings())  # type: ignore[arg-type]


def test_a_planning_teacher_knows_the_rewards_however_few_the_features() -> None:
    words = Vocabulary.load("words10k")
    rewards = clamped(Vocabulary(words.words[:1500], words.vectors[:1500]).features()[7])
    units = words.vectors[:1500] / np.linalg.norm(words.vectors[:1500], axis=1, keepdims=True)
    planning = SimulatedTeacher("planning", units, rewards, Settings(samples=256, seed=2))
    nearest = int(np.argsort(-rewards)[1])
    assert planning.chance([], 7) > 0.8
    assert planning.chance([], nearest) > planning.chance([], int(rewards.argmin()))
