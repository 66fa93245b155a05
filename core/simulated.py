"""Simulated teachers: the chance that each kind says yes.

A teacher knows the target, so it knows the reward of every arm: its word's similarity to the target
(clamped, so that the log-odds are finite).  Each kind is one class that says how it answers.  A planning
teacher steers an imagined naive learner: it looks ahead and compares Q* after a yes and after a no
(core.teaching).  Q* is linear in the weights theta of the rewards' log-odds, X theta = log-odds.

This module does not load torch; planning teachers do when they are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.kinds import Kinds
from core.rewards import MOST, clamped
from core.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SIMULATED", "Naive", "Person", "Planning", "Random", "SimulatedKind", "SimulatedTeacher"]

Array = NDArray[np.float64]

# How often participants of the published study said yes, by the least similarity to the target.
PEOPLE = ((1.0, 0.99), (0.3, 0.48), (0.15, 0.46), (0.1, 0.35), (0.07, 0.11), (0.0, 0.003))


class SimulatedKind(ABC):
    """How one kind of simulated teacher answers."""

    name: str  # as users write it
    letter: str | None = None  # in the names of simulated pairs, such as P-M; None: in no pair
    sentence: str  # for the help of a command, after "it": "says yes at random, half of the time"
    plans: bool = False  # does it look ahead?

    @abstractmethod
    def chances(self, rewards: Array, advantage: Tensor | None, beta: float) -> Array:
        """The chance of a yes, (B,), to questions about arms with these rewards, (B,).

        ``advantage``, (B,), is Q*(1) - Q*(0) where the kind plans, else None; ``beta`` is the teacher's
        optimality.
        """


SIMULATED: Kinds[SimulatedKind] = Kinds("simulated teacher")


class Naive(SimulatedKind):
    """Says yes with a probability equal to the reward (equation 1)."""

    name = "naive"
    letter = "N"
    sentence = "says yes with a probability equal to the reward"

    def chances(self, rewards: Array, advantage: Tensor | None, beta: float) -> Array:  # noqa: ARG002
        return rewards


SIMULATED.add(Naive())


class Planning(SimulatedKind):
    """Says yes with the chance sigma(beta (Q*(1) - Q*(0))) (equations 3 and 4)."""

    name = "planning"
    letter = "P"
    sentence = "answers so as to steer the learner towards the target"
    plans = True

    def chances(self, rewards: Array, advantage: Tensor | None, beta: float) -> Array:  # noqa: ARG002
        assert advantage is not None, "a planning teacher looks ahead"
        return np.asarray((beta * advantage).sigmoid().numpy())


SIMULATED.add(Planning())


class Random(SimulatedKind):
    """Tosses a coin."""

    name = "random"
    sentence = "says yes at random, half of the time"

    def chances(self, rewards: Array, advantage: Tensor | None, beta: float) -> Array:  # noqa: ARG002
        return np.full(len(rewards), 0.5)


SIMULATED.add(Random())


class Person(SimulatedKind):
    """Says yes as often as people did to words that are as similar to the target."""

    name = "person"
    sentence = "says yes as often as people in the published study did to equally similar words"

    def chances(self, rewards: Array, advantage: Tensor | None, beta: float) -> Array:  # noqa: ARG002
        return np.array([self._chance(reward) for reward in rewards])

    @staticmethod
    def _chance(reward: float) -> float:
        # The clamp has moved the target itself a little below 1.
        return next(chance for least, chance in PEOPLE if reward >= min(least, MOST) - 1e-12)


SIMULATED.add(Person())


class SimulatedTeacher:
    """One simulated teacher in one round.

    kind       one of ``SIMULATED``, by name
    arms       (K, M) features
    rewards    (K,), the reward of each arm
    settings   how the teacher plans: beta, tau, horizon, gamma, samples and seed
    """

    def __init__(self, kind: str, arms: Array, rewards: Array, settings: Settings) -> None:
        self._kind = SIMULATED[checks.one_of("the kind of teacher", kind, SIMULATED.names)]
        self._rewards = clamped(rewards)
        self._beta = settings.beta
        self._planner = _Planner(arms, self._rewards, settings) if self._kind.plans else None

    def chance(self, history: Sequence[tuple[int, int]], arm: int) -> float:
        """The chance of a yes to the question about ``arm`` after ``history``, pairs (arm, answer)."""
        advantage = None if self._planner is None else self._planner.advantage(history, arm)
        return float(self._kind.chances(self._rewards[arm : arm + 1], advantage, self._beta)[0])


class _Planner:
    """What a planning teacher looks ahead with: one round, one question at a time."""

    def __init__(self, arms: Array, rewards: Array, settings: Settings) -> None:
        import torch

        from core.thompson import thompson_points

        odds = np.log(rewards / (1 - rewards))
        self._theta = torch.tensor(np.linalg.lstsq(arms, odds, rcond=None)[0]).unsqueeze(0)
        self._X = torch.tensor(arms).unsqueeze(0)
        self._points = thompson_points(arms.shape[0], arms.shape[1], settings.samples, settings.seed)
        self._settings = settings

    def advantage(self, history: Sequence[tuple[int, int]], arm: int) -> Tensor:
        """Q*(1) - Q*(0) of a yes and a no to ``arm``, (1,)."""
        import torch

        from core.evidence import Evidence
        from core.teaching import look_ahead

        with torch.inference_mode():
            asked = [index for index, _ in history]
            signs = torch.tensor([[2.0 * answer - 1.0 for _, answer in history]], dtype=torch.float64)
            ahead = look_ahead(
                self._X,
                Evidence.without_plans(self._X[:, asked], signs),
                self._X[:, arm],
                torch.zeros(1, self._X.shape[2], dtype=torch.float64),
                self._points,
                tau=self._settings.tau,
                horizon=self._settings.horizon,
                gamma=self._settings.gamma,
                fit="converged",
            )
            return ahead.advantage(self._theta)
