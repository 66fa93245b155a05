"""Simulated people in the published user study (section 4.3): their rounds, as worlds of core.simulation.

A person has one round for each target with each model.  The rounds of a target share the person, the first
question, the seed of the learner and the luck behind the answers, so that they differ only in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.people import People
from core.randomness import stream
from core.rewards import clamped, log_odds, weights
from core.simulation import World

__all__ = ["rounds_of"]


def rounds_of(
    person: int,
    features: NDArray[np.float64],  # (K, K), the likeness of every two words
    people: People,
    *,
    targets: Sequence[int],
    questions: int,
    seed: int,
) -> list[World]:
    """The rounds of one person, numbered ``person`` from 0; one for each target."""
    rewards = clamped(features)
    odds = log_odds(rewards)
    thetas = _thetas(features.tobytes(), len(features))
    words = len(features)
    worlds = []
    for target in targets:
        names = ("person", person, "target", target)
        others = [word for word in range(words) if word != target]
        worlds.append(
            World(
                number=person * words + target,
                rows=np.arange(words),
                arms=features,
                thetas=thetas,
                target=target,
                odds=odds[target],
                rewards=rewards[target],
                first=others[stream(seed, *names, "first").integer(words - 1)],
                seed=stream(seed, *names, "learner").integer(2**52),
                luck=stream(seed, *names, "luck").uniform(questions),
                person=people.person(
                    seed, "person", person, target=target, rewards=rewards[target], about=("target", target)
                ),
            )
        )
    return worlds


@lru_cache(maxsize=8)
def _thetas(likenesses: bytes, words: int) -> NDArray[np.float64]:
    """(T, M), the weights that each target means; one array for all people, who share their words."""
    features = np.frombuffer(likenesses).reshape(words, words)
    return weights(features, clamped(features))
