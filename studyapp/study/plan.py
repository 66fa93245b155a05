"""The plan of a participant: which model looks for which target, in which order, from which first question.

A plan follows from the study, its seed and the participant's ID; every draw has a named random stream of its
own.  For each target there is one round per model, in an order that is drawn for the participant and the
target, or balanced (``studyapp.study.balanced``).  These rounds share the first question and the seed of
their learners, so that they differ only in the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from core.errors import SettingError
from core.randomness import stream
from studyapp.study.balanced import balanced_orders, block_size
from studyapp.study.ids import first_ids, place_of
from studyapp.study.loaded import LoadedStudy
from studyapp.study.study import Study

MOST_COUNTED = 100  # participants; more would take long in a large study, and look the same


@dataclass(frozen=True)
class Round:
    """One round: a target, and the model that looks for it."""

    round: int  # counted from 1 over the whole session, practice included
    practice: Annotated[bool, Field(description="the round is practice and does not count")]
    model: Annotated[str, Field(description="the model that asks: its name or, in blind tables, its letter")]
    target: Annotated[str, Field(description="the word to find")]
    first: Annotated[str, Field(description="the word asked about first")]


def make(loaded: LoadedStudy, participant: str) -> list[Round]:
    """The plan of a participant."""
    study = loaded.study
    targets = loaded.targets
    if study.order == "random":
        order = stream(study.seed, "participant", participant, "order of targets").permutation(len(targets))
        targets = [targets[i] for i in order]
    plan: list[Round] = []
    for practice, listed, words in ((True, study.practice, study.practice), (False, loaded.targets, targets)):
        orders = orders_of_models(study, participant, listed, practice=practice)
        for target in words:
            others = [word for word in loaded.vocabulary.words if word != target]
            names = _names(participant, practice, target)
            first = others[stream(study.seed, *names, "first question").integer(len(others))]
            for model in orders[target]:
                plan.append(Round(len(plan) + 1, practice, model, target, first))
    return plan


def orders_of_models(
    study: Study, participant: str, targets: Sequence[str], *, practice: bool = False
) -> dict[str, list[str]]:
    """For each target, the models in the order in which a participant meets them.

    ``targets`` are all of the study's, or all of its practice, as it lists them.
    """
    models = list(study.models)
    if study.order_of_models == "balanced":
        part, place = "practice" if practice else "targets", place_of(study, participant)
        orders = balanced_orders(study.seed, part, len(models), len(targets), place)
    else:
        orders = [
            stream(study.seed, *_names(participant, practice, target), "order of models")
            .permutation(len(models))
            .tolist()
            for target in targets
        ]
    return {target: [models[i] for i in order] for target, order in zip(targets, orders, strict=True)}


def check(plan: list[Round], study: Study, *, imported: bool) -> None:
    """Raise a SettingError if these rounds cannot be the plan of a session of a study.

    Everything that uses a plan relies on this.  Whether the draws are right, ``studyapp verify`` says.
    """
    if not plan:
        raise SettingError("the plan has no rounds; was the log edited?")
    for number, round_ in enumerate(plan, start=1):
        if round_.round != number:
            problem = f"round {number} of the plan has the number {round_.round}"
            raise SettingError(f"{problem}; rounds are numbered from 1, in order")
        if round_.model not in study.models:
            raise SettingError(f"round {round_.round} of the plan has a model that the study does not have")
    if imported:  # another program's plan may repeat, mix and leave out what it likes
        return
    targets = [
        (round_.practice, round_.target) for round_ in plan if round_.model == next(iter(study.models))
    ]
    expected = {(*target, model) for target in targets for model in study.models}
    given = {(round_.practice, round_.target, round_.model) for round_ in plan}
    if len(plan) != len(expected) or given != expected:
        raise SettingError("the plan must have one round with each model for every target")
    if sorted(plan, key=lambda round_: not round_.practice) != plan:
        raise SettingError("the plan must have its practice rounds before all others")


def learner_seed(seed: int, participant: str, round_: Round) -> int:
    """The seed of a round's learner, which all models of a target share."""
    names = _names(participant, round_.practice, round_.target)
    return stream(seed, *names, "learner").integer(2**52)


def _names(participant: str, practice: bool, target: str) -> tuple[str, ...]:
    """The names of the random streams for a target."""
    return ("participant", participant, "practice" if practice else "target", target)


# The design of a study in numbers: how often each model comes first


@dataclass(frozen=True)
class Firsts:
    """How often each model comes first, practice excluded."""

    participants: list[str]
    targets: list[str]
    models: list[str]
    first: dict[tuple[str, str], str]  # the model that comes first, by participant and target

    def with_target(self, target: str) -> list[int]:
        """How often each model comes first with a target."""
        return self._count(self.participants, [target])

    def in_all(self) -> list[int]:
        """How often each model comes first with any target."""
        return self._count(self.participants, self.targets)

    def per_target(self) -> tuple[int, int]:
        """How often a model comes first with a target, at least and at most."""
        every = [count for target in self.targets for count in self.with_target(target)]
        return min(every), max(every)

    def per_participant(self) -> tuple[int, int]:
        """How often a model comes first for a participant, at least and at most."""
        every = [count for one in self.participants for count in self._count([one], self.targets)]
        return min(every), max(every)

    def _count(self, participants: list[str], targets: list[str]) -> list[int]:
        counts = Counter(self.first[one, target] for one in participants for target in targets)
        return [counts[model] for model in self.models]


def planned_ids(loaded: LoadedStudy, planned: int | None = None) -> list[str]:
    """The IDs of the planned participants; of two blocks of a balanced order, if no number is planned."""
    study = loaded.study
    count = planned or study.participants or 2 * block_size(len(study.models))
    return first_ids(study, min(count, MOST_COUNTED))


def count_firsts(loaded: LoadedStudy, participants: Sequence[str], order: str | None = None) -> Firsts:
    """Counts over some participants, with the study's order of models or with another."""
    study, targets = loaded.study, loaded.targets
    if order is not None:
        study = study.model_copy(update={"order_of_models": order})
    first = {
        (participant, target): models[0]
        for participant in participants
        for target, models in orders_of_models(study, participant, targets).items()
    }
    return Firsts(list(participants), targets, list(study.models), first)
