"""What simulated people make of a study: the reward of each model, and how often it finds the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.pairs import with_person
from core.randomness import stream
from studyapp.base.parallel import in_order
from studyapp.study.loaded import LoadedStudy

__all__ = ["Expected", "expect"]

MOST_TARGETS = 20  # of a person; of more, some are drawn
MOST_NUMBERS = 2_000_000  # in the features of all rounds that are played at the same time


@dataclass(frozen=True)
class Expected:
    """What a model achieves with simulated people, after the last question."""

    model: str
    reward: float  # cumulative, the mean over people and targets
    error: float  # half of its 95 % interval over people
    found: float  # the share of rounds in which the target was asked about


def expect(loaded: LoadedStudy, count: int) -> list[Expected]:
    """Let this many simulated people take part, without sessions and logs; shows progress."""
    by_person = np.array(list(in_order(partial(_one_person, loaded), range(count), "simulated people")))
    means = by_person.mean(0)
    errors = 1.96 * by_person[:, :, 0].std(0, ddof=1) / np.sqrt(count)
    return [
        Expected(model, float(reward), float(error), float(found))
        for model, (reward, found), error in zip(loaded.study.models, means, errors, strict=True)
    ]


def _one_person(loaded: LoadedStudy, person: int) -> list[tuple[float, float]]:
    """The reward and the share found, for every model."""
    return list(_by_model(loaded, person))


def _by_model(loaded: LoadedStudy, person: int) -> Iterator[tuple[float, float]]:
    from core.simulation import simulate
    from core.user_study import rounds_of

    study = loaded.study
    all_targets = [loaded.vocabulary.index(target) for target in loaded.targets]
    drawn = stream(study.seed, "expected", person).permutation(len(all_targets))[:MOST_TARGETS]
    rounds = rounds_of(
        person,
        loaded.features,
        loaded.people,
        targets=[all_targets[i] for i in drawn],
        questions=study.questions,
        seed=study.seed,
    )
    size = max(1, MOST_NUMBERS // loaded.features.size)  # rounds that are played at the same time
    for model in study.models:
        settings = study.settings(model, seed=0)
        pair = with_person(settings).name
        played = [
            one
            for begin in range(0, len(rounds), size)
            for one in simulate(
                rounds[begin : begin + size], pair, settings, settings.beta, people=loaded.people
            )
        ]
        found = [(one.asked == world.target).any() for one, world in zip(played, rounds, strict=True)]
        yield float(np.mean([one.reward.sum() for one in played])), float(np.mean(found))
