"""The learner: asks about an arm, hears yes or no, and asks again.

A learner is a pure function of its arms, settings, seed and history.  ``tell`` returns a new state and
changes nothing, so a study can compute both next states while a person thinks, resume from a log, or
replay it.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import checks
from core.errors import SettingError
from core.inference import Inference, Inferred, Memory, OverWeights
from core.people import People
from core.posterior import Posterior
from core.randomness import stream
from core.selection import Choice, choose
from core.settings import Settings
from core.targets import OverTargets, TargetsMemory
from core.teachers import TEACHERS
from core.thompson import PriorDraws
from core.version import digest


@dataclass(frozen=True)
class FitReport:
    """How well the fit behind a state converged.  A belief over targets is exact."""

    converged: bool  # is the gradient at most 1e-8?
    gradient: float  # its largest absolute entry
    iterations: int  # over all starting points
    bent: float  # how far the Hessian was bent to make it positive definite; 0 if it already was
    log_density: float  # the unnormalised log posterior at the maximum found; for targets, the log evidence


@dataclass(frozen=True, eq=False)
class State:
    """What a learner knows, and the question it asks now."""

    history: tuple[tuple[int, int], ...]  # (arm, answer), oldest first
    arm: int  # the question it asks now
    gap: float  # by how much its score beats every other arm's; 0 for a tie; inf for a first question
    scores: NDArray[np.float64]  # (K,), the scores that it was chosen by; all 0 for a first question
    mean: NDArray[np.float64] | None  # (M,), posterior of theta; None for a belief over targets
    targets: NDArray[np.float64] | None  # (T,), of each target, the probability; None for weights
    alpha: float | None  # E[alpha], where the teacher model has one
    fit: FitReport
    _owner: str = field(repr=False)  # the fingerprint of the learner
    _memory: Memory | TargetsMemory = field(repr=False)
    _posterior: Posterior | None = field(repr=False)

    @cached_property
    def cov(self) -> NDArray[np.float64] | None:
        """(M, M), the covariance of the posterior of theta; None for a belief over targets."""
        return None if self._posterior is None else _frozen(self._posterior.cov[0])

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of the state, to compare with ``same_digest``."""
        alpha = [] if self.alpha is None else [self.alpha]
        known = self.mean if self.mean is not None else self.targets
        assert known is not None
        return digest(self.history, self.arm, np.concatenate([known, alpha]))


