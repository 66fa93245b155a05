"""How well do the paper's two teachers, naive and planning, describe a participant's answers?

Alpha, the paper's mixing weight, compares the two with each other: it is the share of answers that fit the
planning teacher, with the study's beta, better than the naive one.  It is not the share of planned answers,
because a participant who answers like neither teacher has an alpha too.  What tells whether a teacher
describes a participant is the log-likelihood of the answers, in nats per answer.

One participant takes about 0.05 s, as long as the rest of the analysis, so a large sample is
limited to a random part of it, which is always the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.planners import alpha_posterior, log_likelihood, planning_odds
from core.randomness import stream
from core.rewards import clamped
from core.settings import Settings
from core.teachers import TEACHERS
from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Sample
from studyapp.base.parallel import in_order
from studyapp.reporting.statistics import Array, Estimate, mean_ci
from studyapp.study.loaded import LoadedStudy
from studyapp.study.study import Study

# Points for the planning teacher's look-ahead.  On the published sessions (root mean square), the mean of
# alpha is then off by 0.01 (compared with 4,096 points), where its posterior standard deviation is 0.05, and
# the planning teacher's log-likelihood by 0.02 nats per answer (1,024 points), where its interval is 0.2 to
# either side.
SAMPLES = 32

MOST_FITTED = 300  # participants
FEW = 25  # participants, compared in less time than processes take to start

COIN = float(np.log(0.5))  # log-likelihood of any answer under a teacher who tosses a coin


@dataclass(frozen=True)
class Alpha:
    """The posterior of alpha: its mean, its central 95 % interval, and its mode."""

    mean: float
    low: float
    high: float
    best: float


@dataclass(frozen=True)
class Fit:
    """A participant's answers under teachers who know the target; log-likelihoods in nats per answer.

    Intervals of differences are over targets.  Rounds of the same target are not independent, because a
    participant's opinion of a word stays the same.
    """

    alpha: Alpha
    naive: float  # mean log-likelihood of an answer
    planning: float
    mixture: float  # of both, with the best alpha
    planning_minus_naive: Estimate  # planning minus naive
    mixture_minus_naive: Estimate  # mixture minus naive
    chances: Array  # (rounds that count, Q), of a yes from the planning teacher


@dataclass(frozen=True)
class _Answers:
    """All answers of a participant that count, and the planner to compare them with."""

    arms: Array
    rewards: Array
    asked: NDArray[np.intp]
    yes: NDArray[np.bool_]
    targets: list[str]  # of the rounds
    planner: Settings


def planner(study: Study) -> Settings:
    """The planning teacher that the study's models assume; the default one if none assumes any."""
    settings = [study.settings(name, seed=0) for name in study.models]
    own = next((own for own in settings if TEACHERS[own.teacher].plans), Settings())
    return replace(own, samples=SAMPLES, seed=0)


def fit_teachers(sample: Sample) -> dict[str, Fit]:
    """The fit of both teachers by participant, for at most ``MOST_FITTED`` participants."""
    sessions = sample.sessions
    if len(sessions) > MOST_FITTED:
        order = stream(0, "analysis", "planners", len(sessions)).permutation(len(sessions))
        sessions = [sessions[i] for i in sorted(order[:MOST_FITTED])]
    answers = [_answers(session, sample.loaded) for session in sessions]
    fits = in_order(_fit, answers, "comparing with teachers", few=FEW)
    return {session.participant: fit for session, fit in zip(sessions, fits, strict=True)}


def _answers(session: Extract, loaded: LoadedStudy) -> _Answers:
    rounds = session.counted
    targets = [round_.target for round_, counts in zip(session.plan, rounds, strict=True) if counts]
    return _Answers(
        arms=loaded.features,
        rewards=clamped(loaded.features[[loaded.vocabulary.index(word) for word in targets]]),
        asked=session.asked[rounds],
        yes=session.yes[rounds],
        targets=targets,
        planner=planner(loaded.study),
    )


def _fit(answers: _Answers) -> Fit:
    odds = planning_odds(answers.arms, answers.rewards, answers.asked, answers.yes, answers.planner)
    chance = np.take_along_axis(answers.rewards, answers.asked, axis=-1)
    planning = log_likelihood(answers.yes, odds)
    naive = log_likelihood(answers.yes, np.log(chance / (1 - chance)))
    posterior = alpha_posterior(planning.ravel(), naive.ravel())
    with np.errstate(divide="ignore"):  # an alpha of 0 or 1 has one teacher only
        mixture = np.logaddexp(np.log(posterior.best) + planning, np.log(1 - posterior.best) + naive)
    return Fit(
        alpha=Alpha(posterior.mean, posterior.low, posterior.high, posterior.best),
        naive=float(naive.mean()),
        planning=float(planning.mean()),
        mixture=float(mixture.mean()),
        planning_minus_naive=_over_targets(planning - naive, answers.targets),
        mixture_minus_naive=_over_targets(mixture - naive, answers.targets),
        chances=1 / (1 + np.exp(-odds.clip(-700, 700))),
    )


def _over_targets(gains: Array, targets: list[str]) -> Estimate:
    """The mean of gains (R, Q), with an interval over targets; each has one round with every model."""
    by_target = [gains[[own == target for own in targets]].mean() for target in dict.fromkeys(targets)]
    return mean_ci(np.array(by_target, dtype=float))
