"""Teacher models: what a learner believes about the person who answers.

A teacher model is one likelihood, log p(answers | theta, alpha).  Each model is one class that says
everything there is to know about it: its name, its letter, a sentence for reports, and its likelihood.
The formulas and their code are in ``core.likelihoods``.

This module does not load torch, because a study file is checked before torch is needed.  The likelihoods
import it when they are first called.

To add a teacher model, write one such class here and add it to ``TEACHERS``.  It then works everywhere:
in a ``Learner``, in study files, simulations and reports.  core/README.md has a complete example, and the
contract tests (tests/core/test_contracts.py) run on every model that is added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from core.kinds import Kinds

if TYPE_CHECKING:
    from core.evidence import Evidence
    from core.laplace import Density

__all__ = ["TEACHERS", "Mixture", "Naive", "Planning", "TeacherModel"]


class TeacherModel(ABC):
    """What a learner assumes about who answers, as the log likelihood of the answers."""

    name: str  # as users write it
    letter: str  # in the names of simulated pairs, such as P-M: one letter that no other model has
    sentence: str  # for a report, after "The learner": "takes every answer at face value"
    plans: bool  # does it look ahead, so that it needs Evidence.sums?
    has_alpha: bool  # does it have a mixing weight to learn?

    @abstractmethod
    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        """The log likelihood of ``evidence``, as a density in theta.

        Where the model has an alpha, the logit of alpha is the last parameter, and the density includes
        its prior.  ``beta`` is the optimality of the planning teacher.  ``kappa`` rounds off the maximum over
        several trajectories; at infinity the maximum is exact.
        """


TEACHERS: Kinds[TeacherModel] = Kinds("teacher model")


class Naive(TeacherModel):
    """Passes on the reward (equation 1)."""

    name = "naive"
    letter = "N"
    sentence = "takes every answer at face value"
    plans = False
    has_alpha = False

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:  # noqa: ARG002
        from core.likelihoods import naive

        return naive(evidence)


TEACHERS.add(Naive())


class Planning(TeacherModel):
    """Answers so that an imagined naive learner asks about the best arms next (equations 3 and 4)."""

    name = "planning"
    letter = "P"
    sentence = "assumes that a planning teacher answers"
    plans = True
    has_alpha = False

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        from core.likelihoods import planning

        return planning(evidence, beta, kappa)


TEACHERS.add(Planning())


class Mixture(TeacherModel):
    """Gives each answer as a planning teacher with probability alpha, else as a naive one (equation 5)."""

    name = "mixture"
    letter = "M"
    sentence = "allows for a teacher who plans"
    plans = True
    has_alpha = True

    def log_likelihood(self, evidence: Evidence, beta: float, kappa: float) -> Density:
        from core.likelihoods import mixture

        return mixture(evidence, beta, kappa)


TEACHERS.add(Mixture())
