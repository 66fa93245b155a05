"""What simulated people make of a study: the reward of each model, and how often it finds the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.pairs import BELIEF_LETTERS
from core.simulated import SIMULATED
from core.teachers import TEACHERS
from studyapp.base.parallel import in_order
from studyapp.study.study import LoadedStudy

__all__ = ["Expected", "expect"]


@dataclass(frozen=True)
class Expected:
    """What a model achieves with simulated people, after the last question."""

    model: str
    reward: float  # cumulative, the mean over people and targets
    found: float  # the share of rounds in which the target was asked about
    question: float  # that asked about it first; a round that never did counts as one question after the last


def expect(loaded: LoadedStudy, people: int) -> list[Expected]:
    """Let this many simulated people take part, without sessions and logs; shows progress."""
    by_person = list(in_order(partial(_one_person, loaded), range(people), "simulated people"))
    means = np.mean(by_person, axis=0)
    return [Expected(model, *map(float, row)) for model, row in zip(loaded.study.models, means, strict=True)]


def _one_person(loaded: LoadedStudy, person: int) -> list[tuple[float, float, float]]:
    """Reward, found and question for every model."""
    import torch

    torch.set_num_threads(1)  # other people use the other cores
    return list(_by_model(loaded, person))


def _by_model(loaded: LoadedStudy, person: int) -> Iterator[tuple[float, float, float]]:
    from core.simulation import simulate
    from core.user_study import rounds_of

    study = loaded.study
    rounds = rounds_of(
        person,
        loaded.features,
        loaded.people,
        targets=[loaded.vocabulary.index(target) for target in loaded.targets],
        questions=study.questions,
        seed=study.seed,
    )
    targets = np.array([[one.target] for one in rounds])
    for model in study.models:
        settings = study.settings(model, seed=0)
        pair = f"{SIMULATED['person'].letter}-{TEACHERS[settings.teacher].letter}"
        played = simulate(
            rounds, pair + BELIEF_LETTERS[settings.belief], settings, settings.beta, people=loaded.people
        )
        hits = np.array([one.asked for one in played]) == targets
        first = np.where(hits.any(-1), hits.argmax(-1) + 1, study.questions + 1)
        reward = np.mean([one.reward.sum() for one in played])
        yield float(reward), float(hits.any(-1).mean()), float(first.mean())
