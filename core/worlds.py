"""Worlds to simulate: arms drawn from a dataset (section 4.1), and the published user study (section 4.3).

A *world* is one replication: K arms drawn from the rows of a dataset, one of them the target, and the
ground truth theta* = [c, d x_target] on features with a constant 1 in front.  The reward probability of
arm k is mu_k = sigma(c + d x_k'x_target).

In the user study the arms are words.  A person has one round for each target with each model.  The rounds of
a target share the person, the first question, the seed of the learner and the luck behind the answers, so
that they differ only in the model.

Everything random is derived from the seed and the number of the replication or of the person: the arms, the
target and the first question, the luck that decides each answer, and all that the learner draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core import checks
from core.errors import SettingError
from core.people import People, Person
from core.randomness import stream
from core.rewards import clamped, log_odds, weights

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class World:
    """The arms and the truth of one replication."""

    number: int
    rows: NDArray[np.intp]  # (K,), rows of the dataset
    arms: Array  # (K, M), the constant first
    thetas: Array  # (T, M), the ground truth if each of the possible targets were the target
    target: int  # an arm; row ``target`` of thetas is the truth
    odds: Array  # (K,), the log-odds of a reward
    rewards: Array  # (K,), the probability mu of a reward
    first: int  # the arm asked about first
    seed: int  # of the learner
    luck: Array  # (questions,): the answer is yes where the teacher's chance is above it
    person: Person | None = None  # who answers where people do; None: somebody drawn for this replication

    @property
    def odds_table(self) -> Array:
        """(T, K), the log-odds of a reward of every arm under every target."""
        return np.asarray(self.thetas @ self.arms.T)


def prepared(table: Array) -> Array:
    """A dataset ready for simulation: columns centred and scaled to deviation 1, rows scaled to length 1.

    A column in which all numbers are equal is refused, and so is a row at the very centre.
    """
    spread = table.std(0)
    varies = spread > 1e-12 * np.abs(table).max(0)
    if not varies.all():
        column = int(np.argmin(varies)) + 1
        raise SettingError(f"column {column} has the same number in every row; leave it out")
    units = (table - table.mean(0)) / spread
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    if not (lengths > 1e-9).all():
        row = int(np.argmin(lengths)) + 1
        raise SettingError(f"row {row} is the mean of all rows and has no direction; leave it out")
    return np.asarray(units / lengths)


def world(table: Array, number: int, *, arms: int, questions: int, c: float, d: float, seed: int) -> World:
    """Replication ``number`` of a prepared dataset (N, M - 1)."""
    checks.whole("arms", arms, 2, len(table))
    rows = stream(seed, "replication", number, "arms").sample(len(table), arms)
    drawn = table[rows]
    target = stream(seed, "replication", number, "target").integer(arms)
    odds = c + d * drawn @ drawn[target]
    return World(
        number=number,
        rows=rows,
        arms=np.column_stack([np.ones(arms), drawn]),
        thetas=np.column_stack([np.full(arms, c), d * drawn]),
        target=target,
        odds=odds,
        rewards=np.asarray(expit(odds)),
        first=stream(seed, "replication", number, "first").integer(arms),
        seed=stream(seed, "replication", number, "learner").integer(2**52),
        luck=stream(seed, "replication", number, "luck").uniform(questions),
    )


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


def who(one: World, people: People) -> Person:
    """Who answers in a world."""
    if one.person is not None:
        return one.person
    return people.person(one.seed, "replication", target=one.target, rewards=one.rewards, about=())
