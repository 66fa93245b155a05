"""How many participants does a study need?  By drawing studies from a pool of sessions.

A study of n participants is n sessions drawn from the pool, with replacement; it succeeds after a
question if the paired t-test there has p below the level.  The share of studies that succeed is the power.
A study without any spread, as of one session drawn n times over, does not succeed: it is no study.
The pool is itself a sample of people: its own size is what the 95 % intervals tell of.  For them the pool
is drawn anew, with replacement, and the power found from each such pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.errors import FileError
from core.randomness import stream
from studyapp.analysis.gather import Gathered
from studyapp.analysis.results import Results
from studyapp.reporting.statistics import Array
from studyapp.session.rehearsal import send
from studyapp.session.saved import open_session
from studyapp.study.loading import load
from studyapp.study.study import LoadedStudy

__all__ = [
    "GOALS",
    "Found",
    "Power",
    "as_json",
    "as_rows",
    "find_power",
    "participants_for",
    "power_of_pairs",
    "simulated_sessions",
]

STUDIES = 4000  # drawn from the pool
POOLS = 200  # drawn anew
STUDIES_A_POOL = 200
GOALS = (0.8, 0.9)


@dataclass(frozen=True)
class Power:
    """The chance of p < level, (sizes, questions)."""

    sizes: NDArray[np.intp]
    questions: NDArray[np.intp]
    share: Array
    low: Array
    high: Array


Found = dict[tuple[str, str], Power]  # by pair of models


def simulated_sessions(study: str, teacher: str, count: int, out: Path) -> tuple[Path, Path | None]:
    """Simulated participants, in a folder of their own, and the file of their words, if these have one.

    Those that are there already stay.
    """
    loaded = load(study)
    sessions = out / "sessions"
    _check_alike(sessions, loaded, teacher)
    for _ in send(loaded, teacher, count, sessions):
        pass
    words = Path(study).parent / loaded.study.words  # beside the study file
    return sessions, words if words.suffix and words.is_file() else None


def _check_alike(sessions: Path, loaded: LoadedStudy, teacher: str) -> None:
    """Refuse to draw from participants of another study, or that answered in another way."""
    expected = (loaded.study.record(), loaded.vocabulary.sha256, teacher)
    for path in sorted(sessions.glob("*.yaml")):
        started = open_session(path).session.started
        if (started.study, started.words_sha256, started.teacher) != expected:
            problem = "this session is of another study, or of another --teacher"
            raise FileError(path, f"{problem}; choose another folder (--out)")


def power_of_pairs(
    results: Results, sizes: Sequence[int], level: float, tell: Callable[[float], None]
) -> Found:
    """The power of studies of these ``sizes``, for every pair of models."""
    found: Found = {}
    for pair in results.pairs:
        one, other = (results.curves[model][:, 1:] for model in pair.models)
        both = np.isfinite(one - other).all(-1)  # who had both models, as in the tests
        before = len(found) * len(sizes)
        found[pair.models] = find_power((one - other)[both], sizes, level, partial(_tell_from, tell, before))
    return found


def _tell_from(tell: Callable[[float], None], before: int, done: float) -> None:
    tell(before + done)


def as_json(found: Found, gathered: Gathered, level: float) -> dict[str, Any]:
    return {
        "sessions": len(gathered.sessions),
        "kinds": gathered.kinds,
        "level": level,
        "pairs": [
            {
                "models": models,
                "participants": power.sizes.tolist(),
                "questions": power.questions.tolist(),
                "power": power.share.tolist(),
                "ci95": [power.low.tolist(), power.high.tolist()],
                "needed": {f"{goal:g}": participants_for(power, goal) for goal in GOALS},
                "surely": {f"{goal:g}": participants_for(power, goal, of=power.low) for goal in GOALS},
            }
            for models, power in found.items()
        ],
    }


def as_rows(found: Found) -> list[list[Any]]:
    """One row a size and question, below a row of names."""
    rows: list[list[Any]] = [["first", "second", "participants", "question", "power", "low", "high"]]
    for (one, other), power in found.items():
        for i, size in enumerate(power.sizes):
            for j, question in enumerate(power.questions):
                numbers = (f"{each[i, j]:.4f}" for each in (power.share, power.low, power.high))
                rows.append([one, other, size, question, *numbers])
    return rows


def find_power(
    difference: Array,  # (pool, Q - 1), of every participant after each question from the second on
    sizes: Sequence[int],
    level: float = 0.05,
    tell: Callable[[float], None] = lambda _: None,
) -> Power:
    """The power of studies of these ``sizes``; ``tell`` is told how many sizes are done."""
    many = len(difference)
    pools = _pick(stream(0, "power", "pools", 0).uniform(POOLS * many), many).reshape(POOLS, many)
    shares, lows, highs = [], [], []
    for done, size in enumerate(sizes):
        shares.append(_succeeded(_drawn("studies", STUDIES, size, many), difference, level).mean(0))
        studies = _drawn("studies of pools", STUDIES_A_POOL, size, many)
        of_pools = [_succeeded(studies, difference[pool], level).mean(0) for pool in pools]
        low, high = np.quantile(of_pools, (0.025, 0.975), axis=0)
        lows.append(low)
        highs.append(high)
        tell(done + 1)
    questions = np.arange(2, difference.shape[1] + 2)
    return Power(np.array(sizes), questions, np.array(shares), np.array(lows), np.array(highs))


def participants_for(power: Power, goal: float, of: Array | None = None) -> int | None:
    """The smallest size that reaches this power after the last question, and keeps it.

    The estimate is to reach it, or ``of`` the limits of the intervals, where these are given.
    """
    reached = (power.share if of is None else of)[:, -1] >= goal
    below = np.flatnonzero(~reached)
    first = below[-1] + 1 if len(below) else 0
    return int(power.sizes[first]) if first < len(reached) else None


def _drawn(purpose: str, studies: int, size: int, many: int) -> Array:
    """(studies, many), how often each of ``many`` sessions is in a study of this size."""
    draws = stream(0, "power", purpose, size)
    counts = np.empty((studies, many))
    for row in counts:
        row[:] = np.bincount(_pick(draws.uniform(size), many), minlength=many)
    return counts


def _pick(uniform: Array, many: int) -> NDArray[np.intp]:
    return np.asarray((uniform * many).astype(np.intp))


def _succeeded(studies: Array, difference: Array, level: float) -> NDArray[np.bool_]:
    """(studies, pool) sessions and their differences (pool, Q) -> (studies, Q), is p below the level?"""
    n = int(studies[0].sum())
    mean, squares = studies @ difference / n, studies @ difference**2 / n
    variance = squares - mean**2
    spread = variance > 1e-12 * squares
    t = np.abs(mean) / np.sqrt(np.where(spread, variance, 1.0) / (n - 1))
    return np.asarray(spread & (t > stats.t.ppf(1 - level / 2, n - 1)))
