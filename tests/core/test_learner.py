"""What learners are for, what they refuse, and how they compare with the published study.

The contract of every learner is in test_contracts.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import published
import pytest
from strategies import FEATURES, WORDS

from core import Learner, SettingError, State
from core.learner import tell_each
from core.settings import FITS

ANSWERS = [1, 0, 0, 1, 0]


def states_of(learner: Learner) -> list[State]:
    """The states of a short round."""
    states = [learner.begin(first=3)]
    for answer in ANSWERS:
        states.append(learner.tell(states[-1], answer))
    return states


def test_the_number_of_threads_changes_no_question_and_no_digest() -> None:
    code = """
import numpy as np
from core import Learner
rng = np.random.default_rng(0)
for shape in ((10, 12), (150, 12), (150, 150)):  # all estimates of core.thompson
    learner = Learner(rng.normal(size=shape), samples=2000)
    state = learner.condition([(3, 1), (7, 0), (1, 0)])
    print(state.history, state.arm, state.digest)
"""
    outcomes = set()
    for threads in ("1", "2"):  # read when NumPy is loaded
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "VECLIB_MAXIMUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        outcomes.add(run.stdout)
    assert len(outcomes) == 1
    assert outcomes.pop().count("\n") == 3


def test_a_second_step_that_counts_for_nothing_leaves_the_one_step_learner() -> None:
    def planner(**settings_of: Any) -> list[State]:
        return states_of(Learner(FEATURES[:8], teacher="planning", samples=64, **settings_of))

    # Horizon 1 has one trajectory per answer, where the smooth maximum is exact.
    one, two = planner(horizon=1), planner(horizon=2, gamma=1e-12)
    assert one[-1]._memory.evidence.sums.shape[3] == 1
    assert two[-1]._memory.evidence.sums.shape[3] == 2
    # S is a mean over steps; twice the beta undoes the division by 2.
    doubled = planner(horizon=2, gamma=1e-12, beta=40.0)
    for a, b in zip(one, doubled, strict=True):
        np.testing.assert_allclose(a.mean, b.mean, atol=1e-5)
    assert not np.allclose(one[-1].mean, two[-1].mean, atol=1e-3)


# The published study


def check_published(answers: published.Round) -> None:
    one = Learner(FEATURES, teacher="naive", fit="published")
    state = one.begin(WORDS.index(answers[0][0]))
    for word, answer in answers:
        assert WORDS.words[state.arm] == word
        state = one.tell(state, answer)


def test_published_fits_ask_the_published_questions_of_the_naive_model() -> None:
    """How P103's first round began: it can be checked without the published sessions."""
    check_published([("pasta", 0), ("elephant", 1), ("cat", 1), ("snake", 1)])


@published.needs_sessions
@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.prove)])
def test_published_fits_ask_every_published_question_of_the_naive_model(every: int) -> None:
    rounds = published.rounds("naive")
    assert sum(map(len, rounds)) == 1500
    for answers in rounds[::every]:
        check_published(answers)


@published.needs_sessions
def test_published_fits_stop_a_quarter_short_of_the_maximum_and_see_half_as_far_ahead() -> None:
    short, ahead = [], []
    for answers in published.rounds("mixture")[::10]:
        history = [(WORDS.index(word), answer) for word, answer in answers[:10]]
        maximum, stopped = (
            Learner(FEATURES, teacher="naive", fit=fit).condition(history).mean for fit in FITS
        )
        short.append(np.linalg.norm(stopped - maximum) / np.linalg.norm(maximum))
        # Every model that plans sees the same ahead; this one has the fewest steps.
        true, seen = (
            sums[:, 1, 0] - sums[:, 0, 0]
            for sums in (
                Learner(FEATURES, teacher="planning", fit=fit).condition(history)._memory.evidence.sums[0]
                for fit in FITS
            )
        )
        ahead.extend((seen * true).sum(1) / (true * true).sum(1))
    assert 0.1 < np.median(short) < 0.4
    assert 0.3 < np.median(ahead) < 0.6


# What is refused


