"""What models are called while nobody may know which is which: A, B, C, by a draw of the study's own.

The draw follows from the study's seed, so everyone with the study file, and every later analysis, has the
same labels.  It is no secret: whoever works it out, or opens a log, knows.  It protects those who want to be
protected.
"""

from __future__ import annotations

from itertools import islice
from string import ascii_uppercase

from core.randomness import stream
from studyapp.study.study import Study

__all__ = ["blind_labels"]


def blind_labels(study: Study) -> dict[str, str]:
    """The label of every model."""
    names = sorted(study.models)
    taken = {name.upper() for name in names}  # a model that is called A must not be taken for the label
    letters = (before + last for before in ("", *ascii_uppercase) for last in ascii_uppercase)
    labels = list(islice((letter for letter in letters if letter not in taken), len(names)))
    order = stream(study.seed, "blind labels").permutation(len(names))
    return {names[place]: label for place, label in zip(order, labels, strict=True)}
