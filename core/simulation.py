"""Simulated teachers answer learners, in many replications at once (section 4.1).

A pair (core.pairs) names the teacher who answers and the learner's model of it.  The teacher and that model
look ahead at the same imagined naive learner, so this is computed once for both; they may differ in beta.

Each replication has its own world (core.worlds).  All pairs share it with all that is random, which makes
their differences less noisy.  No replication depends on another.

A learner's *concordance* is the share of pairs of arms that its estimates put in their true order.  Pairs of
arms that are truly equal do not count.  Equal estimates are half right, and a difference by rounding is no
difference.  Where all arms are equal there is no order, and any estimate is half right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from core.inference import Inference, Inferred, OverWeights
from core.likelihoods import Evidence
from core.pairs import Pair, pair_named
from core.people import People
from core.recall import NEVER, Recall
from core.selection import choose
from core.settings import Settings
from core.simulated import PosedQuestion, persons_asked
from core.targets import OverTargets
from core.teaching import Ahead, look_ahead
from core.thompson import PriorDraws
from core.worlds import World, who

EQUAL = 1e-10  # numbers closer than this, relative to the largest, are equal

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Replication:
    """What happened in one world, question by question."""

    number: int
    asked: NDArray[np.intp]  # (questions,), arms
    answers: NDArray[np.intp]  # 0 or 1
    reward: Array  # the probability mu of the arm asked about
    concordance: Array  # of the arms' estimated order with the true one, after the answer
    alpha: Array | None  # E[alpha] after the answer, where the learner has an alpha
    contrast: Array | None  # how far apart a yes and a no would have led, where anyone looked ahead
    converged: bool  # did every fit converge, the learner's and the imagined learner's?


def simulate(
    worlds: Sequence[World],
    pair: str,
    settings: Settings,
    teacher_beta: float,
    imagined_fit: str | None = None,
    people: People | None = None,
) -> list[Replication]:
    """Let the teacher of ``pair`` answer its learner in each of the worlds, which have the same size.

    The learner has these ``settings``, except that its teacher model and belief are the pair's and its seed
    the world's.  The naive learner that teachers imagine is fitted in the same way as the learner, unless
    ``imagined_fit`` names another way.  ``people`` say how people answer, and how a learner that models
    people expects them to; by default, as in the published study.
    """
    batch = _Batch(worlds, pair_named(pair), settings, teacher_beta, imagined_fit, people or People.default())
    steps = [batch.step(question) for question in range(1, batch.questions + 1)]
    return [_replication(one, i, steps) for i, one in enumerate(worlds)]


@dataclass(frozen=True, eq=False)
class _Step:
    """One question in every world of a batch."""

    asked: NDArray[np.intp]  # (B,)
    answers: NDArray[np.intp]
    concordance: Array
    alpha: Array | None
    contrast: Array | None
    converged: NDArray[np.bool_]


class _Batch:
    """Worlds side by side: the teachers, their learners, and the questions now open."""

    def __init__(
        self,
        worlds: Sequence[World],
        pair: Pair,
        settings: Settings,
        teacher_beta: float,
        imagined_fit: str | None,
        people: People,
    ) -> None:
        self.questions = len(worlds[0].luck)
        self._teacher, self._teacher_beta = pair.teacher, teacher_beta
        self._selection = settings.selection
        settings = replace(settings, teacher=pair.model.name, belief=pair.belief)
        self._inference = _inference(worlds, settings, imagined_fit, people)
        self._persons = [who(one, people) for one in worlds] if pair.teacher.is_person else None
        self._arms = np.stack([one.arms for one in worlds])
        self._odds = np.stack([one.odds for one in worlds])
        self._rewards = np.stack([one.rewards for one in worlds])
        self._luck = np.stack([one.luck for one in worlds])
        self._seeds = [one.seed for one in worlds]
        self._truth = TrueOrder(self._odds)
        batch, K, M = self._arms.shape
        self._draws: PriorDraws | None = None
        self._first: Ahead | None = None
        if pair.looks_ahead:
            self._draws, self._first = _beginning(_Beginning.of(worlds, settings, imagined_fit))
        self._every = np.arange(batch)
        self._memory: Any = self._inference.blank(batch, M)
        self._recall = Recall.none(batch, K)
        self._targets = np.array([one.target for one in worlds])
        self._arm = np.array([one.first for one in worlds])  # (B,), the open questions

    def step(self, question: int) -> _Step:
        """Answer the open questions, let the learners learn, and choose the next questions."""
        asked = self._arms[self._every, self._arm]
        ahead = self._first if question == 1 else self._look_ahead(asked)
        answers = self._answers(question, ahead)
        self._recall = self._recall.after(self._arm, answers)
        memory = self._inference.remember(self._memory, self._arms, self._arm, answers, ahead)
        inferred, self._memory = self._inference.inferred(memory, self._arms)
        step = self._recorded(answers, ahead, inferred)
        if question < self.questions:
            choices = choose(self._selection, inferred.belief, question + 1, self._seeds)
            self._arm = np.array([choice.arm for choice in choices])
        return step

    def _look_ahead(self, asked: Array) -> Ahead | None:
        """What follows a yes and a no, where anyone plans."""
        if self._draws is None:
            return None
        return self._inference.look_ahead(self._memory, self._arms, asked, self._draws)

    def _answers(self, question: int, ahead: Ahead | None) -> NDArray[np.intp]:
        """The teachers' answers (B,) to the open questions."""
        posed = PosedQuestion(
            number=question,
            rewards=self._rewards[self._every, self._arm],
            is_target=self._arm == self._targets,
            last=self._recall.last[self._every, self._arm],
            found=self._recall.last[self._every, self._targets] != NEVER,
            beta=self._teacher_beta,
            advantage=ahead.advantage(self._odds) if self._teacher.plans and ahead is not None else None,
            persons=None if self._persons is None else persons_asked(self._persons, self._arm),
        )
        return (self._luck[:, question - 1] < self._teacher.chances(posed)).astype(np.intp)

    def _recorded(self, answers: NDArray[np.intp], ahead: Ahead | None, inferred: Inferred) -> _Step:
        converged = inferred.converged
        return _Step(
            asked=self._arm,
            answers=answers,
            concordance=self._truth.concordance(inferred.belief.means),
            alpha=inferred.alpha,
            contrast=None if ahead is None else ahead.contrast,
            converged=converged if ahead is None else converged & ahead.converged,
        )


