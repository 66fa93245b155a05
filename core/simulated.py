"""Simulated teachers: the chance that each says yes.

A teacher knows the target, hence the reward of every arm: the likeness of its word to the target's
(clamped, so that its log-odds are finite).

    naive      says yes with the reward as its chance                          (equation 1)
    planning   sigma(beta (Q*(1) - Q*(0))): steers an imagined naive learner   (equations 3, 4)
    random     says yes to half of everything
    person     says yes as often as the participants of the published study did to words of such a likeness

The planning teacher's Q* is linear in the weights theta of the rewards' log-odds, X theta = log-odds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from core import checks
from core.rewards import MOST, clamped
from core.settings import SIMULATED, Settings
from core.teachers import Evidence
from core.teaching import look_ahead
from core.thompson import thompson_points

__all__ = ["SIMULATED", "SimulatedTeacher"]

# How often people said yes, by the word's likeness to the target (the target itself: 1).
PEOPLE = ((1.0, 0.99), (0.3, 0.48), (0.15, 0.46), (0.1, 0.35), (0.07, 0.11), (0.0, 0.003))


class SimulatedTeacher:
    """One teacher of one round: arms (K, M), the reward of each (K,), and how the teacher plans."""

    def __init__(
        self, kind: str, arms: NDArray[np.float64], rewards: NDArray[np.float64], settings: Settings
    ) -> None:
        self._kind = checks.one_of("the kind of teacher", kind, SIMULATED)
        self._rewards = clamped(rewards)
        self._settings = settings
        if kind == "planning":
            odds = np.log(self._rewards / (1 - self._rewards))
            self._theta = torch.tensor(np.linalg.lstsq(arms, odds, rcond=None)[0])
            self._X = torch.tensor(arms).unsqueeze(0)
            self._points = thompson_points(arms.shape[0], arms.shape[1], settings.samples, settings.seed)

    def chance(self, history: Sequence[tuple[int, int]], arm: int) -> float:
        """Of a yes to the question about ``arm`` after ``history``, pairs (arm, answer)."""
        reward = float(self._rewards[arm])
        match self._kind:
            case "naive":
                return reward
            case "planning":
                return self._planning(history, arm)
            case "random":
                return 0.5
            case _:
                # The clamp has moved the target itself a little below 1.
                return next(chance for likeness, chance in PEOPLE if reward >= min(likeness, MOST) - 1e-12)

    @torch.inference_mode()
    def _planning(self, history: Sequence[tuple[int, int]], arm: int) -> float:
        asked = [index for index, _ in history]
        signs = torch.tensor([[2.0 * answer - 1.0 for _, answer in history]], dtype=torch.float64)
        unknown = self._X.new_zeros(1, len(asked), 2, 0, self._X.shape[2])
        evidence = Evidence(self._X[:, asked], signs, unknown)
        ahead = look_ahead(
            self._X,
            evidence,
            self._X[:, arm],
            torch.zeros(1, self._X.shape[2], dtype=torch.float64),
            self._points,
            tau=self._settings.tau,
            horizon=self._settings.horizon,
            gamma=self._settings.gamma,
            fit="converged",
        )
        return float(torch.sigmoid(self._settings.beta * ahead.advantage(self._theta.unsqueeze(0))))
