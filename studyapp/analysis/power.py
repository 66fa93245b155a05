"""How many participants does a study need?  The power of the paired t-test, from the effects in sessions.

A study succeeds if the two-sided paired t-test of the report gives p below the level and the expected model
is the better one.  Its probability is the power.  It follows from the effect size d_z and the number of
participants by the noncentral t distribution (``reporting/paired.py``).

The sessions are a sample, and their d_z is an estimate.  The power grows with d_z, so the limits of d_z's
95 % interval give the limits of the power, and the estimate lies between them.  The interval is exact for
normal differences.  To draw studies from the sessions instead would take these few people for all people:
intervals from resampled pools come out too narrow, and may not even contain the estimate.

The safe number of participants has the power at the lower limit of d_z, and is at least ``LEAST``: in a
smaller study one unusual person decides the test, and sessions without such a person can't warn of it.  If
the interval of d_z includes 0, no number is safe.  The tests measure how often safe numbers hold, also where
differences are not normal (``tests/studyapp/analysis/test_power.py``).

The report tests every pair of models in every outcome, and corrects p for the number of pairs (Holm).  So the
power to show one pair's difference lies between that of a test at the level itself and that of a test at the
level divided by the number of pairs, which is what the smallest p has to meet.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict
from scipy import stats

from core.errors import FileError
from core.files import explained
from core.people import People
from studyapp.analysis.comparisons import Compared, PairComparison
from studyapp.analysis.gather import Gathered
from studyapp.analysis.outcomes import OUTCOMES, Outcome
from studyapp.analysis.sample import Pair
from studyapp.base.outputs import inner_folder
from studyapp.reporting import paired
from studyapp.reporting.paired import d_z_interval
from studyapp.session.headless import rehearse
from studyapp.session.saved import open_session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

GOALS = (0.8, 0.9)
LEAST = 12  # participants that are safe
MOST = 100_000  # participants that are searched for

Triple = tuple[float, float, float]  # an estimate, and the limits of its 95 % interval


# What studyapp power finds, and power.json keeps


def _number(value: object) -> object:
    """Null is NaN: what is not known."""
    if isinstance(value, float) and math.isinf(value):
        raise ValueError("this is not a finite number")
    return math.nan if value is None else value


Number = Annotated[float, BeforeValidator(_number)]


class _Saved(BaseModel):
    model_config = ConfigDict(frozen=True)  # what else a file has is not needed


class Effect(_Saved):
    """By how much two models differ in one outcome, the first minus the second."""

    difference: Number
    ci95: tuple[Number, Number]
    d_z: Number
    d_z_ci95: tuple[Number, Number]
    better: str | None  # the model that the sessions show to be better


class Power(_Saved):
    """The probability of p < level with the expected model ahead."""

    expected: str  # the model that a study has to show to be better
    question: int  # the last
    d_z: tuple[Number, Number, Number]  # positive if the expected model is ahead; with its interval
    power: list[Number]  # by number of participants
    ci95: tuple[list[Number], list[Number]]
    needed: dict[str, int | None]  # by goal: the participants that reach it, if d_z is as estimated
    needed_at_lower_limit: dict[str, int | None]  # the safe number


class PairPower(_Saved):
    """Two models in every outcome."""

    models: Pair
    sessions: int  # of participants who had both models
    participants: list[int]
    effects: dict[str, Effect]
    power: dict[str, Power]


class PowerFile(_Saved):
    sessions: int
    kinds: list[str]
    level: float
    pairs: list[PairPower]


def estimate_power(
    compared: dict[Pair, PairComparison],
    gathered: Gathered,
    sizes: Sequence[int],
    level: float,
    better: str | None = None,
) -> PowerFile:
    """The power of studies of these sizes, for every pair of models and every outcome.

    The expected model is ``better`` in its pairs, and otherwise the one that is ahead in these sessions.
    """
    return PowerFile(
        sessions=len(gathered.sessions),
        kinds=gathered.kinds,
        level=level,
        pairs=[
            PairPower(
                models=pair,
                sessions=comparison.reward.test.count,
                participants=list(sizes),
                effects={name: effect_of(own) for name, own in comparison.outcomes.items()},
                power={
                    name: power_of(
                        effect_of(own),
                        pair,
                        OUTCOMES[name],
                        better if better in pair else own.ahead or pair[0],
                        comparison.question,
                        sizes,
                        level,
                    )
                    for name, own in comparison.outcomes.items()
                },
            )
            for pair, comparison in compared.items()
        ],
    )


def effect_of(own: Compared) -> Effect:
    return Effect(
        difference=own.test.difference,
        ci95=(own.test.low, own.test.high),
        d_z=own.d_z,
        d_z_ci95=(own.d_z_low, own.d_z_high),
        better=own.better,
    )


def power_of(
    effect: Effect,
    pair: Pair,
    outcome: Outcome,
    expected: str,
    question: int,
    sizes: Sequence[int],
    level: float,
) -> Power:
    """The power of studies of these sizes to show that the expected model of a pair is better."""
    d_z = towards(effect, outcome.towards(pair, expected))
    share, low, high = np.array([powers(d_z, size, level) for size in sizes]).reshape(-1, 3).T
    return Power(
        expected=expected,
        question=question,
        d_z=d_z,
        power=share.tolist(),
        ci95=(low.tolist(), high.tolist()),
        needed={f"{goal:g}": participants_for(d_z[0], goal, level) for goal in GOALS},
        needed_at_lower_limit={f"{goal:g}": _safe(d_z[1], goal, level) for goal in GOALS},
    )


def towards(effect: Effect, sign: int) -> Triple:
    """d_z and its interval for the difference times this sign."""
    low, high = sorted(sign * limit for limit in effect.d_z_ci95)
    return sign * effect.d_z, low, high


def powers(d_z: Triple, participants: int, level: float) -> Triple:
    share, low, high = paired.power(np.array(d_z), participants, level).tolist()
    return share, low, high


# Participants needed


def participants_for(d_z: float, goal: float, level: float = 0.05) -> int | None:
    """The smallest number of participants with this power; None if there is none up to ``MOST``.

    There is none if d_z is not positive.  If it is, more participants always have more power.
    """
    return _smallest(lambda n: float(paired.power(d_z, n, level)) >= goal) if d_z > 0 else None


def safe_number(d_z: float, sessions: int, goal: float, level: float = 0.05) -> int | None:
    """The safe number of participants if this many sessions have this d_z; None if no number is safe."""
    return _safe(d_z_interval(d_z, sessions)[0], goal, level)


def _safe(lower_limit: float, goal: float, level: float) -> int | None:
    participants = participants_for(lower_limit, goal, level)
    return participants and max(participants, LEAST)


def sessions_to_show(d_z: float) -> int | None:
    """How many sessions with this d_z have an interval that excludes 0; None if more than ``MOST``."""
    return _smallest(lambda n: abs(d_z) * math.sqrt(n) > float(stats.t.isf(0.025, n - 1)))


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from 2 to ``MOST`` that is enough, if every larger one is enough too."""
    if not enough(MOST):
        return None
    return 2 + bisect_left(range(2, MOST), True, key=enough)


# Simulated sessions


def simulated_sessions(
    study: str, teacher: str, count: int, out: Path, people: People | None = None
) -> tuple[Path, Path | None]:
    """Simulate participants; returns the folder of their sessions, and the study's own word file if any.

    Participants who were simulated before are kept.
    """
    loaded = load(study)
    sessions = inner_folder(out, "sessions")
    _check_same_study(sessions, loaded, teacher)
    for _ in rehearse(loaded, teacher, count, sessions, people):
        pass
    words = Path(study).parent / loaded.study.words  # beside the study file
    with explained(words):
        return sessions, words if words.suffix and words.is_file() else None


def _check_same_study(sessions: Path, loaded: LoadedStudy, teacher: str) -> None:
    """Refuse a folder with participants of another study or another teacher."""
    expected = (loaded.study.record(), loaded.vocabulary.sha256, teacher)
    with explained(sessions):
        paths = sorted(sessions.glob("*.yaml"))
    for path in paths:
        session = open_session(path).session
        started = session.started
        if (session.study.record(), started.words_sha256, started.teacher) != expected:
            problem = "this session belongs to another study or to another --teacher"
            raise FileError(path, f"{problem}; choose another folder (--out)")
