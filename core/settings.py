"""The settings of a learner, with their bounds and defaults.

They do not need torch, so a study file can be checked before torch is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from core import checks
from core.selection import SELECTIONS
from core.teachers import TEACHERS

__all__ = ["FITS", "Settings"]

FITS = ("converged", "published")


@dataclass(frozen=True)
class Settings:
    """The settings of a learner, checked."""

    teacher: str = "mixture"  # the teacher model: one of core.teachers.TEACHERS
    selection: str = "bayes-ucb"  # how the next arm is chosen: one of core.selection.SELECTIONS
    beta: float = 20.0  # optimality of the planning teacher
    tau: float = 2.0  # prior standard deviation of the weights
    horizon: int = 1  # how many questions ahead the planning teacher plans
    gamma: float = 1.0  # how much each of them counts, relative to the one before
    samples: int = 1000  # of the Thompson probabilities
    fit: str = "converged"  # or "published", the fixed gradient steps of the published study
    seed: int = 0  # of everything random

    def __post_init__(self) -> None:
        checked = {
            "teacher": checks.one_of("teacher", self.teacher, TEACHERS.names),
            "selection": checks.one_of("selection", self.selection, SELECTIONS.names),
            "beta": checks.number("beta", self.beta, least=0.0, most=1e6),
            "tau": checks.number("tau", self.tau, least=1e-6, most=1e6),
            "horizon": checks.whole("horizon", self.horizon, 1, 10),
            "gamma": checks.number("gamma", self.gamma, above=0.0, most=1.0),
            "samples": checks.whole("samples", self.samples, 2, 1 << 24),
            "fit": checks.one_of("fit", self.fit, FITS),
            "seed": checks.whole("seed", self.seed, -(2**63), 2**63 - 1),
        }
        for field in fields(self):  # 20 and 20.0 are the same setting: keep one form
            object.__setattr__(self, field.name, checked[field.name])
