"""Teacher models: what a learner believes about the person who answers.

A teacher model is one likelihood, and there are two things that a learner can be uncertain about:

    weights   log p(answers | theta, alpha), as a density in theta (the paper)
    targets   p(yes | target, unknown, what came before), for every target and every value of what is
              unknown about the teacher

Each model is one class that says everything there is to know about it: its name, its letter, a sentence for
reports, and its likelihood for one belief or both.  The densities in theta are in ``core.likelihoods``, and
the belief over targets is in ``core.targets``.

This module does not load SciPy, because a study file is checked before SciPy is needed.  The densities
import it when they are first called.

To add a teacher model, write one such class here and add it to ``TEACHERS``.  It then works everywhere:
in a ``Learner``, in study files, simulations and reports.  core/README.md has a complete example, and the
contract tests (tests/core/test_contracts.py) run on every model that is added.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.kinds import Kinds

if TYPE_CHECKING:
    from core.laplace import Density
    from core.likelihoods import Evidence
    from core.people import People

Array = NDArray[np.float64]

BELIEFS = ("weights", "targets")
ALPHA_NODES = 32  # exact for up to 63 answers


@dataclass(frozen=True, eq=False)
class TargetQuestion:
    """A question to a batch of teachers, and what they know when they answer, under each of T targets."""

    number: int  # of the question in its round, from 1
    rewards: Array  # (B, T), of the arm that is asked about
    is_target: NDArray[np.bool_]  # (B, T): is that arm the target?
    last: NDArray[np.int8]  # (B,), the last answer about it in this round: 1, 0 or core.recall.NEVER
    found: NDArray[np.bool_]  # (B, T): has the target been asked about?
    relevance: Array | None  # (B, T): the chance that the arm seems relevant; for models of people
    advantage: Array | None  # (B, T): Q*(1) - Q*(0), for models that plan
    beta: float
    people: People


class TeacherModel(ABC):
    """What a learner assumes about who answers."""

    name: str  # as users write it
    letter: str  # in the names of simulated pairs, such as P-M: one letter that no other model has
    sentence: str  # for a report, after "The learner": "takes every answer at face value"
    plans: bool  # does it look ahead?
    has_alpha: bool  # does it have a mixing weight to learn?
    of_people: bool = False  # does it use core.people?
    beliefs: tuple[str, ...] = ("weights",)  # what a learner with this model can be uncertain about

    # For a belief over weights

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        """The log likelihood of ``evidence``, as a density in theta.

        Where the model has an alpha, the logit of alpha is the last parameter, and the density includes
        its prior.  ``beta`` is the optimality of the planning teacher.  ``kappa`` rounds off the maximum over
        several trajectories; at infinity the maximum is exact.
        """
        raise NotImplementedError

    # For a belief over targets

    def unknown(self, people: People) -> Array:  # noqa: ARG002
        """The prior probabilities of what is unknown about the teacher, an array of any shape."""
        return np.ones(())

    def chances(self, question: TargetQuestion) -> Array:
        """The chance of a yes, (B, T, and the shape of ``unknown`` or 1 for each of its dimensions)."""
        raise NotImplementedError

    def mean_alpha(self, weights: Array) -> Array | None:  # noqa: ARG002
        """The mean of alpha, (B,), from probabilities (B, and the shape of ``unknown``)."""
        return None


TEACHERS: Kinds[TeacherModel] = Kinds("teacher model")


class Naive(TeacherModel):
    """Passes on the reward (equation 1)."""

    name = "naive"
    letter = "N"
    sentence = "takes every answer at face value"
    plans = False
    has_alpha = False
    beliefs = BELIEFS

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:  # noqa: ARG002
        from core.likelihoods import naive

        return naive(evidence)

    def chances(self, question: TargetQuestion) -> Array:
        return question.rewards


TEACHERS.add(Naive())


class Planning(TeacherModel):
    """Answers so that an imagined naive learner asks about the best arms next (equations 3 and 4)."""

    name = "planning"
    letter = "P"
    sentence = "assumes that a planning teacher answers"
    plans = True
    has_alpha = False
    beliefs = BELIEFS

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        from core.likelihoods import planning

        return planning(evidence, beta, kappa)

    def chances(self, question: TargetQuestion) -> Array:
        return _planned(question)


TEACHERS.add(Planning())


class Mixture(TeacherModel):
    """Gives each answer as a planning teacher with probability alpha, else as a naive one (equation 5)."""

    name = "mixture"
    letter = "M"
    sentence = "allows for a teacher who plans"
    plans = True
    has_alpha = True
    beliefs = BELIEFS

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        from core.likelihoods import mixture

        return mixture(evidence, beta, kappa)

    def unknown(self, people: People) -> Array:  # noqa: ARG002
        return _alphas()[1]  # alpha ~ Beta(1, 1)

    def chances(self, question: TargetQuestion) -> Array:
        alpha = _alphas()[0]
        return (1 - alpha) * question.rewards[..., None] + alpha * _planned(question)[..., None]

    def mean_alpha(self, weights: Array) -> Array:
        return np.asarray(weights @ _alphas()[0])


TEACHERS.add(Mixture())


class Person(TeacherModel):
    """Answers as people do, with memory (core.people).  The person's own parameters are on a grid."""

    name = "person"
    letter = "H"
    sentence = "expects answers as people give them, with memory"
    plans = False
    has_alpha = False
    of_people = True
    beliefs = ("targets",)

    def unknown(self, people: People) -> Array:
        return people.grid()[2]

    def chances(self, question: TargetQuestion) -> Array:
        assert question.relevance is not None
        ready, again, _ = question.people.grid()
        cells = (..., None, None)
        return question.people.chances(
            question.number,
            ready=ready,
            again=again,
            relevance=question.relevance[cells],
            is_target=question.is_target[cells],
            last=question.last[:, None][cells],
            found=question.found[cells],
        )


TEACHERS.add(Person())


def _planned(question: TargetQuestion) -> Array:
    """The chance of a yes from a planning teacher (equation 4)."""
    from scipy.special import expit

    assert question.advantage is not None, "a planning teacher looks ahead"
    return np.asarray(expit(question.beta * question.advantage))


@cache
def _alphas() -> tuple[Array, Array]:
    """Nodes and weights on [0, 1] by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(ALPHA_NODES)
    return (nodes + 1) / 2, weights / 2
