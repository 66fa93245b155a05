"""How much of a planner each participant is: the posterior of alpha, for all or for some of them.

Each takes a tenth of a second, ten times as long as all the rest of a session, so that of very many
participants some are drawn, always the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.randomness import stream
from core.rewards import clamped
from core.settings import Settings
from core.teachers import TEACHERS
from studyapp.analysis.extract import Extract
from studyapp.base.parallel import in_order
from studyapp.study.study import LoadedStudy, Study

__all__ = ["Alpha", "find_alphas"]

# Points for the planning teacher's look-ahead.  On the published sessions the mean of alpha then is off by
# 0.01 (root mean square, against 4,096 points), where its posterior has a standard deviation of 0.05.
SAMPLES = 32


@dataclass(frozen=True)
class Alpha:
    """The posterior of alpha, the share of planning in a person's answers: its mean and middle 95 %."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class _Answers:
    """All answers of a participant that count."""

    arms: NDArray[np.float64]
    rewards: NDArray[np.float64]
    asked: NDArray[np.intp]
    yes: NDArray[np.bool_]
    planner: Settings


def find_alphas(sessions: Sequence[Extract], loaded: LoadedStudy, most: int) -> dict[str, Alpha]:
    """By participant; of more than ``most`` participants, for so many of them."""
    order = stream(0, "analysis", "planners", len(sessions)).permutation(len(sessions))
    drawn = [sessions[i] for i in sorted(order[:most])] if len(sessions) > most else list(sessions)
    found = in_order(_alpha, [_answers(each, loaded) for each in drawn], "who plans")
    return {each.participant: alpha for each, alpha in zip(drawn, found, strict=True)}


def _answers(each: Extract, loaded: LoadedStudy) -> _Answers:
    at = each.counted
    targets = [loaded.vocabulary.index(played.target) for played in each.plan]
    rewards = clamped(loaded.features)[targets][at]
    return _Answers(loaded.features, rewards, each.asked[at], each.yes[at], _planner(loaded.study))


def _planner(study: Study) -> Settings:
    """The planning teacher as the study's models imagine it; with the defaults where none does."""
    settings = [study.settings(name, seed=0) for name in study.models]
    planner = next((each for each in settings if TEACHERS[each.teacher].plans), Settings())
    return replace(planner, samples=SAMPLES, seed=0)


def _alpha(answers: _Answers) -> Alpha:
    """In a process of its own; torch is loaded here and not in the one that asks."""
    import torch

    from core.planners import alpha_posterior, planning_chances

    torch.set_num_threads(1)  # the other cores have participants of their own
    planning = planning_chances(answers.arms, answers.rewards, answers.asked, answers.yes, answers.planner)
    naive = np.take_along_axis(answers.rewards, answers.asked, axis=-1)
    posterior = alpha_posterior(answers.yes.ravel(), planning.ravel(), naive.ravel())
    return Alpha(posterior.mean, posterior.low, posterior.high)
