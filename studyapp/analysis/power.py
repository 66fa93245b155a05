"""How many participants does a study need?  Estimated by drawing studies from a pool of sessions.

A study of n participants is n sessions drawn from the pool with replacement.  After a question it succeeds
if the paired t-test there gives p below the level.  The share of studies that succeed is the power.  A study
without any spread, such as one session drawn n times, does not succeed.

The pool is itself a sample of people, and the 95 % intervals show how much that matters: the pool is
resampled with replacement, and the power is estimated from every resampled pool.
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
from core.files import explained
from core.randomness import stream
from studyapp.analysis.gather import Gathered
from studyapp.analysis.rewards import Rewards
from studyapp.analysis.sample import Pair
from studyapp.base.outputs import inner_folder
from studyapp.reporting.statistics import Array
from studyapp.session.rehearsal import rehearse
from studyapp.session.saved import open_session
from studyapp.study.loading import load
from studyapp.study.study import LoadedStudy

__all__ = [
    "GOALS",
    "Power",
    "as_json",
    "as_rows",
    "find_power",
    "participants_for",
    "power_by_pair",
    "simulated_sessions",
]

STUDIES = 4000  # drawn from the pool
POOLS = 200  # resampled for the intervals
STUDIES_PER_POOL = 200
BLOCK = 1_000_000  # draws in memory at once
GOALS = (0.8, 0.9)

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Power:
    """The probability of p < level; arrays are (sizes, questions)."""

    sizes: NDArray[np.intp]
    questions: NDArray[np.intp]
    share: Array
    low: Array
    high: Array


def simulated_sessions(study: str, teacher: str, count: int, out: Path) -> tuple[Path, Path | None]:
    """Simulate participants; returns the folder of their sessions, and the study's own word file if any.

    Participants who were simulated before are kept.
    """
    loaded = load(study)
    sessions = inner_folder(out, "sessions")
    _check_same_study(sessions, loaded, teacher)
    for _ in rehearse(loaded, teacher, count, sessions):
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
    rewards: Rewards, sizes: Sequence[int], level: float, progress: Progress
) -> dict[Pair, Power]:
    """The power of studies of these sizes, for every pair of models."""
    powers: dict[Pair, Power] = {}
    for pair in rewards.comparisons:
        one, other = (rewards.curves[model][:, 1:] for model in pair)
        both = np.isfinite(one - other).all(-1)  # participants who had both models, as in the tests
        before = len(powers) * len(sizes)
        powers[pair] = find_power((one - other)[both], sizes, level, partial(_report, progress, before))
    return powers


def _report(progress: Progress, before: int, done: float) -> None:
    progress(before + done)


def as_json(powers: dict[Pair, Power], gathered: Gathered, level: float) -> dict[str, Any]:
    return {
        "sessions": len(gathered.sessions),
        "kinds": gathered.kinds,
        "level": level,
        "pairs": [
            {
                "models": pair,
                "participants": power.sizes.tolist(),
                "questions": power.questions.tolist(),
                "power": power.share.tolist(),
                "ci95": [power.low.tolist(), power.high.tolist()],
                "needed": {f"{goal:g}": participants_for(power, goal) for goal in GOALS},
                "needed_at_lower_limit": {
                    f"{goal:g}": participants_for(power, goal, lower_limit=True) for goal in GOALS
                },
            }
            for pair, power in powers.items()
        ],
    }


def as_rows(powers: dict[Pair, Power]) -> list[list[Any]]:
    """A header, then one row per pair, size and question."""
    rows: list[list[Any]] = [["first", "second", "participants", "question", "power", "low", "high"]]
    for pair, power in powers.items():
        for i, size in enumerate(power.sizes):
            for j, question in enumerate(power.questions):
                numbers = (f"{array[i, j]:.4f}" for array in (power.share, power.low, power.high))
                rows.append([*pair, size, question, *numbers])
    return rows


def find_power(
    difference: Array,  # (pool, Q - 1), of each participant after every question from the second on
    sizes: Sequence[int],
    level: float = 0.05,
    progress: Progress = lambda _: None,
) -> Power:
    """The power of studies of these sizes; ``progress`` is called with the number of sizes done."""
    pool = len(difference)
    pools = _indices(stream(0, "power", "pools", 0).uniform(POOLS * pool), pool).reshape(POOLS, pool)
    shares, lows, highs = [], [], []
    for done, size in enumerate(sizes, start=1):
        critical = float(stats.t.ppf(1 - level / 2, size - 1))
        shares.append(_succeeded(_draw("studies", STUDIES, size, pool), difference, size, critical).mean(0))
        studies = _draw("studies of pools", STUDIES_PER_POOL, size, pool)
        of_pools = [_succeeded(studies, difference[resampled], size, critical).mean(0) for resampled in pools]
        low, high = np.quantile(of_pools, (0.025, 0.975), axis=0)
        lows.append(low)
        highs.append(high)
        progress(done)
    questions = np.arange(2, difference.shape[1] + 2)
    return Power(np.array(sizes), questions, np.array(shares), np.array(lows), np.array(highs))


def participants_for(power: Power, goal: float, *, lower_limit: bool = False) -> int | None:
    """The smallest size from which on the power after the last question reaches a goal; None if none does.

    With ``lower_limit``, the lower limit of the 95 % interval has to reach it.
    """
    reached = (power.low if lower_limit else power.share)[:, -1] >= goal
    below = np.flatnonzero(~reached)
    first = below[-1] + 1 if len(below) else 0
    return int(power.sizes[first]) if first < len(reached) else None


def _draw(purpose: str, studies: int, size: int, pool: int) -> Array:
    """(studies, pool), how often each session of the pool is in each study of this size."""
    draws = stream(0, "power", purpose, size)
    counts = np.empty((studies, pool))
    block = max(1, BLOCK // max(size, pool))
    for begin in range(0, studies, block):
        rows = min(block, studies - begin)
        chosen = _indices(draws.uniform(rows * size), pool).reshape(rows, size)
        cells = (chosen + pool * np.arange(rows)[:, None]).ravel()
        counts[begin : begin + rows] = np.bincount(cells, minlength=rows * pool).reshape(rows, pool)
    return counts


def _indices(uniform: Array, pool: int) -> NDArray[np.intp]:
    return np.asarray((uniform * pool).astype(np.intp))


def _succeeded(studies: Array, difference: Array, size: int, critical: float) -> NDArray[np.bool_]:
    """(studies, pool) counts and (pool, Q) differences -> (studies, Q), is |t| above the critical value?"""
    mean, squares = studies @ difference / size, studies @ difference**2 / size
    variance = squares - mean**2
    spread = variance > 1e-12 * squares
    t = np.abs(mean) / np.sqrt(np.where(spread, variance, 1.0) / (size - 1))
    return np.asarray(spread & (t > critical))