@dataclass(frozen=True)
class _Beginning:
    """All that the beginning of a batch depends on, where anyone looks ahead: the same for all pairs."""

    arms: bytes
    shape: tuple[int, int, int]  # (B, K, M)
    seeds: tuple[int, ...]
    first: tuple[int, ...]
    settings: Settings  # only what the look-ahead depends on

    @staticmethod
    def of(worlds: Sequence[World], settings: Settings, imagined_fit: str | None) -> _Beginning:
        return _Beginning(
            arms=b"".join(one.arms.tobytes() for one in worlds),
            shape=(len(worlds), *worlds[0].arms.shape),
            seeds=tuple(one.seed for one in worlds),
            first=tuple(one.first for one in worlds),
            settings=Settings(
                tau=settings.tau,
                horizon=settings.horizon,
                gamma=settings.gamma,
                samples=settings.samples,
                fit=imagined_fit or settings.fit,
            ),
        )


@lru_cache(maxsize=1)  # the pairs of the same worlds come one after the other
def _beginning(key: _Beginning) -> tuple[PriorDraws, Ahead]:
    """The draws of a batch, and what follows its first questions."""
    arms = np.frombuffer(key.arms).reshape(key.shape)
    batch, _, M = key.shape
    draws = PriorDraws.together(
        [PriorDraws.of(own, key.settings.samples, seed) for own, seed in zip(arms, key.seeds, strict=True)]
    )
    ahead = look_ahead(
        arms,
        Evidence.none(batch, M, 0),
        arms[np.arange(batch), np.array(key.first)],
        np.zeros((batch, M)),
        draws,
        key.settings,
        key.settings.fit,
    )
    return draws, ahead


def _inference(
    worlds: Sequence[World], settings: Settings, imagined_fit: str | None, people: People
) -> Inference[Any]:
    if settings.belief == "weights":
        return OverWeights(settings, imagined_fit)
    same = all(one.thetas is worlds[0].thetas for one in worlds)  # the same words in all rounds
    different = worlds[:1] if same else worlds
    odds = np.stack([one.odds_table for one in different])
    return OverTargets(settings, np.asarray(expit(odds)), people, odds, imagined_fit)


def _replication(one: World, i: int, steps: Sequence[_Step]) -> Replication:
    """World ``one``, number i of its batch, over all steps."""
    asked = np.array([step.asked[i] for step in steps])
    return Replication(
        number=one.number,
        asked=asked,
        answers=np.array([step.answers[i] for step in steps]),
        reward=one.rewards[asked],
        concordance=np.array([step.concordance[i] for step in steps]),
        alpha=_column([step.alpha for step in steps], i),
        contrast=_column([step.contrast for step in steps], i),
        converged=all(bool(step.converged[i]) for step in steps),
    )


def _column(parts: Sequence[Array | None], i: int) -> Array | None:
    """Entry i of every part, or None where there are no parts."""
    present = [part[i] for part in parts if part is not None]
    return np.array(present) if present else None


class TrueOrder:
    """The true order of the arms of a batch, for comparing many estimates with it."""

    def __init__(self, truth: Array) -> None:
        self._sorted = np.argsort(truth, axis=-1, kind="stable")
        ranked = self._ranked(truth)
        self._below = ranked[:, :, None] < ranked[:, None, :] - 1.0
        self._pairs = self._below.sum((-2, -1))

    def concordance(self, estimates: Array) -> Array:
        """The concordance (B,) of estimates (B, K)."""
        ranked = self._ranked(estimates)
        right = np.empty(len(ranked))
        for b, (row, below) in enumerate(zip(ranked, self._below, strict=True)):
            higher = np.count_nonzero((row[None, :] > row[:, None] + 1.0) & below)
            lower = np.count_nonzero((row[None, :] < row[:, None] - 1.0) & below)
            right[b] = 0.5 * (1.0 + (higher - lower) / max(1, self._pairs[b]))
        return right

    def _ranked(self, values: Array) -> Array:
        """Values in the true order, in units of the smallest difference that counts."""
        ranked = np.take_along_axis(values, self._sorted, -1)
        return np.asarray(ranked / (EQUAL * np.abs(ranked).max(-1, keepdims=True) + 1e-300))