class Learner:
    """A Bayesian bandit that asks about arms and models who answers.

    arms       (K, M) features, 2 to 2,000 arms
    teacher    the model of who answers: "naive", "planning", "mixture", or "person" (for targets only)
    belief     what the learner is uncertain about: its "weights" (the paper), or which arm is the target
               ("targets")
    selection  how the next arm is chosen: "bayes-ucb", "thompson", "greedy" or "explore-first"
    beta       optimality of the planning teacher
    tau        prior standard deviation of the weights
    horizon    how many questions ahead the planning teacher plans
    gamma      how much each of them counts, relative to the one before
    samples    points for what a planning teacher sees ahead, rounded up to a power of 2 (2 to 4 times as many
               with more than 64 arms, or more arms than features, where a point costs less)
    fit        "converged", or "published" for the fixed gradient steps of the published study
    seed       of everything random: the same seed and answers give the same questions, so give
               every round its own seed
    people     how people answer, for teacher="person" (others don't use it); by default, as in the published
               study
    rewards    (T, K), the reward of every arm under every target, for belief="targets"; by default the arms
               themselves, where they are a square table of likenesses

    To add a teacher model, write one class in core/teachers.py and add it to ``TEACHERS``.  To add a
    selection rule, do the same in core/selection.py with ``SELECTIONS``.  Nothing else needs to change:
    settings, study files, simulations and the contract tests find it by its name.  core/README.md has
    complete examples.
    """

    def __init__(
        self,
        arms: ArrayLike,
        teacher: str = "mixture",
        belief: str = "weights",
        selection: str = "bayes-ucb",
        beta: float = 20.0,
        tau: float = 2.0,
        horizon: int = 1,
        gamma: float = 1.0,
        samples: int = 1000,
        fit: str = "converged",
        seed: int = 0,
        people: People | None = None,
        rewards: ArrayLike | None = None,
    ) -> None:
        self.arms = checks.arms(arms)
        self.settings = Settings(teacher, belief, selection, beta, tau, horizon, gamma, samples, fit, seed)
        self.rewards: NDArray[np.float64] | None = None
        self.people: People | None = None
        self._X = self.arms[None]
        self._inference: Inference[Any]
        if belief == "weights":
            if rewards is not None:
                raise SettingError("rewards are for belief 'targets'; leave them out, or set the belief")
            self._inference = OverWeights(self.settings)
        else:
            self._inference = self._over_targets(rewards, people)

    def _over_targets(self, rewards: ArrayLike | None, people: People | None) -> OverTargets:
        model = TEACHERS[self.settings.teacher]
        self.rewards = _checked_rewards(rewards, self.arms)
        if people is not None and not isinstance(people, People):
            problem = f"people is {type(people).__name__}; it must be a core.People"
            raise SettingError(f"{problem}: use People.from_mapping for what studyapp people fit wrote")
        if model.of_people:
            self.people = people or People.default()
        return OverTargets(self.settings, self.rewards[None], self.people or People.default())

    def with_seed(self, seed: int) -> Learner:
        """The same learner with another seed, at no cost: all that does not depend on the seed is shared."""
        other = copy.copy(self)
        vars(other)["_kin"] = self._kin  # hashed once, for all of them
        other.settings = replace(self.settings, seed=seed)
        for cached in ("_fingerprint", "_draws"):
            vars(other).pop(cached, None)
        return other

    @cached_property
    def _fingerprint(self) -> str:
        return f"{self._kin} {self.settings.seed}"

    @cached_property
    def _kin(self) -> str:
        """A hash of everything but the seed."""
        about = f"{replace(self.settings, seed=0)} {self.arms.shape} {self.people and self.people.sha256}"
        rewards = b"" if self.rewards is None else self.rewards.tobytes()
        return hashlib.sha256(about.encode() + self.arms.tobytes() + rewards).hexdigest()

    @cached_property
    def _draws(self) -> PriorDraws:
        return PriorDraws.of(self._X[0], self.settings.samples, self.settings.seed)

    def begin(self, first: int | None = None) -> State:
        """Start a round; ``first`` is the first arm to ask about, or None to draw one."""
        K, M = self.arms.shape
        arm = (
            stream(self.settings.seed, "first").integer(K)
            if first is None
            else checks.whole("first", first, 0, K - 1)
        )
        blank = self._inference.blank(1, M)
        (state,) = _states([self], [()], blank, [Choice(arm, math.inf, np.zeros(K))])
        return state

    def tell(self, state: State, answer: int) -> State:
        """The state after ``answer`` (1 for yes, 0 for no) to the question that ``state`` asks."""
        return self._tell(state, [checks.answer(answer)])[0]

    def tell_both(self, state: State) -> tuple[State, State]:
        """The states after a no and after a yes, in little more time than one of them takes."""
        no, yes = self._tell(state, [0, 1])
        return no, yes

    def condition(self, history: Iterable[tuple[int, int]]) -> State:
        """The state after a history that someone else chose."""
        pairs = checks.history(history, len(self.arms))
        if not pairs:
            return self.begin()
        memory = self._inference.blank(1, self.arms.shape[1])
        for arm, answer in pairs:
            if self.settings.fit == "published":  # each fit starts where the last one stopped
                _, memory = self._inference.inferred(memory, self._X)
            memory = self._remember(memory, arm, [answer])
        return _states([self], [pairs], memory)[0]

    def _tell(self, state: State, answers: list[int]) -> list[State]:
        self._check_own(state)
        memory = self._remember(state._memory, state.arm, answers)
        histories = [(*state.history, (state.arm, answer)) for answer in answers]
        return _states([self] * len(answers), histories, memory)

    def _check_own(self, state: State) -> None:
        if state._owner != self._fingerprint:
            problem = "this state belongs to a learner with other arms or settings"
            raise SettingError(f"{problem}; use the learner that it came from")

    def _remember(self, memory: Any, arm: int, answers: list[int]) -> Any:
        """From the memory of one history, a batch: one memory for each of these answers to ``arm``."""
        count = len(answers)
        ahead = None
        if self._inference.model.plans:
            asked = self._X[:, arm]
            ahead = self._inference.look_ahead(memory, self._X, asked, self._draws).repeat(count)
        return self._inference.remember(
            memory.repeat(count),
            _each(self._X, count),
            np.full(count, arm),
            np.array(answers),
            ahead,
        )


