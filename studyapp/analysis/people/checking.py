"""Do simulated people behave like the real ones?  Posterior predictive checks.

Simulated people of the fitted model play the study of the sessions: the same models, fits and targets, and as
many persons.  This is repeated, each time with new people and new pair effects, and each measure of the real
sessions is set beside its mean and its 95 % interval over the simulated studies.  The parameters are the
fitted ones in all of them, so the intervals say how far studies of this size differ by chance, and not how
well the parameters are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.pairs import with_person
from core.people import People
from core.randomness import stream
from core.recall import NEVER
from core.settings import Settings
from studyapp.analysis.extract import Extract
from studyapp.analysis.people.reading import Sessions
from studyapp.analysis.people.rounds import Rounds
from studyapp.base.parallel import in_order
from studyapp.study.loaded import LoadedStudy

__all__ = ["BANDS", "SIMILAR", "Check", "Checks", "as_json", "check_people", "measures", "why_not"]

Array = NDArray[np.float64]

BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.2), (0.2, 0.3), (0.3, 1.0))  # of likeness
SIMILAR = 0.15  # from here on, a word is similar to the target


@dataclass(frozen=True)
class Check:
    """One measure, or several of a kind; all (M,)."""

    real: Array
    mean: Array  # over simulated studies
    low: Array  # the central 95 %
    high: Array


@dataclass(frozen=True)
class Checks:
    """All measures."""

    studies: int
    persons: int
    questions: int
    models: list[str]
    measures: dict[str, Check]

    @property
    def inside(self) -> tuple[int, int]:
        """How many of the real values are in their interval, and how many there are."""
        inside = [(own.low <= own.real) & (own.real <= own.high) for own in self.measures.values()]
        known = [np.isfinite(own.real) & np.isfinite(own.mean) for own in self.measures.values()]
        return (
            int(sum((yes & there).sum() for yes, there in zip(inside, known, strict=True))),
            int(sum(there.sum() for there in known)),
        )


@dataclass(frozen=True, eq=False)
class _Design:
    """What is simulated; small enough to be sent to another process."""

    words: tuple[str, ...]
    features: Array
    people: People  # who answers
    expected: People  # as a learner that models people expects them
    models: dict[str, tuple[str, Settings]]  # the pair and the settings of each model
    targets: tuple[int, ...]
    questions: int
    persons: int
    study: int  # its number


def why_not(sessions: Sessions) -> str:
    """Why these sessions can't be checked; empty if they can."""
    if len({repr(_protocol(session)) for session in sessions.sessions}) > 1:
        return "the sessions belong to different studies; check those of one study"
    return ""


def check_people(sessions: Sessions, people: People, studies: int) -> Checks:
    """Simulate this many studies, and measure them and the sessions."""
    first = sessions.sessions[0]
    loaded = _loaded(first)
    settings = {name: first.study.settings(name, seed=0) for name in sorted(first.study.models)}
    design = _Design(
        words=loaded.vocabulary.words,
        features=loaded.features,
        people=people.among(loaded.vocabulary.words),
        expected=loaded.people,
        models={name: (with_person(own).name, own) for name, own in settings.items()},
        targets=tuple(loaded.vocabulary.index(target) for target in _targets(first)),
        questions=first.study.questions,
        persons=sessions.persons,
        study=0,
    )
    tasks = [replace(design, study=number) for number in range(studies)]
    models = list(design.models)
    real = measures(sessions.rounds, models)
    simulated = list(in_order(_study, tasks, "simulating studies", few=1))
    return Checks(
        studies=studies,
        persons=sessions.persons,
        questions=design.questions,
        models=models,
        measures={name: _check(real[name], np.array([own[name] for own in simulated])) for name in real},
    )


def _loaded(session: Extract) -> LoadedStudy:
    assert session.vocabulary is not None  # there are answers
    return LoadedStudy(str(session.path), session.study, session.vocabulary)


def _targets(session: Extract) -> list[str]:
    return list(dict.fromkeys(round_.target for round_ in session.plan if not round_.practice))


def _protocol(session: Extract) -> tuple[object, ...]:
    """What must be equal for sessions to be checked together."""
    study = session.study
    settings = [(name, study.settings(name, seed=0)) for name in sorted(study.models)]
    return session.words_sha256, study.kernel_width, study.questions, settings, sorted(_targets(session))


