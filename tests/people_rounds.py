"""Rounds of simulated people with known parameters, for tests of what is learned from answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from strategies import FEATURES, WORDS

from core.people import PARAMETERS, People
from core.randomness import stream
from core.settings import Settings
from core.simulation import simulate
from core.worlds import rounds_of
from studyapp.analysis.people_rounds import Rounds

__all__ = ["KNOWN", "simulated_rounds"]

# Not the default: what is recovered must come from the answers.
KNOWN = People(
    **dict(
        zip(PARAMETERS, (1.8, 1.2, -1.0, -1.2, 2.5, 9.0, 1.5, 1.2, -2.0, 1.5, 0.005), strict=True),
    )
)


def simulated_rounds(
    people: People, persons: int, targets: int = 19, questions: int = 15, pairs: tuple[str, ...] = ("H-N",)
) -> Rounds:
    """Rounds of people with each of the learners, which share nothing but the person."""
    names = tuple(f"P{person:02}" for person in range(persons))
    worlds = [
        world
        for person in range(persons)
        for world in rounds_of(
            person, FEATURES, people, targets=range(1, 1 + targets), questions=questions, seed=11
        )
    ]
    target = np.array([world.target for world in worlds])
    parts = []
    for pair in pairs:
        own = [
            replace(world, luck=stream(11, pair, world.number, "luck").uniform(questions)) for world in worlds
        ]
        played = simulate(own, pair, Settings(), 20.0, people=people)
        asked = np.array([one.asked for one in played])
        parts.append(
            Rounds(
                words=WORDS.words,
                persons=names,
                person=np.repeat(np.arange(persons), targets),
                model=np.full(len(worlds), pair),
                target=target,
                asked=asked,
                yes=np.array([one.answers for one in played]) == 1,
                likeness=np.asarray(FEATURES[target[:, None], asked]),
            )
        )
    return Rounds.joined(parts)