def tell_each(learners: Sequence[Learner], states: Sequence[State], answers: Sequence[int]) -> list[State]:
    """What ``learner.tell(state, answer)`` gives for each of them, in little more time than for one.

    The learners may differ only in their seeds, and all states must have equally many answers.
    """
    one = learners[0]
    for learner, state in zip(learners, states, strict=True):
        learner._check_own(state)
        if learner._kin != one._kin:
            raise SettingError("learners that are told together may differ only in their seeds")
        if len(state.history) != len(states[0].history):
            raise SettingError("states that are told together must have equally many answers")
    given = [checks.answer(answer) for answer in answers]
    memories: list[Any] = [state._memory for state in states]
    memory = memories[0].together(memories)
    asked = np.array([state.arm for state in states])
    arms = _each(one._X, len(states))
    ahead = None
    if one._inference.model.plans:
        draws = PriorDraws.together([learner._draws for learner in learners])
        ahead = one._inference.look_ahead(memory, arms, one._X[0, asked], draws)
    memory = one._inference.remember(memory, arms, asked, np.array(given), ahead)
    histories = [(*state.history, (state.arm, answer)) for state, answer in zip(states, given, strict=True)]
    return _states(learners, histories, memory)


def _states(
    learners: Sequence[Learner],
    histories: Sequence[tuple[tuple[int, int], ...]],
    memory: Any,
    choices: Sequence[Choice] | None = None,
) -> list[State]:
    """The states of a batch of learners that differ only in their seeds."""
    one, count = learners[0], len(histories)
    inferred, memory = one._inference.inferred(memory, _each(one._X, count))
    if choices is None:
        seeds = [learner.settings.seed for learner in learners]
        choices = choose(one.settings.selection, inferred.belief, len(histories[0]) + 1, seeds)
    posterior = inferred.posterior
    return [
        State(
            history=history,
            arm=choice.arm,
            gap=choice.gap,
            scores=_frozen(choice.scores),
            mean=None if posterior is None else _frozen(posterior.mean[i]),
            targets=None if inferred.targets is None else _frozen(inferred.targets[i]),
            alpha=None if inferred.alpha is None else float(inferred.alpha[i]),
            fit=_report(inferred, i),
            _owner=learner._fingerprint,
            _memory=memory.only(i),
            _posterior=None if posterior is None else posterior.only(i),
        )
        for i, (learner, history, choice) in enumerate(zip(learners, histories, choices, strict=True))
    ]


def _checked_rewards(rewards: ArrayLike | None, arms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rewards that were given or, by default, the arms, where they are a square table of likenesses."""
    K, M = arms.shape
    if rewards is not None:
        return checks.rewards(rewards, K)
    if K == M and arms.min() >= 0 and arms.max() <= 1 + 1e-9 and np.allclose(arms.diagonal(), 1, atol=1e-6):
        return arms
    raise SettingError(
        "belief 'targets' needs the reward of every arm under every target, and these arms are not a square "
        "table of likenesses from 0 to 1; pass rewards=, with one row per target and one column per arm"
    )


def _report(inferred: Inferred, i: int) -> FitReport:
    value, posterior = float(inferred.log_density[i]), inferred.posterior
    if posterior is None:
        return FitReport(converged=True, gradient=0.0, iterations=0, bent=0.0, log_density=value)
    return FitReport(
        converged=bool(posterior.fit.converged[i]),
        gradient=float(posterior.fit.gradient[i]),
        iterations=int(posterior.fit.iterations[i]),
        bent=float(posterior.bent[i]),
        log_density=value,
    )


def _each(arms: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The same arms (1, K, M) for a batch of learners, without a copy."""
    return np.broadcast_to(arms, (count, *arms.shape[1:]))


def _frozen(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.array(numbers)
    array.flags.writeable = False
    return array
