"""Contracts that every teacher model, selection rule and simulated teacher keeps, and a dummy of each.

A new kind is found here without a change to this file.  tests/dummy_kinds.py has a dummy of each, added for
the length of a test, which proves that one class is all that a new kind takes.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dummy_kinds import Coin, Contrary, Stubborn
from hypothesis import HealthCheck, given, settings
from numpy.typing import NDArray
from scipy.special import expit
from strategies import FEATURES, Place, places

from core import Learner, People, State, same_digest
from core.learner import tell_each
from core.pairs import BELIEF_LETTERS, TABLE_1, all_pairs, pair_named, pair_names
from core.selection import SELECTIONS
from core.settings import FITS, Settings
from core.simulated import SIMULATED, SimulatedTeacher
from core.simulation import simulate
from core.teachers import TEACHERS
from core.worlds import prepared, who, world

Array = NDArray[np.float64]
ROOT = Path(__file__).parents[2]
ANSWERS = (1, 0, 0, 1)

# The dummies are the last.
TEACHER_NAMES = (*TEACHERS.names, Stubborn.name)
PAIR_NAMES = pair_names()
RULE_NAMES = (*SELECTIONS.names, Coin.name)
SIMULATED_NAMES = (*SIMULATED.names, Contrary.name)
ALL_PAIRS = (
    *PAIR_NAMES,
    *(
        f"{Contrary.letter}-{model.letter}{letter}"
        for belief, letter in BELIEF_LETTERS.items()
        for model in (*TEACHERS, Stubborn())
        if belief in model.beliefs
    ),
    *(
        f"{kind.letter}-{Stubborn.letter}{letter}"
        for letter in BELIEF_LETTERS.values()
        for kind in SIMULATED
        if kind.letter is not None
    ),
)
# A density in theta belongs to a belief over weights.
OVER_WEIGHTS = tuple(model.name for model in (*TEACHERS, Stubborn()) if "weights" in model.beliefs)


@pytest.fixture(autouse=True)
def _dummies() -> Iterator[None]:
    """The dummies are kinds like any other while a test of this file runs."""
    with ExitStack() as stack:
        stack.enter_context(TEACHERS.also(Stubborn()))
        stack.enter_context(SELECTIONS.also(Coin()))
        stack.enter_context(SIMULATED.also(Contrary()))
        yield


# A learner's model and belief.
MODELS = [
    pytest.param(model.name, belief, id=f"{model.name}-{belief}")
    for model in (*TEACHERS, Stubborn())
    for belief in model.beliefs
]
every_model = pytest.mark.parametrize(("teacher", "belief"), MODELS)


def settings_with(teacher: str, belief: str, *, slow: bool) -> Iterator[dict[str, Any]]:
    """Every rule and fit; two steps of planning with one rule only.

    A published fit with an alpha takes a thousand steps.  With other rules it proves little more, so these
    are left to the long proofs.
    """
    model = TEACHERS[teacher]
    for rule, fit, horizon in itertools.product(RULE_NAMES, FITS, (1, 2)):
        if horizon == 1 or (model.plans and rule == "bayes-ucb"):
            long = model.has_alpha and fit == "published" and (rule, horizon) != ("bayes-ucb", 1)
            if long == slow:
                given = {"teacher": teacher, "belief": belief, "selection": rule, "fit": fit}
                yield given | {"horizon": horizon}


def new_learner(settings_of: dict[str, Any]) -> Learner:
    rewards = FEATURES[:8, :8] if settings_of["belief"] == "targets" else None
    return Learner(FEATURES[:8], samples=64, rewards=rewards, **settings_of)


def states_of(learner: Learner) -> list[State]:
    """The states of a short round."""
    states = [learner.begin(first=3)]
    for answer in ANSWERS:
        states.append(learner.tell(states[-1], answer))
    return states


def beliefs_of(state: State) -> list[Array]:
    """The arrays that say what a learner believes."""
    return [array for array in (state.mean, state.cov, state.targets) if array is not None]


def assert_same(one: State, other: State) -> None:
    assert one.history == other.history
    assert one.arm == other.arm
    for array, same in zip(beliefs_of(one), beliefs_of(other), strict=True):
        np.testing.assert_allclose(array, same, rtol=0, atol=1e-9)
    assert one.alpha == pytest.approx(other.alpha, abs=1e-9)
    assert same_digest(one.digest, other.digest)


def assert_complete(learner: Learner, states: list[State]) -> None:
    """Each state has its history, a question, a posterior and a report of the fit."""
    asked = [state.arm for state in states]
    assert asked[0] == 3
    for number, state in enumerate(states):
        assert state.history == tuple(zip(asked[:number], ANSWERS[:number], strict=True))
        assert state.arm in range(8)
        if learner.settings.belief == "targets":
            assert (state.mean, state.cov) == (None, None)
            assert state.targets is not None
            assert state.targets.shape == (8,)
            assert state.targets.min() >= 0
            assert state.targets.sum() == pytest.approx(1, abs=1e-12)
        else:
            assert state.targets is None
            assert state.mean is not None
            assert state.mean.shape == (20,)
            assert state.cov is not None
            assert state.cov.shape == (20, 20)
            assert np.linalg.eigvalsh(state.cov).min() > 0
        assert (state.alpha is not None) == TEACHERS[learner.settings.teacher].has_alpha
        if state.alpha is not None:
            assert 0.0 < state.alpha < 1.0
        if learner.settings.fit == "converged":
            assert state.fit.converged
            assert state.fit.gradient <= 1e-8
            assert state.fit.bent == 0.0


# Learners


def assert_pure(settings_of: dict[str, Any]) -> None:
    """Complete states, the same bits from another learner, and nothing changed by ``tell``."""
    learner = new_learner(settings_of)
    states, kept = [learner.begin(first=3)], []
    for answer in ANSWERS:
        state = states[-1]
        kept.append((state.digest, *(array.copy() for array in (*beliefs_of(state), learner.arms))))
        states.append(learner.tell(state, answer))
    assert_complete(learner, states)
    for state, (digest, *arrays) in zip(states, kept, strict=False):
        fresh = dataclasses.replace(state)  # a digest is kept once it is computed; this one is not
        assert fresh.digest == digest
        for now, then in zip((*beliefs_of(state), learner.arms), arrays, strict=True):
            assert np.array_equal(now, then)
            assert not now.flags.writeable
    for state, other in zip(states, states_of(new_learner(settings_of)), strict=True):
        assert state.arm == other.arm
        assert all(map(np.array_equal, beliefs_of(state), beliefs_of(other)))
        assert state.digest == other.digest


def assert_every_way_agrees(settings_of: dict[str, Any], checked: Iterable[int]) -> None:
    """``tell``, ``tell_both`` and ``condition`` give the same state."""
    learner, other = new_learner(settings_of), new_learner(settings_of)
    states = states_of(learner)
    for number in checked:
        state, following, answer = states[number], states[number + 1], ANSWERS[number]
        both = learner.tell_both(state)
        assert_same(both[answer], following)
        assert_same(both[1 - answer], other.tell(state, 1 - answer))
        assert_same(learner.condition(following.history), following)


def assert_together_as_alone(settings_of: dict[str, Any]) -> None:
    """Learners that are told together end where each of them would alone."""
    learners = [new_learner(settings_of | {"seed": seed}) for seed in (1, 2, 3)]
    states = [learner.begin(first) for learner, first in zip(learners, (3, 0, 3), strict=True)]
    for answers in ((1, 0, 0), (0, 0, 1)):
        alone = [
            learner.tell(state, answer)
            for learner, state, answer in zip(learners, states, answers, strict=True)
        ]
        states = tell_each(learners, states, answers)
        for together, one in zip(states, alone, strict=True):
            assert_same(together, one)
            np.testing.assert_allclose(together.scores, one.scores, rtol=0, atol=1e-9)


def assert_seed_matters_only_where_said(settings_of: dict[str, Any]) -> None:
    learners = [new_learner(settings_of | {"seed": seed}) for seed in range(6)]
    states, alike = [learner.begin(3) for learner in learners], True
    for answer in ANSWERS[:2]:
        states = tell_each(learners, states, [answer] * len(learners))
        alike &= all(np.allclose(states[0].scores, other.scores, rtol=0, atol=1e-12) for other in states)
        states = [dataclasses.replace(state, arm=5) for state in states]
    assert alike != learners[0].settings.draws


@every_model
def test_every_learner_is_pure_replayable_and_independent_of_its_batch(teacher: str, belief: str) -> None:
    for settings_of in settings_with(teacher, belief, slow=False):
        assert_pure(settings_of)
        assert_every_way_agrees(settings_of, [2])
        assert_together_as_alone(settings_of)
        assert_seed_matters_only_where_said(settings_of)


@pytest.mark.prove
@every_model
def test_the_same_of_slow_learners_and_after_every_answer(teacher: str, belief: str) -> None:
    for settings_of in settings_with(teacher, belief, slow=True):
        assert_pure(settings_of)
        assert_together_as_alone(settings_of)
        assert_seed_matters_only_where_said(settings_of)
    for slow in (False, True):
        for settings_of in settings_with(teacher, belief, slow=slow):
            assert_every_way_agrees(settings_of, range(len(ANSWERS)))


# Likelihoods


def parameters(teacher: str, at: Array) -> Array:
    return at if TEACHERS[teacher].has_alpha else at[:-1]


@pytest.mark.parametrize("teacher", OVER_WEIGHTS)
@given(place=places())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_derivatives_of_a_density_agree_with_differences_also_of_part_of_a_batch(
    teacher: str, place: Place
) -> None:
    evidence, at = place[0], parameters(teacher, place[1])
    density = TEACHERS[teacher].log_likelihood(evidence, 20.0, 5.0)
    here = density(at[None])
    for i, step in enumerate(1e-5 * np.eye(len(at))):
        ahead, behind = density(at[None] + step), density(at[None] - step)
        slope = (ahead.value[0] - behind.value[0]) / 2e-5
        assert here.gradient[0, i] == pytest.approx(slope, rel=1e-6, abs=1e-6)
        bend = (ahead.gradient[0] - behind.gradient[0]) / 2e-5
        assert here.curvature[0, i].tolist() == pytest.approx((-bend).tolist(), rel=1e-6, abs=1e-5)
    assert np.linalg.eigvalsh(here.convex).min() >= -1e-9  # the stand-in for the curvature
    sharp = TEACHERS[teacher].log_likelihood(evidence, 20.0, math.inf)
    np.testing.assert_allclose(sharp.gradient(at[None]), sharp(at[None]).gradient, rtol=0, atol=1e-11)
    points, rows = np.stack([at, -at, 2 * at]), np.array([2, 0])
    batch = TEACHERS[teacher].log_likelihood(evidence.repeat(3), 20.0, 5.0)
    for whole, part in zip(batch(points), batch.only(rows)(points[rows]), strict=True):
        np.testing.assert_allclose(whole[rows], part, rtol=0, atol=1e-11)


def test_the_dummy_teacher_learns_half_as_much_from_the_first_answer() -> None:
    """That is, it is no other model by accident."""
    naive, stubborn = (
        Learner(1e-3 * FEATURES, teacher=teacher).condition([(3, 1)]).mean
        for teacher in ("naive", "stubborn")
    )
    np.testing.assert_allclose(stubborn, naive / 2, rtol=1e-5)


# Simulated teachers and pairs


def test_a_simulated_teacher_is_a_pure_function_of_history_and_arm() -> None:
    for kind, history in itertools.product(SIMULATED_NAMES, ([], [(16, 1), (1, 0)])):
        one, other = (
            SimulatedTeacher(kind, FEATURES, FEATURES[15], Settings(samples=64, seed=3)) for _ in range(2)
        )
        first = [one.chance(history, arm) for arm in range(20)]
        assert [other.chance(history, arm) for arm in reversed(range(20))] == first[::-1]
        assert all(0 <= chance <= 1 for chance in first)


def one_by_one(pair: str, settings: Settings, teacher_beta: float) -> tuple[list[int], list[int]]:
    """One world by way of ``Learner`` and ``SimulatedTeacher``."""
    parts = pair_named(pair)
    one = WORLDS[0]
    given = vars(settings) | {"teacher": parts.model.name, "belief": parts.belief, "seed": one.seed}
    learner = Learner(one.arms, **given, rewards=expit(one.odds_table) if parts.belief == "targets" else None)
    plan = dataclasses.replace(settings, beta=teacher_beta, seed=one.seed)
    person = who(one, People.default()) if parts.teacher.is_person else None
    teacher = SimulatedTeacher(parts.teacher.name, one.arms, one.rewards, plan, person=person)
    state = learner.begin(one.first)
    for luck in one.luck:
        state = learner.tell(state, int(luck < teacher.chance(state.history, state.arm)))
    asked, answers = zip(*state.history, strict=True)
    return list(asked), list(answers)


WORLDS = [
    world(prepared(FEATURES), number, arms=6, questions=3, c=-2.0, d=4.0, seed=1) for number in range(2)
]


def test_every_pair_of_kinds_is_simulated_as_one_learner_with_one_teacher() -> None:
    usual = Settings(selection="thompson", samples=32)
    others = [("P-M", dataclasses.replace(usual, selection=rule)) for rule in RULE_NAMES]
    longer = dataclasses.replace(usual, horizon=2, beta=10.0)
    for pair, settings_of in (*((pair, usual) for pair in ALL_PAIRS), *others, ("P-P", longer)):
        replications = simulate(WORLDS, pair, settings_of, 15.0)
        played = replications[0].asked.tolist(), replications[0].answers.tolist()
        assert played == one_by_one(pair, settings_of, 15.0), pair
        assert all(replication.converged for replication in replications)
        assert replications[0].reward.tolist() == WORLDS[0].rewards[replications[0].asked].tolist()


# What kinds say about themselves


def test_kinds_describe_themselves() -> None:
    for kind in (*TEACHERS, *SELECTIONS, *SIMULATED):
        assert kind.name == kind.name.strip().lower()
        assert kind.sentence
        assert kind.sentence[0].islower()
        assert not kind.sentence.endswith(".")


def test_no_two_kinds_share_a_letter_so_pairs_have_different_names() -> None:
    for letters in (
        [model.letter for model in TEACHERS],
        [kind.letter for kind in SIMULATED if kind.letter is not None],
    ):
        assert len(set(letters)) == len(letters)
        assert all(len(letter) == 1 and letter.isupper() for letter in letters)
    assert sorted(pair.name for pair in all_pairs()) == sorted(ALL_PAIRS)
    assert set(TABLE_1) <= set(pair_names())  # the pairs of the paper


def test_settings_accept_every_kind_and_nothing_else() -> None:
    for teacher, rule in itertools.product((*TEACHERS, Stubborn()), RULE_NAMES):
        for belief in teacher.beliefs:
            Settings(teacher=teacher.name, belief=belief, selection=rule)
    with pytest.raises(ValueError, match=r"teacher is 'unknown'; it must be one of 'naive', .*'stubborn'"):
        Settings(teacher="unknown")


def test_names_settings_and_pairs_are_known_without_torch_or_scipy() -> None:
    code = (
        "import sys\n"
        "from core.pairs import pair_names\n"
        "from core.selection import SELECTIONS\n"
        "from core.settings import Settings\n"
        "from core.simulated import SIMULATED\n"
        "from core.teachers import TEACHERS\n"
        "Settings(teacher='planning', selection='greedy')\n"
        "print(*TEACHERS.names, *SELECTIONS.names, *SIMULATED.names, *pair_names())\n"
        "sys.exit(len({'torch', 'scipy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [*TEACHER_NAMES[:-1], *RULE_NAMES[:-1], *SIMULATED_NAMES[:-1], *PAIR_NAMES]
