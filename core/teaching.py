"""The teaching Markov decision process: what a planning teacher sees ahead (sections 3.2 to 3.4).

The teacher imagines a naive learner that asks by Thompson sampling.  After an answer y, the learner updates
its posterior and asks about arm k with probability p_k, so the expected features of its next question are
X'p.  One step of planning compares X'p after a yes with X'p after a no.  To plan further, the learner is
imagined to ask about that *virtual arm* X'p and to get a second answer, and so on: 2^(T-1) trajectories
follow each first answer.  With S = sum over steps of gamma^(t-1) X'p / T on each trajectory, the value of
an answer at any theta is

    Q*(y; theta) = max over the trajectories that start with y of theta'S.

The sums S do not depend on theta, so they are computed once per question and kept.  Where the log-odds
w = X theta of every arm are known, theta'S is w's with the same sums s of the probabilities p, and theta is
not needed.

Each step has twice the nodes of the step before and half the points for each node (up to T = 5 with 1,000
samples; then the fewest), so the draws of T steps take T times as long as those of one; fits double at every
step.  S is a mean over steps, which makes up for most of the points: with 20 words, its error with T = 2, 4
and 8 is 1.1, 1.5 and 1.9 times that with T = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch
from core.likelihoods import Evidence
from core.posterior import fit_naive
from core.rewards import RewardTable
from core.settings import Settings
from core.thompson import PriorDraws, best_arm

Array = NDArray[np.float64]

FEWEST_POINTS = 64  # at any depth


@dataclass(frozen=True, eq=False)
class Ahead(Batch):
    """What follows a question, for a batch of histories."""

    sums: Array  # S (B, 2, J, M): by first answer (no, yes) and trajectory
    shares: Array  # s (B, 2, J, K)
    naive: Array  # (B, 2, M): the imagined naive learner's mean after either answer
    converged: NDArray[np.bool_]  # (B,): did all fits of the imagined learner converge?

    def advantage(self, odds: Array) -> Array:
        """Q*(1) - Q*(0), (B,), for a teacher to whom arms have the log-odds (B, K) of their rewards."""
        best = (self.shares @ odds[:, None, :, None])[..., 0].max(2)
        return np.asarray(best[:, 1] - best[:, 0])

    def advantages(self, rewards: RewardTable) -> Array:
        """The same (B, T) for a teacher with each of the targets of a table."""
        batch, _, trajectories, arms = self.shares.shape
        if trajectories == 1:  # most arms gain as much from a yes as from a no, and drop out
            return rewards.mean_odds(self.shares[:, 1] - self.shares[:, 0])[:, 0]
        returns = rewards.mean_odds(self.shares.reshape(batch, -1, arms))
        best = returns.reshape(batch, 2, trajectories, -1).max(2)
        return np.asarray(best[:, 1] - best[:, 0])

    @property
    def contrast(self) -> Array:
        """How far apart a yes and a no lead, (B,): |S(1) - S(0)|, each S a mean over trajectories."""
        means = self.sums.mean(2)
        return np.asarray(np.linalg.norm(means[:, 1] - means[:, 0], axis=-1))


def look_ahead(
    arms: Array,  # (B, K, M)
    evidence: Evidence,  # the answers so far
    asked: Array,  # (B, M): features of the question that is open
    naive: Array,  # (B, M): the naive learner's mean before it
    draws: PriorDraws,  # of one learner for all, or of B learners
    settings: Settings,  # tau, horizon and gamma
    fit: str,
) -> Ahead:
    """Imagine all answers to the open question and to the ``horizon - 1`` virtual ones after it."""
    batch, count, dimension = arms.shape
    features, signs = evidence.features, evidence.signs
    sums, shares = np.zeros_like(asked), np.zeros((batch, count))
    after_first = naive
    converged = np.ones(batch, dtype=bool)
    for step in range(settings.horizon):
        # Every node gets two children, no and yes, side by side.
        features = np.concatenate([features, asked[:, None]], 1).repeat(2, axis=0)
        answers = np.tile([-1.0, 1.0], len(signs))
        signs = np.column_stack([signs.repeat(2, axis=0), answers])
        known = Evidence.without_plans(features, signs)
        imagined = fit_naive(known, settings.tau, naive.repeat(2, axis=0)[:, None], fit)
        naive = imagined.mean
        converged &= imagined.fit.converged.reshape(batch, -1).all(-1)
        if step == 0:
            after_first = naive
        nodes = (batch, len(features) // batch, count, dimension)
        node_arms = np.broadcast_to(arms[:, None], nodes).reshape(-1, count, dimension)
        p = best_arm(imagined, node_arms, draws.first(max(FEWEST_POINTS, draws.points.shape[1] >> step)))
        asked = (p[:, None] @ node_arms)[:, 0]
        weight = settings.gamma**step / settings.horizon
        sums, shares = sums.repeat(2, axis=0) + weight * asked, shares.repeat(2, axis=0) + weight * p
    return Ahead(
        sums.reshape(batch, 2, -1, dimension),
        shares.reshape(batch, 2, -1, count),
        after_first.reshape(batch, 2, dimension),
        converged,
    )
