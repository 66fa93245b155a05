"""The designs of the paper's experiments.  A new design is one more class, imported here."""

from studyapp.experiments.designs.active import ActiveExample, ActiveWine
from studyapp.experiments.designs.bandits import Bandits
from studyapp.experiments.designs.design import DESIGNS, Design, Work, parts
from studyapp.experiments.designs.measures import Record
from studyapp.experiments.designs.profile import Profile
from studyapp.experiments.designs.teaching_example import TeachingExample
from studyapp.experiments.designs.user_study import UserStudy

__all__ = [
    "DESIGNS",
    "ActiveExample",
    "ActiveWine",
    "Bandits",
    "Design",
    "Profile",
    "Record",
    "TeachingExample",
    "UserStudy",
    "Work",
    "parts",
]
