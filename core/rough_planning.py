"""What a planning teacher sees ahead, roughly, in a fraction of a millisecond.

A planning teacher imagines a naive learner with Thompson sampling, and compares what that learner would ask
next after a yes and after a no (core.teaching).  Exactly, this takes two fits and thousands of draws.  A
model that only has to allow for such a teacher can do with less:

    f = X theta ~ N(0, tau^2 X X')      the imagined learner's prior for the value of every arm
    answer = +2 or -2, with variance 4  how each yes or no moves it: the first Newton step of the fit, whose
                                        curvature is 1/4

The posterior is then normal, and a draw from the prior becomes one from the posterior by Matheron's rule,

    f + C_a' (C_aa + N)^-1 (z - f_a - noise),

where a are the arms asked about, z the means of their answers, N = 4 / (number of answers) their variances,
and C = tau^2 X X'.  Counting the winners of the draws gives the chance p_k that arm k is asked next, and

    Q*(1) - Q*(0) = sum over k of (p_k after a yes - p_k after a no) log-odds of the reward of k.

The draws are the same for every question, so most of their noise cancels from the difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.randomness import stream
from core.reward_tables import Table
from core.rewards import log_odds

__all__ = ["RoughPlanner"]

Array = NDArray[np.float64]
Counts = NDArray[np.int16]

DRAWS = 512
MOVE, VARIANCE = 2.0, 4.0  # of one answer


class RoughPlanner:
    """What planning teachers see ahead with these arms (B, K, M), or (1, K, M) for all learners."""

    def __init__(self, arms: Array, rewards: Table, tau: float) -> None:
        _, count, features = arms.shape
        theta = tau * stream(0, "rough planner", "theta").normal(DRAWS * features).reshape(DRAWS, features)
        self._arms, self._rewards, self._tau = arms, rewards, tau
        self._prior = theta @ arms.swapaxes(1, 2)  # (B, DRAWS, K)
        self._noise = stream(0, "rough planner", "noise").normal(DRAWS * count).reshape(DRAWS, count)

    def advantages(self, yes: Counts, no: Counts, arm: NDArray[np.intp]) -> Array:
        """Q*(1) - Q*(0) of an answer about ``arm`` (B,) for every target, (B, T).

        ``yes`` and ``no`` (B, K) count the answers so far.
        """
        known: dict[tuple[int, int, bytes, bytes], Array] = {}  # tell_both asks the same thing twice
        rows = []
        for b, asked in enumerate(arm):
            world = b if len(self._prior) > 1 else 0
            key = (world, int(asked), yes[b].tobytes(), no[b].tobytes())
            if key not in known:
                after = np.zeros(yes.shape[1], dtype=np.int16)
                after[asked] = 1
                gain = self.winners(yes[b] + after, no[b], world) - self.winners(yes[b], no[b] + after, world)
                winning = np.flatnonzero(gain)
                known[key] = log_odds(self._rewards.columns(winning, world)) @ gain[winning]
            rows.append(known[key])
        return np.stack(rows)

    def winners(self, yes: Counts, no: Counts, world: int = 0) -> Array:
        """The chance that each arm is asked next, (K,), after these answers (K,)."""
        best = self.draws(yes, no, world).argmax(1)
        return np.bincount(best, minlength=len(yes)) / DRAWS

    def draws(self, yes: Counts, no: Counts, world: int = 0) -> Array:
        """Draws (DRAWS, K) from the imagined learner's posterior after these answers (K,)."""
        asked = np.flatnonzero(yes + no)
        answers = (yes + no)[asked]
        moved = MOVE * (yes - no)[asked] / answers
        variance = VARIANCE / answers
        prior, X = self._prior[world], self._arms[world]
        cov = self._tau**2 * X[asked] @ X.T
        surprise = moved - prior[:, asked] - np.sqrt(variance) * self._noise[:, asked]
        gain = np.linalg.solve(cov[:, asked] + np.diag(variance), cov)
        return np.asarray(prior + surprise @ gain)
