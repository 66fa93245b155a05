"""The model of people: its formula, its integrals, its files, and people drawn by name."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from strategies import FEATURES, WORDS

from core.errors import SettingError
from core.people import PARAMETERS, Pairs, People
from core.recall import NEVER, Recall
from core.rewards import clamped
from core.settings import Settings
from core.simulated import SimulatedTeacher

PEOPLE = People.default()
PLAIN = replace(PEOPLE, pairs=None)  # without what is known about pairs
TARGET = WORDS.index("tea")
History = list[tuple[int, int]]


def sigma(x: float) -> float:
    return 1 / (1 + math.exp(-x))


# The formula


def test_chances_are_those_of_the_formula() -> None:
    u, r, relevance = 1.3, -2.1, 0.7
    for number, found, last, is_target in product((1, 5, 15), (False, True), (NEVER, 0, 1), (False, True)):
        first = sigma(u + PEOPLE.question * math.log(number / 5) + PEOPLE.found * found) * relevance
        meant = 1.0 if is_target else {NEVER: first, 1: sigma(r), 0: 0.0}[last]
        chance = PEOPLE.chances(
            number,
            ready=u,
            again=r,
            relevance=np.array(relevance),
            is_target=np.bool_(is_target),
            last=np.int8(last),
            found=np.bool_(found),
        )
        assert float(chance) == pytest.approx(
            meant * (1 - PEOPLE.slip) + (1 - meant) * PEOPLE.slip, rel=1e-12
        )


def relevance_by_quadrature(people: People, likeness: float, mean: float, sd: float) -> float:
    centre = people.likeness + people.slope * math.log(likeness / 0.15) + mean
    spread = math.hypot(sd, people.opinion_sd)
    return quad(lambda x: sigma(centre + spread * x) * norm.pdf(x), -10, 10, epsabs=1e-12, limit=400)[0]


def test_relevance_is_the_integral_over_pairs_and_opinions() -> None:
    for people, word in product((PEOPLE, PLAIN), ("coffee", "water", "cat")):
        arm = WORDS.index(word)
        relevance = people.relevance(FEATURES[[TARGET]], np.array([TARGET]))[0, arm]
        mean, sd = 0.0, people.pair_sd
        if people.pairs is not None and np.isfinite(people.pairs.likeness[TARGET, arm]):
            mean, sd = people.pairs.mean[TARGET, arm], people.pairs.sd[TARGET, arm]
        expected = relevance_by_quadrature(people, FEATURES[TARGET, arm], mean, sd)
        assert relevance == pytest.approx(expected, abs=1e-4)


# Somebody whom nobody knows


ROUNDS: dict[str, History] = {
    "hints": [(WORDS.index(word), 1) for word in ("coffee", "water", "sugar", "bread", "salt", "rice")],
    "refused": [(WORDS.index(word), 0) for word in ("coffee", "water", "sugar", "bread", "salt", "cat")],
    "repeated": [(WORDS.index("coffee"), 1)] * 3 + [(WORDS.index("coffee"), 0)] * 2 + [(TARGET, 1)],
    "a whole round": [
        (WORDS.index(word), answer)
        for word, answer in (
            ("cat", 0), ("sugar", 1), ("sugar", 0), ("water", 1), ("coffee", 1), ("coffee", 0), ("water", 0),
            ("salt", 0), ("tea", 1), ("tea", 1), ("butter", 0), ("tea", 1), ("cheese", 0), ("coffee", 0),
            ("tea", 1),
        )
    ],
}  # fmt: skip


def marginal(people: People, history: History) -> float:
    """The probability of a round's answers, u and r integrated out by quadrature."""

    def likelihood(u: float, r: float, which: str) -> float:
        value = 1.0
        for i, (arm, answer) in enumerate(history):
            last = int(Recall.of(history[:i], 20).last[0, arm])
            kind = "u" if last == NEVER and arm != TARGET else "r" if last == 1 and arm != TARGET else "none"
            if kind != which:
                continue
            found = any(asked == TARGET for asked, _ in history[:i])
            chance = people.chances(
                i + 1,
                ready=u,
                again=r,
                relevance=relevances[arm],
                is_target=np.bool_(arm == TARGET),
                last=np.int8(last),
                found=np.bool_(found),
            )
            value *= float(chance if answer else 1 - chance)
        return value

    relevances = people.relevance(FEATURES[[TARGET]], np.array([TARGET]))[0]
    over_u = quad(
        lambda x: likelihood(people.ready + people.ready_sd * x, 0.0, "u") * norm.pdf(x), -9, 9, limit=200
    )[0]
    over_r = quad(
        lambda x: likelihood(0.0, people.again + people.again_sd * x, "r") * norm.pdf(x), -9, 9, limit=200
    )[0]
    return over_u * over_r * likelihood(0.0, 0.0, "none")


