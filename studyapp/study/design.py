"""The design of a study in numbers: how often each model comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from studyapp.study import ids
from studyapp.study.balanced import block_size
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import orders_of_models

__all__ = ["Firsts", "count_firsts", "planned_ids"]

MOST_COUNTED = 100  # participants; more would take long in a large study, and look the same


@dataclass(frozen=True)
class Firsts:
    """How often each model comes first, practice excluded."""

    participants: list[str]
    targets: list[str]
    models: list[str]
    by_target: Counter[tuple[str, str]]  # by target and model, over participants
    by_participant: Counter[tuple[str, str]]  # by participant and model, over targets

    def with_target(self, target: str) -> list[int]:
        """How often each model comes first with a target."""
        return [self.by_target[target, model] for model in self.models]

    def of_participant(self, participant: str) -> list[int]:
        """How often each model comes first for a participant."""
        return [self.by_participant[participant, model] for model in self.models]

    def in_all(self) -> list[int]:
        """How often each model comes first with any target."""
        return [sum(self.by_target[target, model] for target in self.targets) for model in self.models]

    def per_target(self) -> tuple[int, int]:
        """How often a model comes first with a target, at least and at most."""
        every = [count for target in self.targets for count in self.with_target(target)]
        return min(every), max(every)

    def per_participant(self) -> tuple[int, int]:
        """How often a model comes first for a participant, at least and at most."""
        every = [count for one in self.participants for count in self.of_participant(one)]
        return min(every), max(every)


def planned_ids(loaded: LoadedStudy, planned: int | None = None) -> list[str]:
    """The IDs of the planned participants; of two blocks of a balanced order, if no number is planned."""
    study = loaded.study
    count = planned or study.participants or 2 * block_size(len(study.models))
    return ids.first_ids(study, min(count, MOST_COUNTED))


def count_firsts(loaded: LoadedStudy, participants: Sequence[str], order: str | None = None) -> Firsts:
    """Counts over some participants, with the study's order of models or with another."""
    study, targets = loaded.study, loaded.targets
    if order is not None:
        study = study.model_copy(update={"order_of_models": order})
    by_target: Counter[tuple[str, str]] = Counter()
    by_participant: Counter[tuple[str, str]] = Counter()
    for participant in participants:
        for target, models in orders_of_models(study, participant, targets).items():
            by_target[target, models[0]] += 1
            by_participant[participant, models[0]] += 1
    return Firsts(list(participants), targets, list(study.models), by_target, by_participant)
