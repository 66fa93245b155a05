"""A belief over targets is Bayes' theorem, exactly, for every teacher model; with people, it finds words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from scipy import integrate
from scipy.special import expit
from strategies import FEATURES, WORDS, History, histories

from core import Learner, People, SettingError, Settings
from core.people import USUAL_QUESTION, nodes
from core.people_fit import fit_people
from core.recall import NEVER, Answers
from core.rewards import clamped
from core.simulated import SimulatedTeacher
from core.simulation import Replication, simulate
from core.targets import arms_of_targets
from core.worlds import World, rounds_of

Array = NDArray[np.float64]

REWARDS = clamped(FEATURES)
HISTORY = [(3, 0), (15, 1), (16, 1), (15, 0), (19, 1), (16, 1), (16, 1)]


def learner(teacher: str, **settings_of: Any) -> Learner:
    return Learner(FEATURES, teacher=teacher, belief="targets", **settings_of)


def normalised(weights: Array) -> Array:
    return np.asarray(weights / weights.sum())


def likelihood_of_one(chance: float, answer: int) -> float:
    return chance if answer else 1 - chance


# Exactness


@given(history=histories(20, most=30))
@settings(max_examples=50)
def test_the_naive_belief_is_a_product_of_rewards(history: History) -> None:
    weights = np.ones(20)
    for arm, answer in history:
        weights = weights * (REWARDS[:, arm] if answer else 1 - REWARDS[:, arm])
    state = learner("naive").condition(history)
    if history:
        np.testing.assert_allclose(state.targets, normalised(weights), rtol=1e-9, atol=1e-12)
        assert state.fit.log_density == pytest.approx(np.log(weights.mean()), abs=1e-9)
    else:
        np.testing.assert_allclose(state.targets, np.full(20, 0.05))


def planned(target: int, history: History) -> list[float]:
    """The chance of each answer of a history, given by a planning teacher who knows the target."""
    teacher = SimulatedTeacher("planning", FEATURES, FEATURES[target], Settings(samples=64, seed=5))
    return [
        likelihood_of_one(teacher.chance(history[:i], arm), answer) for i, (arm, answer) in enumerate(history)
    ]


def test_the_planning_belief_is_a_product_of_what_planning_teachers_with_each_target_would_say() -> None:
    state = learner("planning", samples=64, seed=5).condition(HISTORY)
    weights = np.array([np.prod(planned(target, HISTORY)) for target in range(20)])
    np.testing.assert_allclose(state.targets, normalised(weights), rtol=1e-6, atol=1e-12)


def test_the_mixture_integrates_alpha_as_quadrature_does() -> None:
    state = learner("mixture", samples=64, seed=5).condition(HISTORY)
    weights, first_moments = [], []
    for target in range(20):
        plan = np.array(planned(target, HISTORY))
        face = np.array([likelihood_of_one(REWARDS[target, arm], answer) for arm, answer in HISTORY])

        def density(alpha: float, plan: Array = plan, face: Array = face) -> float:
            return float(np.prod(alpha * plan + (1 - alpha) * face))

        weights.append(integrate.quad(density, 0, 1, epsabs=0, epsrel=1e-10)[0])
        first_moments.append(
            integrate.quad(lambda alpha, f=density: alpha * f(alpha), 0, 1, epsabs=0, epsrel=1e-10)[0]
        )
    np.testing.assert_allclose(state.targets, normalised(np.array(weights)), rtol=1e-6, atol=1e-12)
    assert state.alpha == pytest.approx(sum(first_moments) / sum(weights), rel=1e-6)


def person_by_brute_force(people: People, history: History) -> Array:
    """The evidence of every target, written down once more, on a grid that is far finer."""
    x, p = nodes(241, 8.0)
    u, r = people.ready + people.ready_sd * x, people.again + people.again_sd * x
    relevance = people.relevance(FEATURES, np.arange(20))
    evidence = np.empty(20)
    for target in range(20):
        first, again, rest = np.ones(len(x)), np.ones(len(x)), 1.0
        last: dict[int, int] = {}
        for number, (arm, answer) in enumerate(history, start=1):

            def said(meant: Array, answer: int = answer) -> Array:
                yes = people.slip + (1 - 2 * people.slip) * meant
                return np.asarray(yes if answer else 1 - yes)

            before = last.get(arm, NEVER)
            if arm == target:
                rest *= float(said(np.array(1.0)))
            elif before == NEVER:
                ready = (
                    u + people.question * np.log(number / USUAL_QUESTION) + people.found * (target in last)
                )
                first = first * said(expit(ready) * relevance[target, arm])
            elif before == 1:
                again = again * said(expit(r))
            else:
                rest *= float(said(np.array(0.0)))
            last[arm] = answer
        evidence[target] = (p @ first) * (p @ again) * rest
    return evidence


@given(history=histories(20, least=1, most=15))
@settings(max_examples=40, deadline=None)
def test_the_belief_about_people_integrates_over_persons_as_a_far_finer_grid_does(history: History) -> None:
    evidence = person_by_brute_force(People.default(), history)
    state = learner("person").condition(history)
    np.testing.assert_allclose(state.targets, normalised(evidence), rtol=0.01, atol=1e-4)
    assert state.fit.log_density == pytest.approx(np.log(evidence.mean()), abs=0.01)


def test_a_second_yes_to_a_word_says_that_it_is_the_target_and_a_no_that_it_is_not() -> None:
    one = learner("person", selection="greedy")
    once = one.condition([(15, 1)])
    no, yes = (one.condition([(15, 1), (15, answer)]) for answer in (0, 1))
    assert once.targets is not None
    assert yes.targets is not None
    assert no.targets is not None
    assert yes.targets[15] > 2 * once.targets[15] > 2 * 0.05
    assert yes.targets.argmax() == 15
    assert no.targets[15] < 0.01
    assert no.targets[16] > once.targets[16]  # coffee, a word like tea, is still likely


def test_the_greedy_rule_asks_about_the_highest_expected_reward() -> None:
    for teacher in ("naive", "person"):
        state = learner(teacher, selection="greedy").condition(HISTORY)
        np.testing.assert_allclose(state.scores, state.targets @ REWARDS, rtol=1e-12)
        assert state.arm == int(np.argmax(state.scores))


def test_bayes_ucb_adds_the_spread_of_the_reward_and_thompson_asks_about_a_drawn_target() -> None:
    from scipy.stats import norm

    state = learner("naive", selection="bayes-ucb").condition(HISTORY)
    assert state.targets is not None
    mean = state.targets @ REWARDS
    spread = np.sqrt(state.targets @ REWARDS**2 - mean**2)
    np.testing.assert_allclose(state.scores, mean + norm.ppf(1 - 1 / 8) * spread, rtol=1e-9)
    drawn = [learner("naive", selection="thompson", seed=seed).condition(HISTORY).arm for seed in range(600)]
    share = np.bincount(drawn, minlength=20) / 600
    assert np.abs(share - state.targets).max() < 4 * np.sqrt(0.25 / 600)


def test_explore_first_explores_up_to_question_6_and_is_greedy_from_then_on() -> None:
    answers = [(3, 0), (15, 1), (16, 0), (8, 0), (17, 1), (1, 0)]
    for count in range(1, 7):
        states = [
            learner("person", selection="explore-first", seed=seed).condition(answers[:count])
            for seed in range(40)
        ]
        greedy = learner("person", selection="greedy").condition(answers[:count])
        if count + 1 <= 6:
            assert len({state.arm for state in states}) > 1
        else:
            assert {state.arm for state in states} == {greedy.arm}


# Arguments


def test_the_target_of_a_row_is_its_best_arm_also_in_a_square_table_of_another_order() -> None:
    order = np.roll(np.arange(20), 1)
    assert arms_of_targets(FEATURES[order]).tolist() == order.tolist()
    history = [(15, 1), (15, 1)]
    plain = learner("person").condition(history)
    rolled = learner("person", rewards=FEATURES[order]).condition(history)
    assert plain.targets is not None
    np.testing.assert_allclose(rolled.targets, plain.targets[order], rtol=0, atol=1e-12)
    twins = np.array([[1.0, 1.0, 0.1], [1.0, 1.0, 0.1], [0.1, 0.1, 1.0]])  # two words with the same vector
    assert arms_of_targets(twins).tolist() == [0, 1, 2]


def test_rewards_may_have_fewer_targets_than_arms() -> None:
    some = learner("person", rewards=FEATURES[[15, 16, 19]]).condition([(15, 1), (16, 0)])
    assert some.targets is not None
    assert some.targets.shape == (3,)
    assert some.targets[0] > 0.5
    assert arms_of_targets(FEATURES[[15, 16, 19]]).tolist() == [15, 16, 19]


def test_what_a_belief_over_targets_cannot_use_is_refused() -> None:
    usual = {"arms": FEATURES, "teacher": "person", "belief": "targets"}
    for arguments, problem in (
        ({"arms": FEATURES[:8]}, "needs the reward of every arm under every target"),
        ({"arms": 2 * FEATURES}, "needs the reward of every arm under every target"),
        ({"rewards": FEATURES[:, :3]}, r"rewards has the shape \(20, 3\); it must be \(targets, 20\)"),
        ({"rewards": FEATURES + 1}, "they must be from 0 to 1"),
        ({"belief": "weights", "rewards": FEATURES}, "rewards are for belief 'targets'"),
        ({"belief": "weights"}, "teacher 'person' does not work with belief 'weights'; set belief"),
        ({"people": {"ready": 1.0}}, "people is dict; it must be a core.People"),
        ({"belief": "words"}, "belief is 'words'; it must be one of 'weights', 'targets'"),
    ):
        with pytest.raises(SettingError, match=problem):
            Learner(**usual | arguments)
    other = People.from_mapping(People.default().to_mapping() | {"slip": 0.1})
    state = learner("person").begin(first=3)
    with pytest.raises(SettingError, match="belongs to a learner with other arms or settings"):
        learner("person", people=other).tell(state, 1)


# Closed loop: 15 questions, 19 targets, simulated people


def played(pair: str, people: int, *, selection: str, seed: int = 0, learned: People | None = None) -> Array:
    """(people, 2): the reward and the share of targets found, in the published protocol."""
    default = People.default()
    rounds = [
        one
        for person in range(people)
        for one in rounds_of(person, FEATURES, default, targets=range(1, 20), questions=15, seed=seed)
    ]
    results = simulate(rounds, pair, Settings(selection=selection), 20.0, people=learned or default)
    reward = [one.reward.sum() for one in results]
    found = [(one.asked == rounds[i].target).any() for i, one in enumerate(results)]
    return np.stack([reward, found], -1).astype(float).reshape(people, 19, 2).mean(1)


def test_with_people_it_earns_8_3_finds_92_percent_and_far_more_than_converged_fits_of_the_paper() -> None:
    ours = played("H-HT", 20, selection="greedy")
    reward, found = ours.mean(0)
    assert reward >= 8.3
    assert found >= 0.92
    difference = ours[:, 0] - played("H-N", 20, selection="bayes-ucb")[:, 0]
    assert difference.mean() - 2 * difference.std(ddof=1) / np.sqrt(20) > 0.5


def beyond_noise(ours: Array, others: Array) -> bool:
    """Do people do worse with ours than with the other learner, by more than two standard errors?"""
    difference = ours - others
    return bool(difference.mean() < -2 * difference.std(ddof=1) / np.sqrt(len(difference)))


@pytest.mark.prove
@pytest.mark.parametrize("teacher", ["N", "P", "R"])
def test_with_other_teachers_than_people_exploring_first_earns_no_less_than_the_papers_mixture(
    teacher: str,
) -> None:
    mixture = played(f"{teacher}-M", 20, selection="bayes-ucb")
    greedy = played(f"{teacher}-HT", 20, selection="greedy")
    exploring = played(f"{teacher}-HT", 20, selection="explore-first")
    assert not beyond_noise(exploring[:, 0], mixture[:, 0])
    # A planning teacher repeats its yes to a similar word; a greedy learner takes that word for the target.
    assert beyond_noise(greedy[:, 0], mixture[:, 0]) == (teacher == "P")
    if teacher == "N":
        assert not beyond_noise(exploring[:, 1], mixture[:, 1])  # it also finds as many targets
    if teacher == "P":
        assert beyond_noise(greedy[:, 1], exploring[:, 1])


def answers_of(rounds: list[World], played_: list[Replication], person: int) -> list[tuple[Any, ...]]:
    """One row per answer: person, target, word, likeness, number, found, last, yes."""
    rows = []
    for one, result in zip(rounds, played_, strict=True):
        last: dict[int, int] = {}
        for number, (arm, answer) in enumerate(zip(result.asked, result.answers, strict=True), start=1):
            before = last.get(arm, NEVER)
            likeness = FEATURES[one.target, arm]
            rows.append((person, one.target, arm, likeness, number, one.target in last, before, answer))
            last[arm] = answer
    return rows


@pytest.mark.prove
def test_people_fitted_to_others_earn_8_8_and_find_93_percent_and_no_less_than_the_shipped_ones() -> None:
    """Twenty people play half the published study; the learner meets others who share their pair effects."""
    default, seed = replace(People.default(), pairs=None), 3

    def of(person: int) -> list[World]:
        return rounds_of(person, FEATURES, default, targets=range(1, 20), questions=15, seed=seed)

    rows = [
        row
        for person, pair in enumerate(10 * ["H-N", "H-HT"])  # not both: a person's rounds share their luck
        for row in answers_of(of(person), simulate(of(person), pair, Settings(), 20.0), person)
    ]
    person, target, word, likeness, number, found, last, yes = map(np.array, zip(*rows, strict=True))
    fit = fit_people(
        Answers(person, target, word, likeness, number, found, last, yes.astype(bool)), tuple(WORDS.words)
    )
    assert fit.converged
    others = [one for person in range(20, 40) for one in of(person)]
    greedy = Settings(selection="greedy")

    def reward_and_found(people: People) -> Array:
        results = simulate(others, "H-HT", greedy, 20.0, people=people)
        return np.array(
            [
                (one.reward.sum(), (one.asked == world.target).any())
                for one, world in zip(results, others, strict=True)
            ],
            dtype=float,
        )

    fitted, unfitted = reward_and_found(fit.people), reward_and_found(default)
    assert fitted[:, 0].mean() >= 8.8
    assert fitted[:, 1].mean() >= 0.93
    assert fitted[:, 0].mean() > unfitted[:, 0].mean()
