"""How long did answers take, and how long did people wait for questions?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Estimate, mean_ci

__all__ = ["Times", "response_times"]


@dataclass(frozen=True)
class Times:
    """Participants' median times in ms, (Q,) by model; empty where no times are known."""

    answer: dict[str, Estimate]  # from the question to the answer, without time away
    delay: dict[str, Estimate]  # from the previous key to the question
    late: int  # questions that were not ready in time, in all sessions


def response_times(sample: Sample) -> Times:
    answer = {
        model: sample.by_participant(
            model, lambda session, rounds: np.asarray(np.median(session.thinking[rounds], 0))
        )
        for model in sample.models
    }
    delay = {
        model: sample.by_participant(
            model, lambda session, rounds: np.asarray(np.median(session.delay[rounds], 0))
        )
        for model in sample.models
    }
    known = any(np.isfinite(times).any() for times in answer.values())
    return Times(
        answer={model: mean_ci(times) for model, times in answer.items()} if known else {},
        delay={model: mean_ci(times) for model, times in delay.items()} if known else {},
        late=sum(int(session.late.sum()) for session in sample.sessions),
    )
