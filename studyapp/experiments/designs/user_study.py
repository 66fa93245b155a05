"""Simulated people in the published user study (section 4.3, supplement G).

A replication is one person, who plays a round for every target.  All series share the people, their first
questions and the luck behind their answers.  A record holds what was asked and answered; everything that is
measured follows from that and from the likenesses of the words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.pairs import pair_named, pair_names
from core.people import PARAMETERS, People
from core.rewards import clamped
from core.settings import Settings
from core.simulation import World, simulate
from core.user_study import rounds_of
from core.vocabulary import Vocabulary
from studyapp.experiments.designs.design import DESIGNS, Design, Job, Record, parts
from studyapp.experiments.designs.fields import Flag, Numbers, Rows
from studyapp.experiments.designs.measures import Measure

__all__ = ["FOUND", "ONCE_FOUND", "POPULATIONS", "REWARD", "STAYING", "TO_FIND", "UserStudy"]

WORDS = "study20"
PRACTICE = 1  # the first word, cat, is the target of the practice rounds
ROUNDS, QUESTIONS = 19, 15
PEOPLE_PER_JOB = 5

# Seconds per person on one core, with all rounds and questions.
QUICK, PLANNED = 0.03, 0.3
CONVERGED_MIXTURE, PUBLISHED_MIXTURE = 0.6, 0.9


def _wider(people: People) -> People:
    """People who differ twice as much from one another."""
    return replace(
        people,
        ready_sd=2 * people.ready_sd,
        again_sd=2 * people.again_sd,
        opinion_sd=2 * people.opinion_sd,
    )


# Who answers, by name.  Learners that model people always expect those that were fitted.
POPULATIONS = {
    "as fitted": lambda people: people,
    "other pairs": lambda people: replace(people, pairs=None),  # drawn anew, from how much pairs differ
    "twice the spread": _wider,
}


@cache
def _likeness() -> NDArray[np.float64]:
    """The likeness of every two words, (K, K)."""
    return Vocabulary.load(WORDS).features()


@cache
def _people(population: str) -> People:
    return POPULATIONS[population](People.default().among(Vocabulary.load(WORDS).words))


def _rounds(record: Record) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The reward of every question, and whether it was about the target: both (rounds, questions)."""
    asked = np.array([list(row) for row in record["asked"]])
    targets = PRACTICE + np.arange(len(asked))
    return clamped(_likeness())[targets[:, None], asked], asked == targets[:, None]


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


@DESIGNS.add
@dataclass(frozen=True, eq=False)
class UserStudy(Design):
    """Simulated people, or other teachers, in the published protocol."""

    fit: str = "converged"
    selection: str = "bayes-ucb"
    population: str = "as fitted"
    rounds: int = ROUNDS
    questions: int = QUESTIONS
    samples: int = 1000
    seed: int = 0

    name = "user study"
    series = ("H-N", "H-M", "H-HT", "N-M", "N-HT", "P-M", "P-HT", "R-M", "R-HT")
    fields = {  # noqa: RUF012 (a constant; dataclass fields have annotations)
        "asked": Rows(count="rounds", row=Numbers(length="questions", whole=True, below="words")),
        "answers": Rows(count="rounds", row=Numbers(length="questions", whole=True)),
        "converged": Flag(),
    }
    measures = (REWARD, FOUND, TO_FIND, STAYING, ONCE_FOUND)

    def __post_init__(self) -> None:
        checks.one_of("the population", self.population, POPULATIONS)
        checks.whole("--seed", self.seed, -(2**63), 2**63 - 1)

    @property
    def learner(self) -> Settings:
        """The settings of the learners; a pair says which teacher model and belief they have."""
        return Settings(selection=self.selection, fit=self.fit, samples=self.samples)

    def settings(self) -> dict[str, Any]:
        people = _people(self.population)
        learner = self.learner
        return {
            "kind": self.name,
            "words": len(_likeness()),
            "likeness": _sha256(_likeness()),
            "rounds": self.rounds,
            "questions": self.questions,
            "people": {"population": self.population}
            | {name: getattr(people, name) for name in PARAMETERS}
            | {"pairs": "drawn" if people.pairs is None else _sha256(people.pairs.mean, people.pairs.sd)},
            "selection": learner.selection,
            "beta": learner.beta,
            "tau": learner.tau,
            "samples": learner.samples,
            "fit": learner.fit,
            "seed": self.seed,
        }

    def worlds(self, person: int) -> list[World]:
        """The rounds of one person."""
        return rounds_of(
            person,
            _likeness(),
            _people(self.population),
            targets=range(PRACTICE, PRACTICE + self.rounds),
            questions=self.questions,
            seed=self.seed,
        )

    def jobs(self, missing: Mapping[str, Sequence[int]]) -> Iterator[Job]:
        # The slowest first, so that all workers finish at about the same time.
        for series in sorted(missing, key=self.seconds, reverse=True):
            for part in parts(missing[series], PEOPLE_PER_JOB):
                worlds = {person: self.worlds(person) for person in part}
                firsts = {person: [one.first for one in rounds] for person, rounds in worlds.items()}
                yield Job(series, part, partial(_records, series, worlds, self.learner), partial(_fault, firsts))

    def seconds(self, series: str) -> float:
        pair = pair_named(series) if series in pair_names() else None
        if pair is None or (pair.model.has_alpha and pair.belief == "weights"):
            whole = PUBLISHED_MIXTURE if self.fit == "published" else CONVERGED_MIXTURE
        else:
            whole = PLANNED if pair.looks_ahead else QUICK
        return whole * self.rounds / ROUNDS * self.questions / QUESTIONS


def _sha256(*tables: NDArray[np.float64]) -> str:
    digest = hashlib.sha256()
    for table in tables:
        digest.update(np.ascontiguousarray(table, dtype="<f8").tobytes())
    return digest.hexdigest()


def _fault(firsts: Mapping[int, Sequence[int]], record: Record) -> str | None:
    """What is wrong with a record, given the first questions of all rounds."""
    expected = firsts[record["replication"]]
    if [row[0] for row in record["asked"]] != list(expected):
        return f"asked must have rounds that begin with {', '.join(map(str, expected))}, as this person's do"
    return None


def _records(series: str, worlds: Mapping[int, list[World]], learner: Settings) -> list[Record]:
    together = [one for rounds in worlds.values() for one in rounds]
    played = simulate(together, series, learner, teacher_beta=learner.beta, people=_people("as fitted"))
    records: list[Record] = []
    for person, rounds in worlds.items():
        own, played = played[: len(rounds)], played[len(rounds) :]
        records.append(
            {
                "series": series,
                "replication": person,
                "asked": [one.asked.tolist() for one in own],
                "answers": [one.answers.tolist() for one in own],
                "converged": all(one.converged for one in own),
            }
        )
    return records
