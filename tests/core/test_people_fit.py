"""The fit of people: its density, by brute force and by differences; and parameters that are known."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from people_rounds import KNOWN, simulated_rounds
from scipy.special import expit, logsumexp
from scipy.stats import norm

from core.errors import SettingError
from core.people import PARAMETERS, People, nodes
from core.people_fit import _Density, _First, _parameters, _point, fit_people
from core.recall import NEVER, Answers

POINT = _point(KNOWN)
Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """Three persons, seven targets, each twice."""
    return simulated_rounds(KNOWN, 3, targets=7, questions=12, pairs=("H-N", "H-HT")).answers


def of_persons(answers: Answers, count: int) -> Answers:
    return answers.of(answers.person < count)


def first_questions(answers: Answers) -> Answers:
    return answers.of(~answers.is_target & (answers.last == NEVER))


# First questions: opinions, pairs, persons


def by_brute_force(people: People, answers: Answers, u: np.ndarray) -> float:
    """log p(first answers, u), with opinions and pairs integrated on fine grids, cell by cell."""
    b, pb = nodes(61, 6.0)
    o, po = nodes(61, 6.0)
    total = float(norm.logpdf(u, people.ready, people.ready_sd).sum())
    pairs = np.stack([answers.target, answers.word], axis=1)
    for pair in np.unique(pairs, axis=0):
        of_pair = (pairs == pair).all(1)
        log = np.zeros(len(b))
        for person in np.unique(answers.person[of_pair]):
            cell = np.zeros((len(b), len(o)))
            for i in np.flatnonzero(of_pair & (answers.person == person)):
                odds = people.likeness + people.slope * math.log(answers.likeness[i] / 0.15)
                odds = odds + people.pair_sd * b[:, None] + people.opinion_sd * o
                ready = u[person] + people.question * math.log(answers.number[i] / 5)
                meant = expit(ready + people.found * answers.found[i]) * expit(odds)
                chance = people.slip + (1 - 2 * people.slip) * meant
                cell += np.log(chance if answers.yes[i] else 1 - chance)
            log += logsumexp(cell, axis=1, b=po)
        total += float(logsumexp(log, b=pb))
    return total


def test_the_density_of_first_questions_is_the_integral_over_opinions_and_pairs(answers: Answers) -> None:
    for persons in (1, 3):
        own = first_questions(of_persons(answers, persons))
        u = np.array([2.5, 0.4, 1.1])[:persons]
        value, _, _ = _First(own, persons).derivatives(_parameters(torch.tensor(POINT)), torch.tensor(u))
        assert value.item() == pytest.approx(by_brute_force(KNOWN, own, u), abs=0.01)


def test_its_gradient_and_hessian_agree_with_differences(answers: Answers) -> None:
    first = _First(first_questions(answers), 3)
    parameters = _parameters(torch.tensor(POINT))
    u = torch.tensor([2.5, 0.4, 1.1], dtype=torch.float64)
    _, slope, curvature = first.derivatives(parameters, u)
    step = 1e-5
    for i in range(3):
        moved = torch.zeros(3, dtype=torch.float64)
        moved[i] = step
        above, below = (first.derivatives(parameters, u + side * moved) for side in (1, -1))
        assert slope[i].item() == pytest.approx((above[0] - below[0]).item() / (2 * step), abs=1e-6)
        differences = -(above[1] - below[1]) / (2 * step)
        assert curvature[:, i].numpy() == pytest.approx(differences.numpy(), abs=1e-6)


def test_laplaces_method_agrees_with_quadrature_also_for_persons_whom_pairs_tie_together(
    answers: Answers,
) -> None:
    for persons, grid, error in ((1, np.linspace(-6, 12, 181), 0.05), (2, np.linspace(-4, 8, 33), 0.1)):
        own = of_persons(answers, persons)
        density, parameters = _Density(own), _parameters(torch.tensor(POINT))
        first = _First(first_questions(own), persons)
        logs = [
            first.derivatives(parameters, torch.tensor(u, dtype=torch.float64))[0].item()
            for u in product(grid, repeat=persons)
        ]
        expected = logsumexp(logs) + persons * math.log(grid[1] - grid[0])
        assert density._laplace(parameters).item() == pytest.approx(expected, abs=error)


# All other questions


def test_hundreds_of_repeated_questions_are_integrated_exactly() -> None:
    count = 200
    for yes, again_sd in ((0, 0.5), (40, 0.5), (0, 2.0), (1, 2.0), (120, 2.0), (40, 4.0)):
        people, ones = replace(KNOWN, again_sd=again_sd), np.ones(count, dtype=np.intp)
        answers = Answers(
            person=0 * ones,
            target=0 * ones,
            word=ones,
            likeness=0.2 * ones,
            number=9 * ones,
            found=ones < 0,
            last=ones,
            yes=np.arange(count) < yes,
        )
        value = _Density(answers)._others(_parameters(torch.tensor(_point(people)))).item()
        x = np.linspace(-12, 12, 200_001)
        chance = people.slip + (1 - 2 * people.slip) * expit(people.again + again_sd * x)
        logs = yes * np.log(chance) + (count - yes) * np.log1p(-chance) + norm.logpdf(x)
        assert value == pytest.approx(logsumexp(logs) + math.log(x[1] - x[0]), abs=0.002)


def test_answers_to_the_target_and_after_a_no_count_slips(answers: Answers) -> None:
    own = answers.of(answers.is_target | (answers.last == 0))
    slips = int((own.yes != own.is_target).sum())
    expected = slips * math.log(KNOWN.slip) + (len(own) - slips) * math.log1p(-KNOWN.slip)
    assert _Density(own)._others(_parameters(torch.tensor(POINT))).item() == pytest.approx(expected)


# The search


def test_the_gradient_of_the_log_posterior_agrees_with_differences(answers: Answers) -> None:
    density = _Density(answers)
    _, gradient = density.both(POINT)
    step = 1e-4
    for i, name in enumerate(PARAMETERS):
        moved = np.zeros(len(POINT))
        moved[i] = step
        difference = (density.both(POINT + moved)[0] - density.both(POINT - moved)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(difference, abs=1e-5), name


def test_the_fit_is_a_maximum_and_does_not_depend_on_where_the_search_begins(answers: Answers) -> None:
    fit = fit_people(answers, tuple(map(str, range(20))))
    other = fit_people(answers, tuple(map(str, range(20))), start=KNOWN)
    assert fit.converged
    assert other.converged
    for name, error in fit.standard_errors.items():
        assert getattr(fit.people, name) == pytest.approx(getattr(other.people, name), abs=0.01 * error)
    density, at = _Density(answers), _point(fit.people)
    best = density.both(at)[0]
    for i in range(len(at)):
        for side in (-0.1, 0.1):
            moved = at.copy()
            moved[i] += side
            assert density.both(moved)[0] < best


def test_one_person_is_enough_for_a_fit_and_no_answers_are_refused(answers: Answers) -> None:
    fit = fit_people(of_persons(answers, 1), tuple(map(str, range(20))))
    assert fit.converged
    assert len(fit.ready) == 1
    assert all(math.isfinite(error) for error in fit.standard_errors.values())
    with pytest.raises(SettingError, match="there are no answers"):
        fit_people(answers.of(np.zeros(len(answers), dtype=bool)), ("a", "b"))


@pytest.mark.prove
def test_known_parameters_are_recovered() -> None:
    rounds = simulated_rounds(KNOWN, 12, pairs=("H-N", "H-HT"))
    fit = fit_people(rounds.answers, rounds.words)
    assert fit.converged
    units = {name: getattr(fit.people, name) for name in PARAMETERS if name.endswith("_sd") or name == "slip"}
    errors = [fit.standard_errors[name] / units.get(name, 1.0) for name in PARAMETERS]  # of the search
    for name, found, known, error in zip(PARAMETERS, _point(fit.people), POINT, errors, strict=True):
        assert found == pytest.approx(known, abs=3 * error), name
        assert error < 2, name


def test_pairs_that_people_agree_on_are_learned() -> None:
    rounds = simulated_rounds(replace(KNOWN, pair_sd=2.5, opinion_sd=0.5), 8)
    fit = fit_people(rounds.answers, rounds.words)
    pairs = fit.people.pairs
    assert pairs is not None
    rewards = rounds.answers
    first = ~rewards.is_target & (rewards.last == NEVER)
    seen = np.zeros((20, 20))
    np.add.at(seen, (rewards.target[first], rewards.word[first]), 1)
    assert np.array_equal(np.isfinite(pairs.sd), seen > 0)
    assert (pairs.sd[seen >= 5] < fit.people.pair_sd).mean() > 0.9


def test_somebody_who_answers_at_random_can_be_fitted() -> None:
    rounds = simulated_rounds(KNOWN, 2, targets=6)
    random = replace(rounds, yes=np.random.default_rng(3).random(rounds.yes.shape) < 0.7)
    fit = fit_people(random.answers, random.words)
    assert fit.people.slip <= 0.4
    assert all(math.isfinite(error) for error in fit.standard_errors.values())
