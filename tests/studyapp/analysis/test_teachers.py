"""How well both teachers fit a participant, compared with single questions to simulated teachers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session
from scipy import stats

from core.simulated import SimulatedTeacher
from studyapp.analysis.sample import Sample
from studyapp.analysis.teachers import fit_teachers, planner


def test_log_likelihoods_are_those_of_simulated_teachers_who_know_the_target(tmp_path: Path) -> None:
    # Further ahead than one step, plans are made with the same points as those of simulated teachers.
    models = {"plain": {"teacher": "naive"}, "both": {"teacher": "mixture", "beta": 2, "horizon": 2}}
    changes = {"models": models, "questions": 4, "targets": ["tea", "no", "null"], "bonus": None}
    sample = Sample([a_session(tmp_path, **changes)])
    (session,), loaded = sample.sessions, sample.loaded
    (fit,) = fit_teachers(sample).values()
    by_target: dict[str, list[float]] = {}
    planning, naive = [], []
    for r in np.flatnonzero(session.counted):
        target = session.plan[r].target
        rewards = loaded.features[loaded.vocabulary.index(target)]
        history: list[tuple[int, int]] = []
        for q, arm in enumerate(session.asked[r].tolist()):
            settings = replace(planner(loaded.study), seed=q)  # every question number has its own points
            chances = [
                SimulatedTeacher(kind, loaded.features, rewards, settings).chance(history, arm)
                for kind in ("planning", "naive")
            ]
            said_yes = bool(session.yes[r, q])
            of_answer = [np.log(chance if said_yes else 1 - chance) for chance in chances]
            planning.append(of_answer[0])
            naive.append(of_answer[1])
            by_target.setdefault(target, []).append(of_answer[0] - of_answer[1])
            history.append((arm, int(said_yes)))
    assert fit.planning == pytest.approx(np.mean(planning), abs=1e-6)
    assert fit.naive == pytest.approx(np.mean(naive), abs=1e-6)
    gains = [np.mean(gain) for gain in by_target.values()]
    interval = stats.ttest_1samp(gains, 0).confidence_interval(0.95)
    assert float(fit.planning_minus_naive.mean) == pytest.approx(fit.planning - fit.naive)
    assert (fit.planning_minus_naive.low, fit.planning_minus_naive.high) == pytest.approx(
        (interval.low, interval.high), abs=1e-6
    )
    grid = np.linspace(0, 1, 201)[:, None]
    mixed = np.log(grid * np.exp(planning) + (1 - grid) * np.exp(naive)).mean(-1)
    assert fit.mixture == pytest.approx(mixed.max(), abs=1e-6)
    assert fit.alpha.best == pytest.approx(grid[mixed.argmax(), 0])


def test_one_target_gives_a_fit_without_intervals(tmp_path: Path) -> None:
    (fit,) = fit_teachers(Sample([a_session(tmp_path, targets=["tea"])])).values()
    assert np.isfinite([fit.planning, fit.naive, fit.mixture]).all()
    assert np.isnan([fit.planning_minus_naive.low, fit.mixture_minus_naive.high]).all()
