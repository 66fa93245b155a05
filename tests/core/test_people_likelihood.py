"""The likelihood of people's answers, against the chances of a simulated person and brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from people_rounds import KNOWN, simulated_rounds
from scipy.special import expit, logsumexp
from strategies import FEATURES, WORDS

from core.people import People, nodes
from core.people_fit import Answers
from core.people_likelihood import log_chances, log_evidence, relevance_of
from core.recall import NEVER
from core.settings import Settings
from core.simulated import SimulatedTeacher
from studyapp.analysis.people.rounds import Rounds


@pytest.fixture(scope="module")
def rounds() -> Rounds:
    return simulated_rounds(KNOWN, 2, targets=6, pairs=("H-N", "H-HT"))


@pytest.mark.parametrize("people", [KNOWN, People.default()], ids=["without pairs", "with pairs"])
def test_the_chances_of_answers_are_those_of_somebody_unknown(rounds: Rounds, people: People) -> None:
    logs = log_chances(people, rounds.answers, rounds.round_of_answer)
    for number in range(0, len(rounds.target), 5):
        target = rounds.target[number]
        teacher = SimulatedTeacher("person", FEATURES, FEATURES[target], Settings(), people=people)
        answers = list(zip(rounds.asked[number].tolist(), rounds.yes[number].tolist(), strict=True))
        own = logs[rounds.round_of_answer == number]
        for i, (arm, yes) in enumerate(answers):
            chance = teacher.chance([(asked, int(said)) for asked, said in answers[:i]], arm)
            assert own[i] == pytest.approx(math.log(chance if yes else 1 - chance), abs=1e-4)


def test_relevance_is_that_of_the_model(rounds: Rounds) -> None:
    people, answers = People.default(), rounds.answers
    table = people.relevance(FEATURES, np.arange(20))
    assert relevance_of(people, answers) == pytest.approx(table[answers.target, answers.word], abs=1e-4)
    elsewhere = people.among(tuple(reversed(WORDS.words)))
    moved = replace(answers, target=19 - answers.target, word=19 - answers.word)
    assert relevance_of(elsewhere, moved) == pytest.approx(relevance_of(people, answers))


def by_brute_force(people: People, answers: Answers) -> float:
    """The log probability of one person's answers, on a fine grid of u and r, pair by pair."""
    x, p = nodes(301, 7.0)
    e, pe = nodes(121, 7.0)
    u, r = people.ready + people.ready_sd * x, people.again + people.again_sd * x
    over_u, over_r, certain = np.zeros(len(x)), np.zeros(len(x)), 0.0
    cells: dict[tuple[int, int], np.ndarray] = {}
    for i in range(len(answers)):
        if answers.is_target[i] or answers.last[i] == 0:
            certain += math.log(1 - people.slip if answers.yes[i] == answers.is_target[i] else people.slip)
            continue
        if answers.last[i] == NEVER:
            odds = people.likeness + people.slope * math.log(answers.likeness[i] / 0.15)
            relevance = expit(odds + math.hypot(people.pair_sd, people.opinion_sd) * e)
            shift = people.question * math.log(answers.number[i] / 5) + people.found * answers.found[i]
            meant = expit(u + shift)[:, None] * relevance
        else:
            meant = expit(r)
        chance = people.slip + (1 - 2 * people.slip) * meant
        log = np.log(chance if answers.yes[i] else 1 - chance)
        if answers.last[i] == NEVER:
            pair = int(answers.target[i]), int(answers.word[i])
            cells[pair] = cells.get(pair, 0.0) + log
        else:
            over_r += log
    for cell in cells.values():
        over_u += logsumexp(cell, axis=1, b=pe)
    return float(certain + logsumexp(over_u, b=p) + logsumexp(over_r, b=p))


@pytest.mark.parametrize("person", [0, 1])
def test_the_evidence_of_a_person_is_one_integral_over_who_it_is(rounds: Rounds, person: int) -> None:
    own = rounds.answers.of(rounds.answers.person == person)
    assert log_evidence(KNOWN, own) == pytest.approx(by_brute_force(KNOWN, own), abs=0.01)


def test_a_person_who_becomes_known_is_predicted_better(rounds: Rounds) -> None:
    for person in (0, 1):
        own = rounds.answers.person == person
        unknown = log_chances(KNOWN, rounds.answers.of(own), rounds.round_of_answer[own]).sum()
        assert log_evidence(KNOWN, rounds.answers.of(own)) > unknown


def test_a_pair_of_another_likeness_is_not_known(rounds: Rounds) -> None:
    people, answers = People.default(), rounds.answers
    other = replace(answers, likeness=answers.likeness + 1e-3)
    assert relevance_of(people, other) == pytest.approx(relevance_of(replace(people, pairs=None), other))
