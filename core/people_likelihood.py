"""How well a model of people (core.people) predicts answers: their likelihood, the person integrated out.

``log_chances`` knows nothing of a person beyond the answers so far in the same round, as a learner does at
the beginning of each round.  ``log_evidence`` gets to know the person over all rounds: it integrates once
over u and r, and once over each pair's relevance, on which a person's opinion stays the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from core.people import (
    EFFECT_NODES,
    FURTHEST,
    FURTHEST_EFFECT,
    SAME_LIKENESS,
    USUAL_LIKENESS,
    USUAL_QUESTION,
    People,
    mean_chance,
    nodes,
)
from core.people_fit import Answers
from core.recall import NEVER
from core.rewards import clamped

__all__ = ["log_chances", "log_evidence", "relevance_of"]

Array = NDArray[np.float64]

READY_NODES, AGAIN_NODES = 65, 401  # hundreds of answers make u and r narrow: more nodes than for a round
BLOCK = 50  # cells in memory at once


def relevance_of(people: People, answers: Answers) -> Array:
    """(N,), the chance that each word seems relevant to somebody unknown; ``people`` are among the words."""
    return mean_chance(*_effects(people, answers))


def log_chances(people: People, answers: Answers, rounds: NDArray[np.intp]) -> Array:
    """(N,), the log chance of each answer, given those before it in its round.

    ``rounds`` (N,) numbers the rounds; the answers of each are in their order.  ``people`` are among the
    words that the answers index.
    """
    relevance = relevance_of(people, answers)
    ready, again, prior = people.grid()
    result = np.empty(len(answers))
    weights: dict[int, Array] = {}
    for i, round_ in enumerate(rounds):
        chances = people.chances(
            int(answers.number[i]),
            ready=ready,
            again=again,
            relevance=relevance[i],
            is_target=answers.is_target[i],
            last=answers.last[i],
            found=answers.found[i],
        )
        updated = weights.get(int(round_), prior) * (chances if answers.yes[i] else 1 - chances)
        total = updated.sum()
        result[i] = np.log(total)
        weights[int(round_)] = updated / total
    return result


def log_evidence(people: People, answers: Answers) -> float:
    """The log probability of all answers of one person; ``people`` are among the words they index."""
    other = ~answers.is_target
    first = answers.of(other & (answers.last == NEVER))
    again = answers.of(other & (answers.last == 1))
    certain = answers.of(~other | (answers.last == 0))
    slips = certain.yes != certain.is_target
    value = slips.sum() * np.log(people.slip) + (~slips).sum() * np.log1p(-people.slip)
    x, p = nodes(AGAIN_NODES, FURTHEST + 1)
    chance = people.slip + (1 - 2 * people.slip) * expit(people.again + people.again_sd * x)
    yes = again.yes.sum()
    value += logsumexp(yes * np.log(chance) + (len(again) - yes) * np.log1p(-chance), b=p)
    x, p = nodes(READY_NODES, FURTHEST + 1)
    return float(value + logsumexp(_first(people, first, people.ready + people.ready_sd * x), b=p))


def _first(people: People, answers: Answers, ready: Array) -> Array:
    """The log probability of first answers at each value of u, (G,)."""
    centre, spread = _effects(people, answers)
    x, p = nodes(EFFECT_NODES, FURTHEST_EFFECT)
    shift = people.question * np.log(answers.number / USUAL_QUESTION) + people.found * answers.found
    pairs = np.unique(np.stack([answers.target, answers.word]), axis=1, return_inverse=True)[1].ravel()
    total = np.zeros(len(ready))
    for begin in range(0, int(pairs.max(initial=-1)) + 1, BLOCK):
        own = np.flatnonzero((pairs >= begin) & (pairs < begin + BLOCK))
        hint = expit(ready + shift[own, None])[:, :, None]
        relevant = expit(centre[own, None] + spread[own, None] * x)[:, None, :]
        chance = people.slip + (1 - 2 * people.slip) * hint * relevant
        log = np.log(np.where(answers.yes[own, None, None], chance, 1 - chance))
        cells = np.zeros((int(pairs[own].max()) - begin + 1, *log.shape[1:]))
        np.add.at(cells, pairs[own] - begin, log)
        total += logsumexp(cells, axis=-1, b=p).sum(0)
    return total


def _effects(people: People, answers: Answers) -> tuple[Array, Array]:
    """The centre and the spread of the log-odds that each word seems relevant, (N,)."""
    odds = people.likeness + people.slope * np.log(clamped(answers.likeness) / USUAL_LIKENESS)
    sd = np.full(len(answers), people.pair_sd)
    if people.pairs is not None:
        found, likeness, means, sds = people.pairs.look_up(answers.target, answers.word)
        known = np.abs(likeness - answers.likeness[found]) <= SAME_LIKENESS  # NaN: not known
        odds[found] += np.where(known, means, 0.0)
        sd[found] = np.where(known, sds, people.pair_sd)
    return np.asarray(odds), np.asarray(np.hypot(sd, people.opinion_sd))
