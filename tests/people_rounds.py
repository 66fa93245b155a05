"""Rounds of simulated people with known parameters, for tests of what is learned from answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from strategies import FEATURES, WORDS

from core.people import PARAMETERS, People
from core.randomness import stream
from core.recall import NEVER, Answers
from core.settings import Settings
from core.simulation import simulate
from core.worlds import rounds_of

# Not the default: what is recovered must come from the answers.
KNOWN = People(
    **dict(
        zip(PARAMETERS, (1.8, 1.2, -1.0, -1.2, 2.5, 9.0, 1.5, 1.2, -2.0, 1.5, 0.005), strict=True),
    )
)


@dataclass(frozen=True)
class Rounds:
    """Rounds of people, (R,) or (R, Q)."""

    words: tuple[str, ...]
    person: np.ndarray
    target: np.ndarray
    asked: np.ndarray
    yes: np.ndarray
    likeness: np.ndarray

    @property
    def answers(self) -> Answers:
        """All answers, round by round, with what the person knew."""
        last, found = np.full(self.asked.shape, NEVER), np.zeros(self.asked.shape, dtype=bool)
        for r, words in enumerate(self.asked):
            said: dict[int, int] = {}
            for q, word in enumerate(words):
                last[r, q], found[r, q] = said.get(word, NEVER), self.target[r] in said
                said[word] = int(self.yes[r, q])
        count, questions = self.asked.shape
        return Answers(
            person=self.person.repeat(questions),
            target=self.target.repeat(questions),
            word=self.asked.ravel(),
            likeness=self.likeness.ravel(),
            number=np.tile(np.arange(1, questions + 1), count),
            found=found.ravel(),
            last=last.ravel(),
            yes=self.yes.ravel(),
        )


def simulated_rounds(
    people: People, persons: int, targets: int = 19, questions: int = 15, pairs: tuple[str, ...] = ("H-N",)
) -> Rounds:
    """Rounds of people with each of the learners, which share nothing but the person."""
    worlds = [
        world
        for person in range(persons)
        for world in rounds_of(
            person, FEATURES, people, targets=range(1, 1 + targets), questions=questions, seed=11
        )
    ]
    target = np.array([world.target for world in worlds])
    asked, yes = [], []
    for pair in pairs:
        own = [
            replace(world, luck=stream(11, pair, world.number, "luck").uniform(questions)) for world in worlds
        ]
        played = simulate(own, pair, Settings(), 20.0, people=people)
        asked += [one.asked for one in played]
        yes += [one.answers for one in played]
    target = np.tile(target, len(pairs))
    return Rounds(
        words=WORDS.words,
        person=np.tile(np.repeat(np.arange(persons), targets), len(pairs)),
        target=target,
        asked=np.array(asked),
        yes=np.array(yes) == 1,
        likeness=FEATURES[target[:, None], np.array(asked)],
    )
