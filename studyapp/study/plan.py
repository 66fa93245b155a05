"""Who is asked what, by which model, in which order: the plan of a participant.

A plan follows from the study, its seed and the participant's ID, each draw from a stream of its own
name.  For every target the models come in a drawn order, one round each, and share the first
question and the seed of their learners, so that they differ in nothing but the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from core.randomness import stream
from studyapp.study.study import LoadedStudy

__all__ = ["Round", "learner_seed", "make"]


@dataclass(frozen=True)
class Round:
    """One round: a target, and the model that looks for it."""

    round: int  # counted from 1 over the whole session, practice included
    practice: Annotated[bool, Field(description="the round is practice and does not count")]
    model: Annotated[str, Field(description="name of the model that asks, as in the study file")]
    target: Annotated[str, Field(description="the word to find")]
    first: Annotated[str, Field(description="the word asked about first")]


def make(loaded: LoadedStudy, participant: str) -> list[Round]:
    """The plan of a participant."""
    study = loaded.study
    targets = loaded.targets
    if study.order == "random":
        order = stream(study.seed, "participant", participant, "order of targets").permutation(len(targets))
        targets = [targets[i] for i in order]
    models = list(study.models)
    plan: list[Round] = []
    for practice, listed in ((True, study.practice), (False, targets)):
        for target in listed:
            names = _names(participant, practice, target)
            others = [word for word in loaded.vocabulary.words if word != target]
            first = others[stream(study.seed, *names, "first question").integer(len(others))]
            for i in stream(study.seed, *names, "order of models").permutation(len(models)):
                plan.append(Round(len(plan) + 1, practice, models[i], target, first))
    return plan


def learner_seed(seed: int, participant: str, played: Round) -> int:
    """The seed of a round's learner: the same for all models of a target."""
    names = _names(participant, played.practice, played.target)
    return stream(seed, *names, "learner").integer(2**52)


def _names(participant: str, practice: bool, target: str) -> tuple[str, ...]:
    """By which all that is drawn for a target is found."""
    return ("participant", participant, "practice" if practice else "target", target)
