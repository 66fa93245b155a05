"""The paper's figures, drawn from results alone."""

from studyapp.experiments.figures.active import active_example, active_wine, typical
from studyapp.experiments.figures.bandits import PENS, bandits, factorial, multi_step, profiles
from studyapp.experiments.figures.drawing import save
from studyapp.experiments.figures.teaching_example import teaching_example

__all__ = [
    "PENS",
    "active_example",
    "active_wine",
    "bandits",
    "factorial",
    "multi_step",
    "profiles",
    "save",
    "teaching_example",
    "typical",
]
