"""The paper's figures, each drawn from the results of its runs alone."""

from collections.abc import Callable

from matplotlib.figure import Figure

from studyapp.experiments.figures.bandits import bandits, multi_step, profile
from studyapp.experiments.figures.drawing import Runs
from studyapp.experiments.figures.examples import active_example, active_wine, teaching_example
from studyapp.experiments.figures.user_study import user_study

DRAWINGS: dict[str, Callable[[Runs], Figure]] = {  # by the name of a design, or one of their own
    "bandits": bandits,
    "multi-step": multi_step,
    "profile": profile,
    "active example": active_example,
    "active wine": active_wine,
    "teaching example": teaching_example,
    "user study": user_study,
}