def test_a_setting_that_is_not_allowed_is_refused_by_name() -> None:
    for changes, problem in (
        ({"teacher": "planing"}, r"teacher is 'planing' \(did you mean 'planning'\?\); it must be one of"),
        ({"selection": "ucb"}, "selection is 'ucb'"),
        ({"fit": "sgd"}, "fit is 'sgd'"),
        ({"beta": -1.0}, "beta is -1.0; it must be a finite number at least 0 and at most 1e"),
        ({"beta": "20"}, "beta is '20'"),
        ({"tau": 0.0}, "tau is 0.0; it must be a finite number at least 1e-06 and at most 1e"),
        ({"tau": float("nan")}, "tau is nan"),
        ({"horizon": 0}, "horizon is 0; it must be a whole number from 1 to 10"),
        ({"horizon": 1.5}, "horizon is 1.5"),
        ({"gamma": 1.1}, "gamma is 1.1; it must be a finite number above 0 and at most 1"),
        ({"samples": 1}, "samples is 1"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"arms": [[1.0, 2.0]]}, "the number of arms is 1; it must be from 2 to 2,000"),
        ({"arms": np.ones((2001, 1))}, "the number of arms is 2001; it must be from 2 to 2,000"),
        ({"arms": [1.0, 2.0]}, r"arms has the shape \(2,\)"),
        ({"arms": [[1.0], [float("inf")]]}, "feature 0 of arm 1 is inf"),
        ({"arms": [[1.0], ["a"]]}, "arms must be a table of numbers"),
        ({"arms": [[1.0], [1.0, 2.0]]}, "arms must be a table of numbers"),
        ({"fit": "published", "tau": 0.05}, r"diverge with tau = 0\.05; set tau to 0\.1 or more, or fit to"),
    ):
        with pytest.raises(SettingError, match=problem):
            Learner(**{"arms": FEATURES} | changes)  # type: ignore[arg-type]


def test_a_wrong_answer_first_arm_or_history_is_refused() -> None:
    one = Learner(FEATURES, teacher="naive")
    state = one.begin()
    for wrong, problem in (
        (lambda: one.tell(state, 2), "the answer is 2; it must be 1 for yes or 0 for no"),
        (lambda: one.tell(state, "y"), "the answer is 'y'"),  # type: ignore[arg-type]
        (lambda: one.begin(20), "first is 20; it must be a whole number from 0 to 19"),
        (lambda: one.condition([(3, 1), (7, 3)]), r"entry 2 of the history, \(7, 3\): the answer is 3"),
        (lambda: one.condition([5]), "entry 1 of the history, 5: it must be a pair"),  # type: ignore[list-item]
    ):
        with pytest.raises(SettingError, match=problem):
            wrong()


def test_a_state_of_another_learner_is_refused_and_so_are_different_learners_told_together() -> None:
    one = Learner(FEATURES, teacher="naive")
    state = one.begin(3)
    for other, alike in (
        (Learner(FEATURES, teacher="mixture"), False),
        (Learner(FEATURES, teacher="naive", seed=1), True),
        (Learner(FEATURES, teacher="naive", tau=1.0), False),
        (Learner(FEATURES[:8], teacher="naive"), False),
        (Learner(FEATURES[::-1], teacher="naive"), False),
    ):
        with pytest.raises(SettingError, match="belongs to a learner with other arms or settings"):
            other.tell(state, 1)
        if not alike:
            with pytest.raises(SettingError, match="may differ only in their seeds"):
                tell_each([one, other], [state, other.begin(first=3)], [1, 0])


def test_a_learner_works_with_any_number_of_arms_and_features() -> None:
    rng = np.random.default_rng(0)
    for K, M in ((2, 1), (2, 30), (50, 1), (31, 30), (400, 3)):
        one = Learner(rng.normal(size=(K, M)), samples=64)
        state = one.begin(0)
        for answer in (1, 0, 1):
            state = one.tell(state, answer)
            assert state.fit.converged


def test_a_learner_leaves_the_settings_of_numpy_alone() -> None:
    before = (np.geterr(), str(np.random.get_state()))
    states_of(Learner(FEATURES))
    assert (np.geterr(), str(np.random.get_state())) == before


def test_the_published_steps_stay_bounded_with_the_narrowest_prior_that_they_may_have() -> None:
    for teacher in ("naive", "mixture"):
        learner = Learner(FEATURES, teacher=teacher, fit="published", tau=0.1)
        assert np.abs(learner.condition([(arm, arm % 2) for arm in range(15)]).mean).max() < 1


def test_a_learner_with_another_seed_is_the_learner_that_was_made_with_it() -> None:
    for changes in (
        {"teacher": "mixture"},
        {"teacher": "person", "belief": "targets", "selection": "thompson"},
    ):
        made, other = (Learner(FEATURES, seed=seed, samples=64, **changes) for seed in (5, 4))  # type: ignore[arg-type]
        other.tell(other.begin(3), 1)  # it has draws of its own by now
        seeded = other.with_seed(5)
        one, same = (learner.tell(learner.tell(learner.begin(3), 1), 0) for learner in (made, seeded))
        assert (one.arm, one.digest) == (same.arm, same.digest)
        assert made.tell(same, 1).digest == made.tell(one, 1).digest  # either takes the other's states
        assert (seeded.settings.seed, other.settings.seed) == (5, 4)