def log_probability(people: People, history: History) -> float:
    """What the chances of somebody unknown multiply to."""
    teacher = SimulatedTeacher("person", FEATURES, FEATURES[TARGET], Settings(), people=people)
    chances = [teacher.chance(history[:i], arm) for i, (arm, _) in enumerate(history)]
    return sum(
        math.log(chance if answer else 1 - chance)
        for chance, (_, answer) in zip(chances, history, strict=True)
    )


def test_the_chances_of_somebody_unknown_multiply_to_the_probability_of_the_round() -> None:
    """The grid is fine enough for people who differ little or much."""
    for history in ROUNDS.values():
        assert log_probability(PEOPLE, history) == pytest.approx(
            math.log(marginal(PEOPLE, history)), abs=0.005
        )
        for sd in (0.3, 3.0):
            people = replace(PLAIN, ready_sd=sd, again_sd=sd)
            expected = math.log(marginal(people, history))
            assert log_probability(people, history) == pytest.approx(expected, abs=0.01)


def test_somebody_unknown_answers_as_people_who_are_drawn_anew_for_the_round() -> None:
    history = ROUNDS["hints"][:3] + ROUNDS["repeated"][3:4]
    products = []
    for seed in range(4000):
        person = PEOPLE.person(seed, "p", target=TARGET, rewards=clamped(FEATURES[TARGET]), about=("t",))
        likely = 1.0
        for i, (arm, answer) in enumerate(history):
            last = int(Recall.of(history[:i], 20).last[0, arm])
            chance = person.chance(i + 1, arm, last, found=False)
            likely *= chance if answer else 1 - chance
        products.append(likely)
    error = np.std(products) / math.sqrt(len(products))
    assert np.mean(products) == pytest.approx(math.exp(log_probability(PEOPLE, history)), abs=4 * error)


# People by name


def test_a_person_is_the_same_in_all_rounds_and_on_every_call() -> None:
    rewards = clamped(FEATURES)
    first = PEOPLE.person(3, "person", 1, target=0, rewards=rewards[0], about=("target", 0))
    again = PEOPLE.person(3, "person", 1, target=0, rewards=rewards[0], about=("target", 0))
    other = PEOPLE.person(3, "person", 1, target=5, rewards=rewards[5], about=("target", 5))
    assert (first.ready, first.again) == (again.ready, again.again) == (other.ready, other.again)
    assert np.array_equal(first.relevance, again.relevance)
    assert not np.array_equal(first.relevance, other.relevance)


def test_people_of_one_seed_agree_on_pairs_as_far_as_opinions_allow() -> None:
    like_minded = replace(PLAIN, opinion_sd=1e-3)
    rewards = clamped(FEATURES[TARGET])

    def relevance(seed: int, person: int) -> Any:
        drawn = like_minded.person(seed, "p", person, target=TARGET, rewards=rewards, about=("tea",))
        return drawn.relevance

    assert relevance(3, 1) == pytest.approx(relevance(3, 2), abs=0.01)
    assert np.abs(relevance(3, 1) - relevance(4, 1)).max() > 0.1


def test_people_differ_as_the_parameters_say() -> None:
    rewards = clamped(FEATURES[TARGET])
    drawn = [PEOPLE.person(1, i, target=TARGET, rewards=rewards, about=()) for i in range(3000)]
    for name in ("ready", "again"):
        values = np.array([getattr(person, name) for person in drawn])
        mean, sd = getattr(PEOPLE, name), getattr(PEOPLE, f"{name}_sd")
        assert values.mean() == pytest.approx(mean, abs=4 * sd / math.sqrt(3000))
        assert values.std() == pytest.approx(sd, rel=0.06)


# Files


def test_a_mapping_makes_the_same_people() -> None:
    mapping = PEOPLE.to_mapping()
    again = People.from_mapping(json.loads(json.dumps(mapping)))
    assert again == PEOPLE
    assert again.to_mapping() == mapping
    assert People.from_mapping(PLAIN.to_mapping()).pairs is None
    about = {"standard_errors": {"ready": 1.0}, "fitted_to": {"persons": 5}}  # what a file says about itself
    assert People.from_mapping(PLAIN.to_mapping() | about) == PLAIN


