"""Order effects, against least squares with one column per participant and target."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session
from scipy import stats

from studyapp.analysis.extract import Extract
from studyapp.analysis.order import order_effects
from studyapp.analysis.sample import Sample


def sessions(folder: Path, count: int, seed: int, *, same_order: bool = False) -> list[Extract]:
    """Participants with the rounds of a session in orders of their own; hard words, learning, being first."""
    session = a_session(folder, targets=["tea", "no", "null", "café", "ice cream"], bonus=None)
    rng = np.random.default_rng(seed)
    practice = [i for i, round_ in enumerate(session.plan) if round_.practice]
    targets = list(dict.fromkeys(round_.target for round_ in session.plan if not round_.practice))
    made = []
    for number in range(count):
        order = list(practice)
        for target in targets if same_order else rng.permutation(targets):
            own = [i for i, r in enumerate(session.plan) if r.target == target and not r.practice]
            order += [own[i] for i in rng.permutation(len(own))]
        reward = session.reward[order] + rng.normal(0, 0.1, session.reward.shape)
        made.append(
            replace(
                session,
                participant=f"P{number}",
                plan=[session.plan[i] for i in order],
                asked=session.asked[order],
                yes=session.yes[order],
                reward=reward,
                found_at=session.found_at[order],
            )
        )
    return made


def expected(sample: Sample, model: str, leave_out: int | None = None) -> np.ndarray:
    """Coefficients of being first and of the position."""
    rows, rewards = [], []
    for p, session in enumerate(sample.sessions):
        if p == leave_out:
            continue
        seen: set[str] = set()
        position = 0
        for round_, reward in zip(session.plan, session.reward, strict=True):
            if round_.practice:
                continue
            if round_.model == model:
                people = [float(p == i) for i in range(len(sample.sessions))]
                words = [float(round_.target == target) for target in sample.targets]
                rows.append([*people, *words, float(round_.target not in seen), float(position)])
                rewards.append(reward.sum())
                position += 1
            seen.add(round_.target)
    return np.linalg.lstsq(np.array(rows), np.array(rewards), rcond=None)[0][-2:]


def test_effects_are_those_of_least_squares_with_every_participant_and_target(tmp_path: Path) -> None:
    sample = Sample(sessions(tmp_path, 8, seed=1))
    order = order_effects(sample)
    n = len(sample.sessions)
    for model in sample.models:
        coefficients = expected(sample, model)
        without = np.array([expected(sample, model, leave_out=i) for i in range(n)])
        errors = np.sqrt((n - 1) / n * ((without - coefficients) ** 2).sum(0))
        for test, value, error in zip(
            (order.first[model], order.learning[model]), coefficients, errors, strict=True
        ):
            assert test.difference == pytest.approx(value, abs=1e-9)
            assert test.t == pytest.approx(value / error, rel=1e-6)
            assert test.p == pytest.approx(2 * stats.t.sf(abs(value / error), n - 1), rel=1e-6)
            half = stats.t.ppf(0.975, n - 1) * error
            assert (test.low, test.high) == pytest.approx((value - half, value + half), rel=1e-6)


def test_easy_words_at_the_end_do_not_pass_for_learning(tmp_path: Path) -> None:
    sample = Sample(sessions(tmp_path, 6, seed=2, same_order=True))
    for test in order_effects(sample).learning.values():
        assert test.reason == "everyone had the targets in the same order"
        assert np.isnan([test.difference, test.p]).all()


def test_few_participants_have_no_test_of_order(tmp_path: Path) -> None:
    sample = Sample(sessions(tmp_path, 2, seed=3))
    for tests in (order_effects(sample).first, order_effects(sample).learning):
        assert all(test.reason for test in tests.values())
