"""How many participants does a study need?  The power of the paired t-test, from the effects in sessions.

A study succeeds if the two-sided paired t-test of the report gives p below the level and the expected model
is the better one.  Its probability is the power.  It follows from the effect size d_z and the number of
participants by the noncentral t distribution (``reporting/effect_size.py``).

The sessions are a sample, and their d_z is an estimate.  The power grows with d_z, so the limits of d_z's
95 % interval give the limits of the power, and the estimate lies between them.  The interval is exact for
normal differences.  To draw studies from the sessions instead would take these few people for all people:
intervals from resampled pools come out too narrow, and may not even contain the estimate.

The safe number of participants has the power at the lower limit of d_z, and is at least ``LEAST``: in a
smaller study one unusual person decides the test, and sessions without such a person can't warn of it.  If
the interval of d_z includes 0, no number is safe.  The tests measure how often safe numbers hold, also where
differences are not normal (``tests/studyapp/analysis/test_safe_numbers.py``).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.errors import FileError
from core.files import explained
from core.people import People
from studyapp.analysis.effects import Effect
from studyapp.analysis.sample import Pair
from studyapp.base.outputs import inner_folder
from studyapp.reporting import effect_size
from studyapp.reporting.effect_size import d_z_interval
from studyapp.reporting.statistics import Array
from studyapp.session.headless import rehearse
from studyapp.session.saved import open_session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

__all__ = [
    "GOALS",
    "LEAST",
    "MOST",
    "Power",
    "find_power",
    "participants_for",
    "power_by_pair",
    "safe_number",
    "sessions_to_show",
    "simulated_sessions",
]

GOALS = (0.8, 0.9)
LEAST = 12  # participants that are safe
MOST = 100_000  # participants that are searched for


@dataclass(frozen=True)
class Power:
    """The probability of p < level with the expected model ahead; arrays are (sizes, questions)."""

    effect: Effect
    expected: str  # the model that a study has to show to be better
    level: float
    sizes: NDArray[np.intp]
    share: Array
    low: Array
    high: Array

    @property
    def d_z(self) -> Array:
        """(questions, 3): the effect size, positive if the expected model is ahead, and its interval."""
        effect = self.effect
        if effect.towards(self.expected) > 0:
            return np.stack([effect.d_z, effect.d_z_low, effect.d_z_high], -1)
        return -np.stack([effect.d_z, effect.d_z_high, effect.d_z_low], -1)

    @property
    def claim(self) -> str:
        """What a study has to show."""
        return f"{self.expected} {self.effect.outcome.does}"

    def needed(self, goal: float, question: int = -1) -> int | None:
        """The participants that reach a goal after a question, if d_z is as estimated."""
        return participants_for(float(self.d_z[question, 0]), goal, self.level)

    def safe(self, goal: float, question: int = -1) -> int | None:
        """The participants that reach it even at the lower limit of d_z."""
        return _at_least(participants_for(float(self.d_z[question, 1]), goal, self.level))


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


def power_by_pair(
    effects: dict[Pair, list[Effect]], sizes: Sequence[int], level: float, better: str | None = None
) -> dict[Pair, list[Power]]:
    """The power of studies of these sizes, for every pair of models and every outcome.

    The expected model is ``better`` in its pairs, and otherwise the one that is ahead in these sessions.
    """
    return {
        pair: [
            find_power(effect, better if better in pair else effect.ahead or pair[0], sizes, level)
            for effect in outcomes
        ]
        for pair, outcomes in effects.items()
    }


def find_power(effect: Effect, expected: str, sizes: Sequence[int], level: float = 0.05) -> Power:
    """The power of studies of these sizes to show that the expected model is better."""
    unknown = np.empty((len(sizes), len(effect.questions)))
    found = Power(effect, expected, level, np.array(sizes), unknown, unknown, unknown)
    by_size = np.array([effect_size.power(found.d_z, size, level) for size in sizes])
    return Power(effect, expected, level, found.sizes, *np.moveaxis(by_size, -1, 0))


def participants_for(d_z: float, goal: float, level: float = 0.05) -> int | None:
    """The smallest number of participants with this power; None if there is none up to ``MOST``.

    There is none if d_z is not positive.  If it is, more participants always have more power.
    """
    return _smallest(lambda n: float(effect_size.power(d_z, n, level)) >= goal) if d_z > 0 else None


def safe_number(d_z: float, sessions: int, goal: float, level: float = 0.05) -> int | None:
    """The safe number of participants if this many sessions have this d_z; None if no number is safe."""
    return _at_least(participants_for(d_z_interval(d_z, sessions)[0], goal, level))


def _at_least(participants: int | None) -> int | None:
    return participants and max(participants, LEAST)


def sessions_to_show(d_z: float) -> int | None:
    """How many sessions with this d_z have an interval that excludes 0; None if more than ``MOST``."""
    return _smallest(lambda n: abs(d_z) * math.sqrt(n) > float(stats.t.isf(0.025, n - 1)))


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from 2 to ``MOST`` that is enough, if every larger one is enough too."""
    if not enough(MOST):
        return None
    return 2 + bisect_left(range(2, MOST), True, key=enough)
