"""Simulated teachers and learners, many replications at once (section 4.1).

A *world* is one replication: K arms drawn from the rows of a dataset, one of them the target, and the
ground truth theta* = [c, d x_target] on features with a constant 1 in front, so that the reward
probability of arm k is mu_k = sigma(c + d x_k'x_target).  A pair of Table 1 is named by its teacher,

    N   naive: says yes with probability mu_k                     (equation 1)
    P   planning: sigma(beta (Q*(1; theta*) - Q*(0; theta*)))     (equations 3, 4)

and by what its learner takes the teacher for: N, P, or M, the mixture.  The teacher and the learner's
model of it look ahead at one and the same imagined naive learner, so that is done once for both; they may
differ in beta.

Everything random goes by the seed and the number of the replication: its arms, target and first question,
the chance that decides each answer, and all that its learner draws.  These are shared by all pairs, which
makes their differences less noisy, and depend on no other replication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit

from core import checks
from core.errors import SettingError
from core.inference import Inference
from core.randomness import stream
from core.selection import choose
from core.settings import Settings
from core.thompson import thompson_points

__all__ = ["LEARNERS", "PAIRS", "Replication", "World", "concordance", "prepared", "simulate", "world"]

LEARNERS = {"N": "naive", "P": "planning", "M": "mixture"}
PAIRS = tuple(f"{teacher}-{learner}" for teacher in "NP" for learner in LEARNERS)

EQUAL = 1e-10  # numbers closer than this, as a part of the largest, are equal

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class World:
    """The arms and the truth of one replication."""

    number: int
    rows: NDArray[np.intp]  # (K,), of the dataset
    arms: Array  # (K, M), the constant first
    theta: Array  # (M,)
    odds: Array  # (K,), the log-odds of a reward of each
    rewards: Array  # (K,), the probability mu of it
    first: int  # the arm asked about first
    seed: int  # of the learner
    luck: Array  # (questions,): the answer is a yes where the teacher's chance is above it


@dataclass(frozen=True, eq=False)
class Replication:
    """What happened in one world, question by question."""

    number: int
    asked: NDArray[np.intp]  # (questions,), arms
    answers: NDArray[np.intp]  # 0 or 1
    reward: Array  # the probability mu of the arm asked about
    concordance: Array  # of the arms' order, after the answer
    alpha: Array | None  # E[alpha] after the answer, where the learner has one
    contrast: Array | None  # how far apart a yes and a no would have led, where anyone looked ahead
    converged: bool  # did every fit converge, of the learner and of the one that is imagined?


def prepared(table: Array) -> Array:
    """A dataset as it is simulated: columns centred and scaled to deviation 1, rows to length 1.

    A column without any spread tells nothing apart; it is refused, as is a row at the very centre.
    """
    spread = table.std(0)
    if not (spread > 1e-12 * np.abs(table).max(0)).all():
        column = int(np.argmin(spread > 1e-12 * np.abs(table).max(0))) + 1
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
        theta=np.concatenate([[c], d * drawn[target]]),
        odds=odds,
        rewards=np.asarray(expit(odds)),
        first=stream(seed, "replication", number, "first").integer(arms),
        seed=stream(seed, "replication", number, "learner").integer(2**52),
        luck=stream(seed, "replication", number, "luck").uniform(questions),
    )


@torch.inference_mode()
def simulate(
    worlds: Sequence[World],
    pair: str,
    settings: Settings,
    teacher_beta: float,
    imagined_fit: str | None = None,
) -> list[Replication]:
    """Let the teacher of ``pair`` answer its learner in each of the worlds, which are of one size.

    The learner has the ``settings`` but for its teacher model and seed, which are the pair's and the world's.
    The naive learner that teachers imagine is fitted as it is, or as ``imagined_fit`` says.
    """
    checks.one_of("pair", pair, PAIRS)
    plans = pair[0] == "P"
    inference = Inference(replace(settings, teacher=LEARNERS[pair[2]]), imagined_fit)
    arms = torch.from_numpy(np.stack([each.arms for each in worlds]))
    batch, K, M = arms.shape
    questions = len(worlds[0].luck)
    theta = torch.from_numpy(np.stack([each.theta for each in worlds]))
    rewards = np.stack([each.rewards for each in worlds])
    luck = np.stack([each.luck for each in worlds])
    seeds = [each.seed for each in worlds]
    every = np.arange(batch)
    looks = plans or inference.model.plans
    points = torch.stack([thompson_points(K, M, settings.samples, seed) for seed in seeds]) if looks else arms
    asked, answers = (np.empty((batch, questions), dtype=np.intp) for _ in range(2))
    order = np.empty((batch, questions))
    alphas = np.empty((batch, questions)) if inference.model.has_alpha else None
    contrasts = np.empty((batch, questions)) if looks else None
    converged = np.ones(batch, dtype=bool)
    memory = inference.blank(batch, M)
    arm = np.array([each.first for each in worlds])
    truth = _Order(np.stack([each.odds for each in worlds]))
    for t in range(questions):
        open_question = arms[every, arm]
        ahead = inference.look_ahead(memory, arms, open_question, points) if looks else None
        chance = rewards[every, arm]
        if plans and ahead is not None:
            chance = torch.sigmoid(teacher_beta * ahead.advantage(theta)).numpy()
        answer = (luck[:, t] < chance).astype(np.intp)
        memory = inference.remember(memory, open_question, torch.from_numpy(answer), ahead)
        posterior = inference.posterior(memory)
        memory = memory.after(posterior)
        asked[:, t], answers[:, t] = arm, answer
        order[:, t] = truth.concordance((arms @ posterior.mean.unsqueeze(-1)).squeeze(-1).numpy())
        if alphas is not None and posterior.alpha is not None:
            alphas[:, t] = posterior.alpha.numpy()
        if contrasts is not None and ahead is not None:
            contrasts[:, t] = ahead.contrast.numpy()
            converged &= ahead.converged.numpy()
        converged &= posterior.fit.converged.numpy()
        if t + 1 < questions:
            choices = choose(settings.selection, posterior, arms, t + 2, seeds)
            arm = np.array([choice.arm for choice in choices])
    return [
        Replication(
            number=each.number,
            asked=asked[i],
            answers=answers[i],
            reward=each.rewards[asked[i]],
            concordance=order[i],
            alpha=None if alphas is None else alphas[i],
            contrast=None if contrasts is None else contrasts[i],
            converged=bool(converged[i]),
        )
        for i, each in enumerate(worlds)
    ]


def concordance(truth: Array, estimates: Array) -> Array:
    """The share of pairs of arms whose true order the estimates have; truth and estimates (B, K)."""
    return _Order(truth).concordance(estimates)


class _Order:
    """The order of arms by truth.

    Pairs of equal truth do not count, and equal estimates are half right; a difference by rounding is none.
    Where all arms are equal there is no order, and estimates are half right.
    """

    def __init__(self, truth: Array) -> None:
        self._sorted = np.argsort(truth, axis=-1, kind="stable")
        ranked = self._ranked(truth)
        self._below = ranked[:, :, None] < ranked[:, None, :] - 1.0
        self._pairs = self._below.sum((-2, -1))

    def concordance(self, estimates: Array) -> Array:
        ranked = self._ranked(estimates)
        right = np.empty(len(ranked))
        for b, (row, below) in enumerate(zip(ranked, self._below, strict=True)):
            higher = np.count_nonzero((row[None, :] > row[:, None] + 1.0) & below)
            lower = np.count_nonzero((row[None, :] < row[:, None] - 1.0) & below)
            right[b] = 0.5 * (1.0 + (higher - lower) / max(1, self._pairs[b]))
        return right

    def _ranked(self, values: Array) -> Array:
        """In the order of truth, in units of what counts as a difference."""
        ranked = np.take_along_axis(values, self._sorted, -1)
        return np.asarray(ranked / (EQUAL * np.abs(ranked).max(-1, keepdims=True) + 1e-300))
