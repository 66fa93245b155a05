"""The learner: asks about arms, is told yes or no, and asks again.

A learner is a pure function of its arms, settings, seed and history.  ``tell`` returns a new
state and changes nothing, so a study can work out both next states while a person thinks, resume
from a log, or replay it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core import checks
from core.digest import digest
from core.errors import SettingError
from core.posterior import Posterior, fit_posterior
from core.randomness import stream
from core.selection import Choice, choose
from core.settings import Settings
from core.teachers import TEACHERS, Evidence
from core.teaching import look_ahead
from core.thompson import thompson_points

__all__ = ["FitReport", "Learner", "State"]


@dataclass(frozen=True)
class FitReport:
    """How the fit behind a state went."""

    converged: bool  # is the gradient at most 1e-8?
    gradient: float  # its largest entry, in size
    iterations: int  # over all starting points
    bent: float  # how far the Hessian had to be bent to be positive definite; 0 if it was
    log_density: float  # the unnormalised log posterior at the maximum found


@dataclass(frozen=True, eq=False)
class State:
    """What a learner knows and asks at one moment."""

    history: tuple[tuple[int, int], ...]  # (arm, answer), oldest first
    arm: int  # the question now asked
    gap: float  # by how much its score beat every other arm's; 0 for a tie; inf where none competed
    scores: NDArray[np.float64]  # (K,), by which it was chosen; of a round's first question, all 0
    mean: NDArray[np.float64]  # (M,), posterior of theta
    cov: NDArray[np.float64]  # (M, M)
    alpha: float | None  # E[alpha], where the teacher model has one
    fit: FitReport
    _memory: _Memory = field(repr=False)

    @cached_property
    def digest(self) -> str:
        alpha = [] if self.alpha is None else [self.alpha]
        return digest(self.history, self.arm, np.concatenate([self.mean, alpha]))


@dataclass(frozen=True)
class _Memory:
    """What a state keeps for the next: a batch of one."""

    owner: str  # fingerprint of the learner
    evidence: Evidence
    naive: Tensor  # (1, M), mean of the (imagined) naive learner
    at: Tensor  # (1, P), where the last fit ended

    def only(self, i: int, at: Tensor) -> _Memory:
        """Element i alone, after a fit that ended at ``at``."""
        return _Memory(self.owner, self.evidence.only(i), self.naive[i : i + 1], at[i : i + 1])


class Learner:
    """A Bayesian logistic bandit that asks about arms and models who answers.

    arms       (K, M) features, 2 to 10,000 arms
    teacher    who answers: "naive", "planning" or "mixture"
    selection  how the next arm is chosen: "bayes-ucb", "thompson" or "greedy"
    beta       the planning teacher's optimality
    tau        prior standard deviation of the weights
    horizon    how many questions the planning teacher plans for
    gamma      how much each of these counts for, next to the one before
    samples    of the Thompson probabilities: quasi-random points, rounded up to a power of 2
               (four times as many with more arms than features, where each is cheaper)
    fit        "converged", or "published" for the fixed gradient steps of the published study
    seed       of everything random; the same seed and answers give the same questions, so
               give every round a seed of its own: two rounds of one seed share their draws
    """

    def __init__(
        self,
        arms: ArrayLike,
        teacher: str = "mixture",
        selection: str = "bayes-ucb",
        beta: float = 20.0,
        tau: float = 2.0,
        horizon: int = 1,
        gamma: float = 1.0,
        samples: int = 1000,
        fit: str = "converged",
        seed: int = 0,
    ) -> None:
        self.arms = checks.arms(arms)
        self.settings = Settings(teacher, selection, beta, tau, horizon, gamma, samples, fit, seed)
        self._X = torch.tensor(self.arms).unsqueeze(0)
        self._model = TEACHERS[teacher]

    @cached_property
    def _fingerprint(self) -> str:
        about = f"{self.settings} {self.arms.shape}"
        return hashlib.sha256(about.encode() + self.arms.tobytes()).hexdigest()

    @cached_property
    def _points(self) -> Tensor:
        K, M = self.arms.shape
        return thompson_points(K, M, self.settings.samples, self.settings.seed)

    @torch.inference_mode()
    def begin(self, first: int | None = None) -> State:
        """The start of a round; ``first`` is the arm asked first, or None to draw one."""
        K, M = self.arms.shape
        arm = (
            stream(self.settings.seed, "first").integer(K)
            if first is None
            else checks.whole("first", first, 0, K - 1)
        )
        (state,) = self._states([()], self._blank(M), [Choice(arm, math.inf, np.zeros(K))])
        return state

    def tell(self, state: State, answer: int) -> State:
        """The state after ``answer`` (1 for yes, 0 for no) to the question that ``state`` asks."""
        return self._tell(state, [checks.answer(answer)])[0]

    def tell_both(self, state: State) -> tuple[State, State]:
        """The states after a no and after a yes, in little more time than one of them takes."""
        no, yes = self._tell(state, [0, 1])
        return no, yes

    @torch.inference_mode()
    def condition(self, history: Iterable[tuple[int, int]]) -> State:
        """The state after a history that someone else chose."""
        pairs = checks.history(history, len(self.arms))
        if not pairs:
            return self.begin()
        memory = self._blank(self.arms.shape[1])
        for arm, answer in pairs:
            if self.settings.fit == "published":  # each fit starts where the last one stopped
                memory = replace(memory, at=self._posterior(memory).fit.at)
            memory = self._remember(memory, arm, [answer])
        return self._states([pairs], memory)[0]

    @torch.inference_mode()
    def _tell(self, state: State, answers: list[int]) -> list[State]:
        if state._memory.owner != self._fingerprint:
            raise SettingError("this state is of a learner with other arms or settings; tell it to that one")
        memory = self._remember(state._memory, state.arm, answers)
        return self._states([(*state.history, (state.arm, answer)) for answer in answers], memory)

    def _blank(self, dimension: int) -> _Memory:
        zero = torch.zeros(1, dimension, dtype=torch.float64)
        at = torch.zeros(1, dimension + self._model.has_alpha, dtype=torch.float64)
        trajectories = 2 ** (self.settings.horizon - 1) if self._model.plans else 0
        return _Memory(self._fingerprint, Evidence.none(1, dimension, trajectories), zero, at)

    def _remember(self, memory: _Memory, arm: int, answers: list[int]) -> _Memory:
        """Memory of one history (a batch of one) and each of ``answers`` to ``arm`` (a batch of them)."""
        asked = self._X[:, arm]
        naive, sums = memory.naive, asked.new_zeros(1, 2, 0, asked.shape[1])
        if self._model.plans:
            ahead = look_ahead(
                self._X,
                memory.evidence,
                asked,
                naive,
                self._points,
                tau=self.settings.tau,
                horizon=self.settings.horizon,
                gamma=self.settings.gamma,
                fit=self.settings.fit,
            )
            naive, sums = ahead.naive[0, answers], ahead.sums
        many = len(answers)
        signs = torch.tensor(answers, dtype=torch.float64) * 2.0 - 1.0
        evidence = memory.evidence.repeat(many).and_also(
            asked.expand(many, -1), signs, sums.expand(many, -1, -1, -1)
        )
        return _Memory(self._fingerprint, evidence, naive.expand(many, -1), memory.at.expand(many, -1))

    def _posterior(self, memory: _Memory) -> Posterior:
        return fit_posterior(
            self._model,
            memory.evidence,
            beta=self.settings.beta,
            tau=self.settings.tau,
            start=memory.at.unsqueeze(1) if self.settings.fit == "published" else self._starts(memory.naive),
            fit=self.settings.fit,
        )

    def _starts(self, naive: Tensor) -> Tensor:
        """Where to climb from, (B, S, P): a concave density has one top, others may have several.

        It depends on the history alone and not on earlier fits, so that a history gives the same
        posterior however it came about.
        The highest top found need not be the highest there is: on the study's words with beta 20 it
        nearly always is, with beta 200 and random answers often not.
        """
        zero = torch.zeros_like(naive)
        if not self._model.plans or (self.settings.horizon == 1 and not self._model.has_alpha):
            return zero.unsqueeze(1)
        thetas = torch.stack([zero, naive], 1)
        if not self._model.has_alpha:
            return thetas
        return torch.cat([thetas, torch.zeros_like(thetas[..., :1])], -1)

    def _states(
        self,
        histories: Sequence[tuple[tuple[int, int], ...]],
        memory: _Memory,
        choices: Sequence[Choice] | None = None,
    ) -> list[State]:
        posterior = self._posterior(memory)
        if choices is None:
            many, question = len(histories), len(histories[0]) + 1
            choices = choose(
                self.settings.selection,
                posterior,
                self._X.expand(many, -1, -1),
                question,
                [self.settings.seed] * many,
            )
        fit = posterior.fit
        cov = posterior.cov
        return [
            State(
                history=history,
                arm=choice.arm,
                gap=choice.gap,
                scores=_frozen(choice.scores),
                mean=_frozen(posterior.mean[i]),
                cov=_frozen(cov[i]),
                alpha=None if posterior.alpha is None else float(posterior.alpha[i]),
                fit=FitReport(
                    converged=bool(fit.converged[i]),
                    gradient=float(fit.gradient[i]),
                    iterations=int(fit.iterations[i]),
                    bent=float(posterior.bent[i]),
                    log_density=float(fit.value[i]),
                ),
                _memory=memory.only(i, fit.at),
            )
            for i, (history, choice) in enumerate(zip(histories, choices, strict=True))
        ]


def _frozen(numbers: Tensor | NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.array(numbers.numpy() if isinstance(numbers, Tensor) else numbers)
    array.flags.writeable = False
    return array
