"""Simulated teachers: the chance that each kind says yes.

A teacher knows the target, so it knows the reward of every arm: its word's similarity to the target
(clamped, so that the log-odds are finite).  A person also remembers the round (core.people).  Each kind is
one class that says how it answers.  A planning teacher steers an imagined naive learner: it looks ahead and
compares Q* after a yes and after a no
(core.teaching).  Q* is linear in the weights theta of the rewards' log-odds, X theta = log-odds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.kinds import Kinds
from core.people import People, Person
from core.recall import NEVER, Recall
from core.rewards import clamped, log_odds
from core.settings import Settings

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Persons:
    """Who answers a batch of questions, where people do: all (B,), or everyone whom it may be, (G, H)."""

    people: People
    ready: Array
    again: Array
    relevance: Array  # of the arm that is asked about


@dataclass(frozen=True, eq=False)
class PosedQuestion:
    """A question to a batch of teachers who know their target."""

    number: int  # of the question in its round, from 1
    rewards: Array  # (B,), of the arm that is asked about
    is_target: NDArray[np.bool_]  # (B,)
    last: NDArray[np.int8]  # (B,), the last answer about this arm in the round: 1, 0 or core.recall.NEVER
    found: NDArray[np.bool_]  # (B,): has the target been asked about?
    beta: float  # the optimality of teachers who plan
    advantage: Array | None = None  # (B,): Q*(1) - Q*(0), where the kind plans
    persons: Persons | None = None  # where the kind is a person


class SimulatedKind(ABC):
    """How one kind of simulated teacher answers."""

    name: str  # as users write it
    letter: str | None = None  # in the names of simulated pairs, such as P-M; None: in no pair
    sentence: str  # for the help of a command, after its name: "says yes at random, half of the time"
    plans: bool = False  # does it look ahead?
    is_person: bool = False  # is each teacher a person, with parameters of their own?

    @abstractmethod
    def chances(self, question: PosedQuestion) -> Array:
        """The chance of a yes, (B,)."""


SIMULATED: Kinds[SimulatedKind] = Kinds("simulated teacher")


class Naive(SimulatedKind):
    """Says yes with a probability equal to the reward (equation 1)."""

    name = "naive"
    letter = "N"
    sentence = "says yes with a probability equal to the reward"

    def chances(self, question: PosedQuestion) -> Array:
        return question.rewards


SIMULATED.add(Naive())


class Planning(SimulatedKind):
    """Says yes with the chance sigma(beta (Q*(1) - Q*(0))) (equations 3 and 4)."""

    name = "planning"
    letter = "P"
    sentence = "answers so as to steer the learner towards the target"
    plans = True

    def chances(self, question: PosedQuestion) -> Array:
        from scipy.special import expit

        assert question.advantage is not None, "a planning teacher looks ahead"
        return np.asarray(expit(question.beta * question.advantage))


SIMULATED.add(Planning())


class Random(SimulatedKind):
    """Tosses a coin."""

    name = "random"
    letter = "R"
    sentence = "says yes at random, half of the time"

    def chances(self, question: PosedQuestion) -> Array:
        return np.full(len(question.rewards), 0.5)


SIMULATED.add(Random())


class AsPerson(SimulatedKind):
    """Answers as people do, with memory (core.people)."""

    name = "person"
    letter = "H"
    sentence = "answers as people do: a similar word gets a yes once, the target every time"
    is_person = True

    def chances(self, question: PosedQuestion) -> Array:
        persons = question.persons
        assert persons is not None
        return persons.people.chances(
            question.number,
            ready=persons.ready,
            again=persons.again,
            relevance=persons.relevance,
            is_target=question.is_target,
            last=question.last,
            found=question.found,
        )


SIMULATED.add(AsPerson())


class SimulatedTeacher:
    """One simulated teacher in one round.

    kind       one of ``SIMULATED``, by name
    arms       (K, M) features
    rewards    (K,), the reward of each arm; the best one is the target
    settings   how the teacher plans: beta, tau, horizon, gamma, samples and seed
    people     how people answer, for the kind "person"; by default, as in the published study
    person     who answers, for the kind "person"; by default somebody whom nobody knows: the chances are
               then those of a person drawn anew for this round, given the answers so far
    """

    def __init__(
        self,
        kind: str,
        arms: Array,
        rewards: Array,
        settings: Settings,
        people: People | None = None,
        person: Person | None = None,
    ) -> None:
        self._kind = SIMULATED[checks.one_of("the kind of teacher", kind, SIMULATED.names)]
        self._rewards = clamped(checks.rewards_of_arms(rewards))
        self._target = int(np.argmax(rewards)) if person is None else person.target
        if self._rewards[self._target] < self._rewards.max():
            raise SettingError("this person has another target in mind than the arm with the highest reward")
        self._beta = settings.beta
        self._planner = _Planner(arms, self._rewards, settings) if self._kind.plans else None
        self._person = person
        self._unknown: People | None = None
        if self._kind.is_person and person is None:
            self._unknown = people or People.default()
            (self._relevance,) = self._unknown.relevance(self._rewards[None], np.array([self._target]))

    def chance(self, history: Sequence[tuple[int, int]], arm: int) -> float:
        """The chance of a yes to the question about ``arm`` after ``history``, pairs (arm, answer)."""
        count = len(self._rewards)
        history, arm = checks.history(history, count), checks.whole("the arm", arm, 0, count - 1)
        if self._unknown is None:
            return float(self._chances(history, arm)[0])
        weights = self._unknown.grid()[2]  # who it is, is integrated out given the answers so far
        for number, (asked, answer) in enumerate(history):
            chances = self._chances(history[:number], asked)
            weights = weights * (chances if answer else 1 - chances)
        return float((weights * self._chances(history, arm)).sum() / weights.sum())

    def _chances(self, history: Sequence[tuple[int, int]], arm: int) -> Array:
        """The chance of a yes, (1,), or from everyone on the grid of people, (G, H)."""
        last = Recall.of(history, len(self._rewards)).last
        persons = None if self._person is None else persons_asked([self._person], np.array([arm]))
        if self._unknown is not None:
            ready, again, _ = self._unknown.grid()
            persons = Persons(self._unknown, ready, again, self._relevance[arm : arm + 1])
        question = PosedQuestion(
            number=len(history) + 1,
            rewards=self._rewards[arm : arm + 1],
            is_target=np.array([arm == self._target]),
            last=last[:, arm],
            found=last[:, self._target] != NEVER,
            beta=self._beta,
            advantage=None if self._planner is None else self._planner.advantage(history, arm),
            persons=persons,
        )
        return self._kind.chances(question)


def persons_asked(persons: Sequence[Person], arm: NDArray[np.intp]) -> Persons:
    """A batch of persons of one population, each asked about an arm (B,)."""
    people = persons[0].people
    if any(person.people is not people and person.people != people for person in persons):
        raise ValueError("the persons of a batch must be of the same people")
    return Persons(
        people,
        np.array([person.ready for person in persons]),
        np.array([person.again for person in persons]),
        np.array([person.relevance[k] for person, k in zip(persons, arm, strict=True)]),
    )


class _Planner:
    """What a planning teacher looks ahead with: one round, one question at a time."""

    def __init__(self, arms: Array, rewards: Array, settings: Settings) -> None:
        from core.thompson import PriorDraws

        self._odds = log_odds(rewards)[None]
        self._X = checks.arms(arms)[None]
        if len(self._X[0]) != len(rewards):
            raise SettingError(f"there are {len(rewards)} rewards for {len(self._X[0])} arms")
        self._draws = PriorDraws.of(self._X[0], settings.samples, settings.seed)
        self._settings = settings

    def advantage(self, history: Sequence[tuple[int, int]], arm: int) -> Array:
        """Q*(1) - Q*(0) of a yes and a no to ``arm``, (1,)."""
        from core.likelihoods import Evidence
        from core.teaching import look_ahead

        asked = [index for index, _ in history]
        signs = np.array([[2.0 * answer - 1.0 for _, answer in history]])
        ahead = look_ahead(
            self._X,
            Evidence.without_plans(self._X[:, asked], signs),
            self._X[:, arm],
            np.zeros((1, self._X.shape[2])),
            self._draws,
            self._settings,
            "converged",
        )
        return ahead.advantage(self._odds)