def _study(design: _Design) -> dict[str, Array]:
    """Simulate one study, and measure it."""
    from core.simulation import simulate
    from core.user_study import rounds_of

    seed = stream(0, "people", "check", design.study).integer(2**52)
    worlds = [
        world
        for person in range(design.persons)
        for world in rounds_of(
            person,
            design.features,
            design.people,
            targets=design.targets,
            questions=design.questions,
            seed=seed,
        )
    ]
    target = np.array([world.target for world in worlds])
    persons = tuple(str(person) for person in range(design.persons))
    parts = []
    for model, (pair, settings) in design.models.items():
        # Rounds with the same luck would be more alike than a person's rounds are.
        own = [
            replace(world, luck=stream(seed, "luck", model, world.number).uniform(design.questions))
            for world in worlds
        ]
        played = simulate(own, pair, settings, settings.beta, people=design.expected)
        asked = np.array([one.asked for one in played])
        parts.append(
            Rounds(
                words=design.words,
                persons=persons,
                person=np.repeat(np.arange(design.persons), len(design.targets)),
                model=np.full(len(worlds), model),
                target=target,
                asked=asked,
                yes=np.array([one.answers for one in played]) == 1,
                likeness=np.asarray(design.features[target[:, None], asked]),
            )
        )
    return measures(Rounds.joined(parts), list(design.models))


def measures(rounds: Rounds, models: list[str]) -> dict[str, Array]:
    """What is compared; NaN where there is nothing to measure.  Shares are over all rounds or answers."""
    other = rounds.is_asked & ~rounds.is_target
    first, again = other & (rounds.last == NEVER), other & (rounds.last == 1)
    bands = [(rounds.likeness >= low) & (rounds.likeness < high) for low, high in BANDS]
    similar = rounds.likeness >= SIMILAR
    questions = range(rounds.asked.shape[1])
    number = np.broadcast_to(np.array(questions), rounds.asked.shape)
    result = {
        "yes_first": _shares(rounds, [first & band for band in bands]),
        "yes_again": _shares(rounds, [again & band for band in bands]),
        "yes_by_question": _shares(rounds, [first & similar & (number == q) for q in questions]),
        "yes_after_found": _shares(
            rounds, [first & similar & (rounds.found == was) for was in (False, True)]
        ),
        "yes_target": _shares(rounds, [rounds.is_target]),
    }
    for model in models:
        own = rounds.of((rounds.model == model) & rounds.is_asked.all(-1))
        hit = own.is_target
        found = np.asarray(hit.any(-1))
        reward = own.likeness.clip(1e-4, 1 - 1e-4).cumsum(-1)
        result[f"reward_{model}"] = reward.mean(0) if len(reward) else np.full(len(questions), np.nan)
        result[f"found_{model}"] = np.array([found.mean() if len(found) else np.nan])
        when = hit.argmax(-1)[found] + 1
        result[f"time_to_find_{model}"] = np.array([when.mean() if len(when) else np.nan])
    return result


def _shares(rounds: Rounds, masks: list[NDArray[np.bool_]]) -> Array:
    return np.array([rounds.yes[mask].mean() if mask.any() else np.nan for mask in masks])


def _check(real: Array, simulated: Array) -> Check:
    """``simulated`` is (studies, M); studies in which there is nothing to measure don't count."""
    columns = [column[np.isfinite(column)] for column in simulated.T]
    mean, low, high = (
        np.array([function(column) if len(column) else np.nan for column in columns])
        for function in (
            np.mean,
            lambda column: np.percentile(column, 2.5),
            lambda column: np.percentile(column, 97.5),
        )
    )
    return Check(real, mean, low, high)


def as_json(checks: Checks) -> dict[str, object]:
    """All numbers, for programs."""
    inside, count = checks.inside
    return {
        "studies": checks.studies,
        "persons": checks.persons,
        "bands_of_likeness": [list(band) for band in BANDS],
        "similar_from": SIMILAR,
        "inside_95": {"measures": count, "inside": inside},
        "measures": {
            name: {
                part: [None if np.isnan(value) else round(float(value), 6) for value in getattr(check, part)]
                for part in ("real", "mean", "low", "high")
            }
            for name, check in checks.measures.items()
        },
    }
