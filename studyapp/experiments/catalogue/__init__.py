"""The catalogue: the figures of the paper that can be simulated, in its order, and some of our own."""

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
from studyapp.experiments.catalogue.user_study import USER_STUDY

__all__ = ["FIGURES", "Entry", "Options", "Run"]

for _entry in (
    ACTIVE_EXAMPLE,
    TEACHING_EXAMPLE,
    MAIN,
    MULTI_STEP,
    USER_STUDY,
    ACTIVE_WINE,
    REWARD_PROFILES,
    WORD_DENSE,
    WINE,
    LEAF,
    BETA_5,
    BETA_10,
    ARMS_500,
):
    FIGURES.add(_entry)
