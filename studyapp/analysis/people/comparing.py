"""Which model predicts somebody best whom it has never seen?  One person is left out at a time.

Each model is fitted to all persons but one, and scored by the log-likelihood of that person's answers, in
nats per answer (0 would be perfect, -0.69 is a coin).  The models of people know nothing of the person but
the answers so far in the same round; one of them may use all earlier rounds as well.  The table and the
logistic regression have no memory at all; a planning teacher thinks of what its learner remembers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError
from core.people import USUAL_WIDTH, People
from core.people_fit import Answers
from core.rewards import clamped
from core.wording import counted
from studyapp.analysis.extract import Extract
from studyapp.analysis.people.reading import Sessions
from studyapp.analysis.people.rounds import Rounds
from studyapp.analysis.planners import COIN, planner
from studyapp.base.parallel import in_order
from studyapp.study.loaded import LoadedStudy

__all__ = ["MODELS", "Comparison", "as_json", "as_rows", "check_persons", "compare_models"]

Array = NDArray[np.float64]

# In the order of tables and figures: the name in files, and what it is.
MODELS = {
    "people": "people",
    "people_known": "people, who become known over the session",
    "people_without_pairs": "people, without what is known about pairs",
    "logistic": "logistic regression in log likeness",
    "table": "table of yes by likeness",
    "mixture": "mixture of naive and planning teacher",
    "naive": "naive teacher",
    "planning": "planning teacher",
}

# The share of yes in the published study, from each likeness on; the target has a likeness of 1.
STEPS = ((0.0, 0.003), (0.07, 0.11), (0.1, 0.35), (0.15, 0.46), (0.3, 0.48))
TARGET = 0.99


@dataclass(frozen=True)
class Comparison:
    """The mean log-likelihood per answer of each person who was left out, by model."""

    persons: tuple[str, ...]
    answers: NDArray[np.intp]  # (P,)
    scores: dict[str, Array]  # (P,) by model
    converged: NDArray[np.bool_]  # (P,), the fit of people to all others
    alpha: Array  # (P,), of the mixture that was fitted to the others
    beta: list[float]  # of the planning teachers

    def mean(self, model: str) -> float:
        """The mean over persons."""
        return float(self.scores[model].mean())


@dataclass(frozen=True, eq=False)
class _Task:
    """One person left out; small enough to be sent to another process."""

    rounds: Rounds
    person: int
    start: People


def check_persons(sessions: Sessions) -> None:
    """Refuse sessions of a single person."""
    if sessions.persons < 2:
        raise SettingError(
            f"comparing models leaves one person out at a time, so it needs at least 2 persons; here: "
            f"{counted(sessions.persons, 'person')}"
        )
    if any(session.study.kernel_width != USUAL_WIDTH for session in sessions.sessions):
        raise SettingError(
            f"people compare needs sessions with kernel_width {USUAL_WIDTH}: only there, likenesses are the "
            "rewards that other models go by"
        )


def compare_models(sessions: Sessions, start: People) -> Comparison:
    """Leave each person out in turn; ``start`` are people fitted to all of them."""
    check_persons(sessions)
    rounds = sessions.rounds
    tasks = [_Task(rounds, person, start) for person in range(sessions.persons)]
    fitted = list(in_order(_left_out, tasks, "leaving one person out", few=1))
    scores = {name: np.array([own[name] for own, _ in fitted]) for name in fitted[0][0]}
    answers = rounds.answers
    planning = np.concatenate(
        list(in_order(partial(_planning, rounds=rounds), list(enumerate(sessions.sessions)), "planning"))
    )
    paper, alpha = _of_the_paper(answers, planning)
    return Comparison(
        persons=rounds.persons,
        answers=np.bincount(answers.person, minlength=sessions.persons),
        scores={name: (scores | paper)[name] for name in MODELS},
        converged=np.array([converged for _, converged in fitted]),
        alpha=alpha,
        beta=sorted({planner(session.study).beta for session in sessions.sessions}),
    )


def _left_out(task: _Task) -> tuple[dict[str, float], bool]:
    """The scores of the models that are fitted to the others; in another process where there are many."""
    import torch

    from core.people_fit import fit_people
    from core.people_likelihood import log_chances, log_evidence

    torch.set_num_threads(1)  # the other cores have other persons
    answers, words = task.rounds.answers, task.rounds.words
    own = answers.person == task.person
    person, rounds = answers.of(own), task.rounds.round_of_answer[own]
    others = answers.of(~own)
    others = replace(others, person=np.unique(others.person, return_inverse=True)[1])
    fit = fit_people(others, words, task.start)
    scores = {
        "people": log_chances(fit.people, person, rounds).mean(),
        "people_known": log_evidence(fit.people, person) / len(person),
        "people_without_pairs": log_chances(replace(fit.people, pairs=None), person, rounds).mean(),
        "logistic": _log_likelihood(person, _logistic(others, person)).mean(),
        "table": _log_likelihood(person, _steps(person)).mean(),
        "naive": _log_likelihood(person, clamped(person.likeness)).mean(),
    }
    return {name: float(score) for name, score in scores.items()}, fit.converged


def _log_likelihood(answers: Answers, chances: Array) -> Array:
    return np.log(np.where(answers.yes, chances, 1 - chances))


def _steps(answers: Answers) -> Array:
    """The chance of a yes by the likeness alone."""
    starts, shares = map(np.array, zip(*STEPS, strict=True))
    chance = shares[np.searchsorted(starts, answers.likeness, side="right") - 1]
    return np.where(answers.is_target, TARGET, chance)


def _logistic(others: Answers, person: Answers) -> Array:
    """The chance of a yes by a logistic regression in log likeness, fitted to the others.

    Where a border between likenesses separates all their answers, it would be certain: like a reward, the
    chance is clamped.
    """
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    x, sign = np.log(clamped(others.likeness)), np.where(others.yes, 1.0, -1.0)
    weak = 1e-6  # keeps the slope finite then

    def loss(at: Array) -> tuple[float, Array]:
        odds = sign * (at[0] + at[1] * x)
        slope = -sign * expit(-odds)
        gradient = np.array([slope.sum(), slope @ x]) + 2 * weak * at
        return float(-log_expit(odds).sum() + weak * at @ at), gradient

    at = minimize(loss, np.zeros(2), jac=True, method="BFGS").x
    return clamped(np.asarray(expit(at[0] + at[1] * np.log(clamped(person.likeness)))))


def _planning(item: tuple[int, Extract], rounds: Rounds) -> Array:
    """The log-likelihood of one person's answers under the planning teacher of the study."""
    from core.planners import log_likelihood, planning_odds

    number, session = item
    assert session.vocabulary is not None
    loaded = LoadedStudy(str(session.path), session.study, session.vocabulary)
    own = rounds.of(rounds.person == number)
    index = {word: i for i, word in enumerate(session.vocabulary.words)}
    here = np.array([index.get(word, -1) for word in rounds.words])
    asked = np.where(own.is_asked, here[own.asked], 0)  # after the end, any word: nothing depends on it
    rewards = clamped(loaded.features[here[own.target]])
    odds = planning_odds(loaded.features, rewards, asked, own.yes, planner(session.study))
    return log_likelihood(own.yes, odds)[own.is_asked]


