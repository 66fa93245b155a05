"""The catalogue: every simulated figure of the paper, in the paper's order, and one of our own."""

from studyapp.experiments.catalogue.bandits import (
    ARMS_500,
    BETA_5,
    BETA_10,
    LEAF,
    MAIN,
    MULTI_STEP,
    REWARD_PROFILES,
    WINE,
    WORD_DENSE,
)
from studyapp.experiments.catalogue.entry import FIGURES, Entry, Options, Run
from studyapp.experiments.catalogue.examples import ACTIVE_EXAMPLE, ACTIVE_WINE, TEACHING_EXAMPLE
from studyapp.experiments.catalogue.optimiser import OPTIMISER

__all__ = ["FIGURES", "Entry", "Options", "Run"]

for _entry in (
    ACTIVE_EXAMPLE,
    TEACHING_EXAMPLE,
    MAIN,
    MULTI_STEP,
    ACTIVE_WINE,
    REWARD_PROFILES,
    WORD_DENSE,
    WINE,
    LEAF,
    BETA_5,
    BETA_10,
    ARMS_500,
    OPTIMISER,
):
    FIGURES.add(_entry)