BAD: list[tuple[dict[str, Any], str]] = [
    *(({name: bad}, f"people: {name} is") for name in PARAMETERS for bad in ("1", None, math.nan, 1e9, True)),
    *(({f"{name}_sd": 0.0}, f"people: {name}_sd is") for name in ("ready", "pair", "opinion", "again")),
    ({"slip": 0.0}, "people: slip is"),
    ({"slip": 0.5}, "people: slip is"),
    ({"reddy": 1.0}, "there is no parameter 'reddy'"),
    ({"pairs": {}, "words": None}, "words must be a list"),
    ({"pairs": {}, "words": ["a", 1]}, "words must be a list"),
    ({"pairs": {}, "words": ["a", "a"]}, "different words"),
    ({"pairs": {}, "words": ["a"]}, "different words"),
    ({"pairs": [], "words": ["a", "b"]}, "pairs must be a mapping"),
    ({"pairs": {"a": []}, "words": ["a", "b"]}, "must be a mapping of words"),
    ({"pairs": {"c": {"a": [0.1, 0, 1]}}, "words": ["a", "b"]}, "both must be among words"),
    ({"pairs": {"a": {"c": [0.1, 0, 1]}}, "words": ["a", "b"]}, "both must be among words"),
    ({"pairs": {"a": {"b": [0.1, 0]}}, "words": ["a", "b"]}, "three numbers"),
    ({"pairs": {"a": {"b": 3}}, "words": ["a", "b"]}, "three numbers"),
    ({"pairs": {"a": {"b": [1.1, 0, 1]}}, "words": ["a", "b"]}, "likeness is"),
    ({"pairs": {"a": {"b": [0.1, "x", 1]}}, "words": ["a", "b"]}, "mean is"),
    ({"pairs": {"a": {"b": [0.1, 1e9, 1]}}, "words": ["a", "b"]}, "mean is"),
    ({"pairs": {"a": {"b": [0.1, 0, 0]}}, "words": ["a", "b"]}, "standard deviation is"),
]


def test_every_bad_value_is_one_clear_error_and_so_is_a_missing_parameter() -> None:
    for changes, problem in BAD:
        with pytest.raises(SettingError, match=problem):
            People.from_mapping(PLAIN.to_mapping() | changes)
    for name in PARAMETERS:
        mapping = PLAIN.to_mapping()
        del mapping[name]
        with pytest.raises(SettingError, match=f"people: {name} is missing"):
            People.from_mapping(mapping)
    with pytest.raises(SettingError, match="this is no mapping"):
        People.from_mapping([1, 2])  # type: ignore[arg-type]


# Words in another order


def test_other_orders_and_parts_of_the_words_keep_what_is_known_about_pairs() -> None:
    order = tuple(reversed(WORDS.words[3:12]))
    at = [WORDS.words.index(word) for word in order]
    moved = PEOPLE.among(order)
    assert moved.pairs is not None
    assert PEOPLE.pairs is not None
    known = {(target, word): numbers for target, word, numbers in PEOPLE.pairs.known()}
    assert {(target, word): numbers for target, word, numbers in moved.pairs.known()} == {
        pair: numbers for pair, numbers in known.items() if set(pair) <= set(order)
    }
    relevance = moved.relevance(FEATURES[np.ix_(at, at)], np.arange(len(at)))
    whole = PEOPLE.relevance(FEATURES, np.arange(20))
    assert relevance == pytest.approx(whole[np.ix_(at, at)], rel=1e-12)


def test_words_that_nobody_was_asked_about_are_not_known_and_take_no_room() -> None:
    moved = PEOPLE.among((*(f"word{number}" for number in range(1000)), *WORDS.words[:4]))
    assert moved.pairs is not None
    assert moved.pairs.likeness.shape == (20, 20)
    found, *_ = moved.pairs.look_up(np.arange(999, 1004)[:, None], np.arange(999, 1004))
    assert not found[0].any()
    assert not found[:, 0].any()
    assert found[1:, 1:].all()
    assert not any(word.startswith("word") for pair in moved.pairs.known() for word in pair[:2])
    likeness = np.full((1000, 1000), np.nan)
    likeness[3, 900] = 0.5
    pairs = Pairs.of(tuple(map(str, range(1000))), likeness, np.ones((1000, 1000)), np.ones((1000, 1000)))
    assert pairs.likeness.shape == (2, 2)
    assert list(pairs.known()) == [("3", "900", [0.5, 1.0, 1.0])]


def test_people_for_another_kernel_may_be_moved_to_other_words() -> None:
    for width in (0.1, 8.0):
        moved = PEOPLE.for_kernel(width)  # with parameters that no file may have
        order = WORDS.words[::-1]
        assert moved.among(order) == PEOPLE.among(order).for_kernel(width)


def test_pairs_are_not_known_where_the_words_are_not_equally_alike() -> None:
    pairs = Pairs.of(
        ("a", "b"), np.array([[np.nan, 0.2], [np.nan] * 2]), np.full((2, 2), 3.0), np.ones((2, 2))
    )
    known = replace(PLAIN, pairs=pairs)
    same, other = (np.array([[1.0, alike]]) for alike in (0.2, 0.21))
    at = np.array([0])
    assert known.relevance(same, at)[0, 1] > PLAIN.relevance(same, at)[0, 1] + 0.01
    assert np.array_equal(known.relevance(other, at), PLAIN.relevance(other, at))


def test_the_relevance_of_many_words_is_that_of_few() -> None:
    """A large table is looked up on a curve, a small one is integrated pair by pair."""
    likeness = np.random.default_rng(0).uniform(1e-4, 1, (200, 200))
    people = People.default()
    large = people.relevance(likeness, np.arange(200))
    rows = [people.relevance(likeness[t : t + 1], np.array([t]))[0] for t in range(0, 200, 20)]
    np.testing.assert_allclose(large[::20], rows, rtol=0, atol=2e-7)
