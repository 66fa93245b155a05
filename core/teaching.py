"""The teaching Markov decision process: what a planning teacher sees ahead (sections 3.2 to 3.4).

The teacher imagines a naive learner that asks by Thompson sampling.  After an answer y, the learner updates
its posterior and asks about arm k with probability p_k, so the expected features of its next question are
X'p.  One step of planning compares X'p after a yes with X'p after a no.  To plan further, the learner is
imagined to ask about that *virtual arm* X'p and to get a second answer, and so on: 2^(T-1) trajectories
follow each first answer.  With S = sum over steps of gamma^(t-1) X'p / T on each trajectory, the value of
an answer at any theta is

    Q*(y; theta) = max over the trajectories that start with y of theta'S.

The sums S do not depend on theta, so they are computed once per question and kept.

Each step has twice the nodes of the step before and half the points for each node.  Since S is the mean of T
steps, its error is still no larger than with one step (the variance is (2^T - 1) / T^2 of that, 15/16 for
T = 4), and planning T steps takes T times as long as planning one, not 2^T times.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.evidence import Evidence, repeated
from core.posterior import fit_naive
from core.thompson import PriorDraws, thompson_probabilities

__all__ = ["Ahead", "look_ahead"]

FEWEST_POINTS = 64  # at any depth


@dataclass(frozen=True)
class Ahead:
    """What follows a question, for a batch of histories."""

    sums: Tensor  # (B, 2, J, M): by first answer (no, yes) and trajectory
    naive: Tensor  # (B, 2, M): the imagined naive learner's mean after either answer
    converged: Tensor  # (B,): did all fits of the imagined learner converge?

    def repeat(self, times: int) -> Ahead:
        """Each element of the batch ``times`` times, side by side."""
        converged = repeated(self.converged, times)
        return Ahead(repeated(self.sums, times), repeated(self.naive, times), converged)

    def advantage(self, theta: Tensor) -> Tensor:
        """Q*(1) - Q*(0), (B,), for a teacher whose weights are ``theta`` (B, M)."""
        best = (self.sums @ theta[:, None, :, None]).squeeze(-1).amax(-1)
        return best[:, 1] - best[:, 0]

    def advantages(self, theta: Tensor) -> Tensor:
        """Q*(1) - Q*(0), (B, T), for T teachers whose weights are ``theta`` (B, M, T)."""
        best = (self.sums @ theta.unsqueeze(1)).amax(2)
        return best[:, 1] - best[:, 0]

    @property
    def contrast(self) -> Tensor:
        """How far apart a yes and a no lead, (B,): |S(1) - S(0)|, each S a mean over trajectories."""
        means = self.sums.mean(2)
        length: Tensor = torch.linalg.vector_norm(means[:, 1] - means[:, 0], dim=-1)
        return length


def look_ahead(
    arms: Tensor,  # (B, K, M)
    evidence: Evidence,  # the answers so far
    asked: Tensor,  # (B, M): features of the question that is open
    naive: Tensor,  # (B, M): the naive learner's mean before it
    draws: PriorDraws,  # of one learner for all, or of B learners
    *,
    tau: float,
    horizon: int,
    gamma: float,
    fit: str,
) -> Ahead:
    """Imagine all answers to the open question and to the ``horizon - 1`` virtual ones after it."""
    batch = len(arms)
    features, signs = evidence.features, evidence.signs
    total = torch.zeros_like(asked)
    after_first = naive
    converged = torch.ones(batch, dtype=torch.bool)
    for step in range(horizon):
        # Every node gets two children, no and yes, side by side.
        features = repeated(torch.cat([features, asked.unsqueeze(1)], 1), 2)
        answers = torch.tensor([-1.0, 1.0], dtype=signs.dtype).repeat(len(signs)).unsqueeze(1)
        signs = torch.cat([repeated(signs, 2), answers], 1)
        known = Evidence.without_plans(features, signs)
        imagined = fit_naive(known, tau, repeated(naive, 2).unsqueeze(1), fit)
        naive = imagined.mean
        converged &= imagined.fit.converged.reshape(batch, -1).all(-1)
        if step == 0:
            after_first = naive
        node_arms = repeated(arms, len(features) // batch)
        share = draws.first(max(FEWEST_POINTS, draws.points.shape[1] >> step))
        p = thompson_probabilities(imagined, node_arms, share)
        asked = (p.unsqueeze(-2) @ node_arms).squeeze(-2)
        total = repeated(total, 2) + gamma**step * asked
    dimension = arms.shape[-1]
    sums = (total / horizon).reshape(batch, 2, -1, dimension)
    return Ahead(sums, after_first.reshape(batch, 2, dimension), converged)