def _of_the_paper(answers: Answers, planning: Array) -> tuple[dict[str, Array], Array]:
    """The scores of the planning teacher and of the mixture, whose alpha is fitted to the others."""
    from core.planners import alpha_posterior

    naive = _log_likelihood(answers, clamped(answers.likeness))
    scores: dict[str, list[float]] = {"planning": [], "mixture": []}
    alphas = []
    for person in range(int(answers.person.max()) + 1):
        own = answers.person == person
        alpha = alpha_posterior(planning[~own], naive[~own]).best
        with np.errstate(divide="ignore"):  # an alpha of 0 or 1 has one teacher only
            mixture = np.logaddexp(np.log(alpha) + planning[own], np.log(1 - alpha) + naive[own])
        scores["planning"].append(float(planning[own].mean()))
        scores["mixture"].append(float(mixture.mean()))
        alphas.append(alpha)
    return {name: np.array(values) for name, values in scores.items()}, np.array(alphas)


# Files


def as_json(comparison: Comparison) -> dict[str, object]:
    """All numbers, for programs."""
    return {
        "unit": "nats per answer",
        "coin": COIN,
        "persons": {
            person: {
                "answers": int(comparison.answers[i]),
                "converged": bool(comparison.converged[i]),
                "alpha": float(comparison.alpha[i]),
            }
            for i, person in enumerate(comparison.persons)
        },
        "planning_beta": comparison.beta,
        "models": {
            name: {
                "label": label,
                "mean": comparison.mean(name),
                "persons": dict(zip(comparison.persons, comparison.scores[name].tolist(), strict=True)),
            }
            for name, label in MODELS.items()
        },
    }


def as_rows(comparison: Comparison) -> list[Sequence[object]]:
    """One row for each model and person."""
    rows: list[Sequence[object]] = [("model", "person", "answers", "log_likelihood_per_answer")]
    for name, scores in comparison.scores.items():
        for person, answers, score in zip(comparison.persons, comparison.answers, scores, strict=True):
            rows.append((name, person, int(answers), round(float(score), 6)))
    return rows
