"""The paper's figures, drawn from results alone."""

from studyapp.experiments.figures.active import active_example, active_wine, typical
from studyapp.experiments.figures.bandits import PENS, bandits, multi_step, profiles
from studyapp.experiments.figures.drawing import save
from studyapp.experiments.figures.teaching_example import teaching_example
from studyapp.experiments.figures.user_study import user_study

__all__ = [
    "PENS",
    "active_example",
    "active_wine",
    "bandits",
    "multi_step",
    "profiles",
    "save",
    "teaching_example",
    "typical",
    "user_study",
]
