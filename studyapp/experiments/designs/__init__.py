"""The designs of the paper's experiments.  A new design is one more class, added here."""

from core.kinds import Kinds
from studyapp.experiments.designs.bandits import Bandits, Profile
from studyapp.experiments.designs.design import Design
from studyapp.experiments.designs.examples import ActiveExample, ActiveWine, TeachingExample
from studyapp.experiments.designs.user_study import UserStudy

DESIGNS: Kinds[type[Design]] = Kinds("design")
for _design in (Bandits, Profile, ActiveExample, ActiveWine, TeachingExample, UserStudy):
    DESIGNS.add(_design)
