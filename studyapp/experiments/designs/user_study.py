"""Simulated people in the published user study (section 4.3, supplement G).

A replication is one study of ten people, each of whom plays a round for every target.  The ten agree on the
relevance of words beyond their likeness (core.people).  That is only partly known, so every study draws it
anew, and intervals over studies cover it as well as who takes part.  All series share the people, their first
questions and the luck behind their answers.

A record holds what was asked and answered; everything that is measured follows from that and from the
likenesses of the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.people import People
from core.randomness import stream
from core.rewards import clamped
from core.settings import Settings
from core.simulation import simulate
from core.vocabulary import Vocabulary
from core.worlds import World, rounds_of
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.designs.design import Design, Measure, Record, Work

WORDS = "study20"
PRACTICE = "cat"  # the target of the practice rounds, which do not count
PARTICIPANTS, TARGETS, QUESTIONS = 10, 19, 15
SLOWEST_FIRST = ("H-M", "H-HT", "H-N")


@cache
def _likeness() -> NDArray[np.float64]:
    """The likeness of every two words, (K, K)."""
    return Vocabulary.load(WORDS).features()


@cache
def _people() -> People:
    """Those who answer, and whom learners that model people expect."""
    return People.default().among(Vocabulary.load(WORDS).words)


def _rounds(record: Record) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The reward of every question, and whether it was about the target: both (rounds, questions)."""
    asked = np.asarray(record["asked"])
    targets = np.resize(np.array(record["targets"]), len(asked))[:, None]  # the same again for each person
    return clamped(_likeness())[targets, asked], asked == targets


def _later(about_target: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The questions after the first one about the target."""
    return (about_target.cumsum(1) - about_target) > 0


def _reward(record: Record) -> NDArray[np.float64]:
    return np.asarray(_rounds(record)[0].mean(0).cumsum())


def _found(record: Record) -> NDArray[np.float64]:
    return np.asarray((_rounds(record)[1].cumsum(1) > 0).mean(0))


def _to_find(record: Record) -> list[float]:
    """Questions up to the first about the target; one more than there are where it was never asked about."""
    searching = _rounds(record)[1].cumsum(1) == 0
    return [float(searching.sum(1).mean()) + 1]


def _staying(record: Record) -> list[float]:
    """Of the questions after the first about the target, the share about the target again; 0 without any."""
    about_target = _rounds(record)[1]
    later = _later(about_target)
    return [float(about_target[later].mean()) if later.any() else 0.0]


def _once_found(record: Record) -> list[float]:
    """What a round earns after the first question about its target."""
    rewards, about_target = _rounds(record)
    return [float((rewards * _later(about_target)).sum(1).mean())]


REWARD = Measure("cumulative reward", _reward, step="question", digits=2)
FOUND = Measure("found", _found, step="question")
TO_FIND = Measure("questions to find", _to_find, digits=2)
STAYING = Measure("staying", _staying)
ONCE_FOUND = Measure("reward once found", _once_found, digits=2)


@dataclass(frozen=True, eq=False)
class UserStudy(Design):
    """Simulated people in the published protocol."""

    fit: str = "converged"
    selection: str = "bayes-ucb"
    participants: int = PARTICIPANTS
    targets: int = TARGETS  # for each participant
    questions: int = QUESTIONS  # in each round
    samples: int = 1000
    seed: int = 0

    name = "user study"
    series = ("H-N", "H-M", "H-HT")
    measures = (REWARD, FOUND, TO_FIND, STAYING, ONCE_FOUND)

    def __post_init__(self) -> None:
        checks.whole("--seed", self.seed, -(2**63), 2**63 - 1)

    @property
    def learner(self) -> Settings:
        """The settings of the learners; a pair says which teacher model and belief they have."""
        return Settings(selection=self.selection, fit=self.fit, samples=self.samples)

    def settings(self) -> dict[str, Any]:
        learner = self.learner
        return {
            "kind": self.name,
            "words": len(_likeness()),
            "likeness": Dataset(WORDS, _likeness()).sha256,
            "participants": self.participants,
            "targets": self.targets,
            "rounds": self.participants * self.targets,
            "questions": self.questions,
            "people": _people().sha256,
            "selection": learner.selection,
            "beta": learner.beta,
            "tau": learner.tau,
            "samples": learner.samples,
            "fit": learner.fit,
            "seed": self.seed,
        }

    def worlds(self, study: int) -> list[World]:
        """The rounds of one study, person by person."""
        seed = stream(self.seed, "study", study).integer(2**52)
        return [
            one
            for person in range(self.participants)
            for one in rounds_of(
                person,
                _likeness(),
                _people(),
                targets=self._targets,
                questions=self.questions,
                seed=seed,
            )
        ]

    @property
    def _targets(self) -> list[int]:
        words = Vocabulary.load(WORDS).words
        return [index for index, word in enumerate(words) if word != PRACTICE][: self.targets]

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Work]:
        # The slowest first, so that all workers finish at about the same time.
        for series in sorted(missing, key=SLOWEST_FIRST.index):
            for study in missing[series]:  # a job each, which takes some seconds
                worlds = self.worlds(study)
                yield partial(_records, series, study, worlds, self._targets, self.learner)


def _records(
    series: str, study: int, worlds: Sequence[World], targets: Sequence[int], learner: Settings
) -> list[Record]:
    rounds = simulate(worlds, series, learner, teacher_beta=learner.beta, people=_people())
    return [
        {
            "series": series,
            "replication": study,
            "targets": np.array(targets),
            "asked": np.array([one.asked for one in rounds]),
            "answers": np.array([one.answers for one in rounds]),
            "converged": all(one.converged for one in rounds),
        }
    ]
