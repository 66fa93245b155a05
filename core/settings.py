"""The settings of a learner, with their bounds and defaults.

They do not need SciPy, so a study file can be checked before SciPy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from core import checks
from core.errors import SettingError
from core.selection import SELECTIONS
from core.teachers import BELIEFS, TEACHERS

FITS = ("converged", "published")
LEAST_PUBLISHED_TAU = 0.1  # steps of 0.01 converge where the curvature, 1 / tau^2 and more, is below 200


@dataclass(frozen=True)
class Settings:
    """The settings of a learner, each checked by itself; ``check_together`` checks whether they fit."""

    teacher: str = "mixture"  # the teacher model: one of core.teachers.TEACHERS
    belief: str = "weights"  # what the learner is uncertain about: its weights, or the "targets"
    selection: str = "bayes-ucb"  # how the next arm is chosen: one of core.selection.SELECTIONS
    beta: float = 20.0  # optimality of the planning teacher
    tau: float = 2.0  # prior standard deviation of the weights
    horizon: int = 1  # how many questions ahead the planning teacher plans
    gamma: float = 1.0  # how much each of them counts, relative to the one before
    samples: int = 1000  # of the Thompson probabilities
    fit: str = "converged"  # or "published", the fixed gradient steps of the published study
    seed: int = 0  # of everything random

    def __post_init__(self) -> None:
        for field in fields(self):  # 20 and 20.0 are the same setting: keep one form
            object.__setattr__(self, field.name, checked(field.name, getattr(self, field.name)))

    @property
    def draws(self) -> bool:
        """Do the questions depend on random draws?  If not, they follow from the answers, but for ties."""
        return TEACHERS[self.teacher].plans or SELECTIONS[self.selection].draws

    def check_together(self) -> None:
        """Raise a SettingError if the teacher model does not fit the belief, or the prior the fit."""
        beliefs = TEACHERS[self.teacher].beliefs
        if self.belief not in beliefs:
            problem = f"teacher {self.teacher!r} does not work with belief {self.belief!r}"
            raise SettingError(f"{problem}; set belief to {' or '.join(map(repr, beliefs))}")
        if self.fit == "published" and self.tau < LEAST_PUBLISHED_TAU:
            problem = f"the gradient steps of fit 'published' diverge with tau = {self.tau:g}"
            cure = f"set tau to {LEAST_PUBLISHED_TAU:g} or more, or fit to 'converged'"
            raise SettingError(f"{problem}; {cure}")


# How each setting is checked by itself.
_CHECKS: dict[str, Callable[[object], object]] = {
    "teacher": lambda value: checks.one_of("teacher", value, TEACHERS.names),
    "belief": lambda value: checks.one_of("belief", value, BELIEFS),
    "selection": lambda value: checks.one_of("selection", value, SELECTIONS.names),
    "beta": lambda value: checks.number("beta", value, least=0.0, most=1e6),
    "tau": lambda value: checks.number("tau", value, least=1e-6, most=1e6),
    "horizon": lambda value: checks.whole("horizon", value, 1, 10),
    "gamma": lambda value: checks.number("gamma", value, above=0.0, most=1.0),
    "samples": lambda value: checks.whole("samples", value, 2, 1 << 24),
    "fit": lambda value: checks.one_of("fit", value, FITS),
    "seed": lambda value: checks.whole("seed", value, -(2**63), 2**63 - 1),
}


def checked(name: str, value: object) -> object:
    """The value of one setting in its usual form, or a SettingError that says what is allowed."""
    return _CHECKS[name](value)
