"""Does a participant plan?  The posterior of alpha, the share of planning in a participant's answers.

One participant takes about 0.1 s, ten times as long as the rest of the analysis, so a large sample is
limited to a random part of it, which is always the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.randomness import stream
from core.rewards import clamped
from core.settings import Settings
from core.teachers import TEACHERS
from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Sample
from studyapp.base.parallel import in_order
from studyapp.study.study import LoadedStudy, Study

__all__ = ["Alpha", "find_alphas"]

# Points for the planning teacher's look-ahead.  On the published sessions, the mean of alpha is then off by
# 0.01 (root mean square, compared with 4,096 points); its posterior standard deviation is 0.05.
SAMPLES = 32


@dataclass(frozen=True)
class Alpha:
    """The posterior of alpha: its mean and its central 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class _Answers:
    """All answers of a participant that count, and the planner to compare them with."""

    arms: NDArray[np.float64]
    rewards: NDArray[np.float64]
    asked: NDArray[np.intp]
    yes: NDArray[np.bool_]
    planner: Settings


def find_alphas(sample: Sample, most: int) -> dict[str, Alpha]:
    """Alpha by participant, for at most this number of participants."""
    sessions = sample.sessions
    if len(sessions) > most:
        order = stream(0, "analysis", "planners", len(sessions)).permutation(len(sessions))
        sessions = [sessions[i] for i in sorted(order[:most])]
    answers = [_answers(session, sample.loaded) for session in sessions]
    alphas = in_order(_alpha, answers, "estimating alpha")
    return {session.participant: alpha for session, alpha in zip(sessions, alphas, strict=True)}


def _answers(session: Extract, loaded: LoadedStudy) -> _Answers:
    rounds = session.counted
    targets = [loaded.vocabulary.index(round_.target) for round_ in session.plan]
    rewards = clamped(loaded.features)[targets][rounds]
    return _Answers(
        loaded.features, rewards, session.asked[rounds], session.yes[rounds], _planner(loaded.study)
    )


def _planner(study: Study) -> Settings:
    """The planning teacher that the study's models assume; the default one if none assumes any."""
    settings = [study.settings(name, seed=0) for name in study.models]
    planner = next((own for own in settings if TEACHERS[own.teacher].plans), Settings())
    return replace(planner, samples=SAMPLES, seed=0)


def _alpha(answers: _Answers) -> Alpha:
    """Runs in another process where there are many; only the process that computes loads torch."""
    import torch

    from core.planners import alpha_posterior, planning_chances

    torch.set_num_threads(1)  # other participants use the other cores
    planning = planning_chances(answers.arms, answers.rewards, answers.asked, answers.yes, answers.planner)
    naive = np.take_along_axis(answers.rewards, answers.asked, axis=-1)
    posterior = alpha_posterior(answers.yes.ravel(), planning.ravel(), naive.ravel())
    return Alpha(posterior.mean, posterior.low, posterior.high)
