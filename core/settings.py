"""What can be set of a learner, with its bounds and defaults.

Here and not in ``core.learner``, because that needs torch, and a study file must be checked before
torch has been loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from core import checks

__all__ = ["FITS", "SELECTIONS", "SIMULATED", "TEACHERS", "Settings"]

TEACHERS = ("naive", "planning", "mixture")  # a class for each in core.teachers
SELECTIONS = ("bayes-ucb", "thompson", "greedy")  # a function for each in core.selection
FITS = ("converged", "published")
SIMULATED = ("naive", "planning", "random", "person")  # teachers of core.simulated


@dataclass(frozen=True)
class Settings:
    """The settings of a learner, checked."""

    teacher: str = "mixture"  # who answers
    selection: str = "bayes-ucb"  # how the next arm is chosen
    beta: float = 20.0  # the planning teacher's optimality
    tau: float = 2.0  # prior standard deviation of the weights
    horizon: int = 1  # how many questions the planning teacher plans for
    gamma: float = 1.0  # how much each of these counts for, next to the one before
    samples: int = 1000  # of the Thompson probabilities
    fit: str = "converged"  # or "published", the fixed gradient steps of the published study
    seed: int = 0  # of everything random

    def __post_init__(self) -> None:
        checked = {
            "teacher": checks.one_of("teacher", self.teacher, TEACHERS),
            "selection": checks.one_of("selection", self.selection, SELECTIONS),
            "beta": checks.number("beta", self.beta, least=0.0, most=1e6),
            "tau": checks.number("tau", self.tau, least=1e-6, most=1e6),
            "horizon": checks.whole("horizon", self.horizon, 1, 10),
            "gamma": checks.number("gamma", self.gamma, above=0.0, most=1.0),
            "samples": checks.whole("samples", self.samples, 2, 1 << 24),
            "fit": checks.one_of("fit", self.fit, FITS),
            "seed": checks.whole("seed", self.seed, -(2**63), 2**63 - 1),
        }
        for field in fields(self):  # 20 and 20.0 are the same setting: keep it in one form
            object.__setattr__(self, field.name, checked[field.name])
