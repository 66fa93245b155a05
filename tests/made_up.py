"""Made-up sessions for tests of the analysis: one that ran, and others like it with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from study_files import VECTORS, run, small, write

from core.rewards import clamped
from studyapp.analysis.extract import Extract, extract
from studyapp.analysis.gather import Gathered
from studyapp.analysis.planners import Alpha
from studyapp.analysis.results import Results, analyse
from studyapp.study.loading import load

__all__ = ["a_session", "others_like", "results_of", "with_planners"]


def a_session(folder: Path, words: str = VECTORS, **changes: Any) -> Extract:
    """A simulated participant's session of the small study, with some settings changed."""
    path = write(folder, small(**changes))
    (folder / "words.txt").write_text(words, encoding="utf-8")
    run(load(path), folder / "sessions")
    session = extract(folder / "sessions" / "P01.yaml", folder / "words.txt")
    assert isinstance(session, Extract)
    return session


def others_like(session: Extract, many: int, seed: int = 0) -> list[Extract]:
    """Participants who earned somewhat more or less than this one, and sooner or later."""
    rng = np.random.default_rng(seed)
    shape = session.reward.shape
    return [
        replace(
            session,
            participant=f"P{number:03d}",
            reward=clamped(session.reward + rng.normal(0, 0.1, shape)),
            thinking=session.thinking * rng.lognormal(0, 0.3, shape),
        )
        for number in range(1, many + 1)
    ]


def results_of(sessions: Sequence[Extract]) -> Results:
    return analyse(Gathered(list(sessions), [], ["simulated"]), planners=0)


def with_planners(results: Results, seed: int = 0) -> Results:
    """With an alpha for every participant, drawn and not found, which would take a while."""
    drawn = np.sort(np.random.default_rng(seed).uniform(size=(len(results.participants), 3)))
    alphas = {
        participant: Alpha(mean=mean, low=low, high=high)
        for participant, (low, mean, high) in zip(results.participants, drawn.tolist(), strict=True)
    }
    return replace(results, alphas=alphas)
