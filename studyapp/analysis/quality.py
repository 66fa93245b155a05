"""Are the data in order?  Times, keys, fits and interruptions, and what the report says about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.wording import counted
from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Estimate, mean_ci
from studyapp.reporting.wording import listed, number


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


def data_quality(sample: Sample, times: Times) -> Iterator[tuple[str, str]]:
    """Each point, and what was found; of sessions that ran elsewhere, little is known."""
    sessions = sample.sessions
    answers = _sum(sample, "answers")
    minutes = [session.minutes for session in sessions if session.minutes is not None]
    if minutes:
        yield (
            "Duration",
            f"{number(float(np.mean(minutes)), 0)} minutes on average, from {number(min(minutes), 0)} to "
            f"{number(max(minutes), 0)}, breaks included; the time between leaving and resuming does not "
            "count",
        )
    if answers:
        yield "Late questions", f"{_of(times.late, answers)} were not ready when the pause ended"
        yield "Time to answer", _answer_times(sample)
        yield "Waiting for a question", _delays(times)
        yield "Changed answers", f"{_of(_sum(sample, 'changed'), answers)} were changed before Enter"
        keys = _sum(sample, "stray_keys")
        yield "Stray keys", f"{counted(keys, 'key')} had no meaning, or came too soon"
    else:
        yield "Times and keys", "not known: these sessions ran elsewhere"
    if fits := _sum(sample, "fits"):  # none if the analysis is blind: not all models fit
        yield "Fits", f"{_of(_sum(sample, 'unconverged'), fits)} did not converge"
    yield "Resumed sessions", _resumed(sample)
    torn = sum(session.torn for session in sessions) + _sum(sample, "repaired")
    yield "Damaged logs", f"{counted(torn, 'time')}, a log was repaired or had a torn end"
    yield "Rounds left out", _left_out(sample)


def _sum(sample: Sample, name: str) -> int:
    return sum(getattr(session.conduct, name) for session in sample.sessions)


def _of(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" + (f" ({100 * count / total:.2g} %)" if count else "")


def _answer_times(sample: Sample) -> str:
    ms = np.concatenate([session.thinking[session.counted].ravel() for session in sample.sessions])
    low, middle, high = np.nanpercentile(ms / 1000, [5, 50, 95])
    return f"median {number(middle, 1)} s; 90 % of answers took {number(low, 1)} to {number(high, 1)} s"


def _delays(times: Times) -> str:
    means = [
        f"{number(float(np.nanmean(delay.mean)), 0)} ms with {model}" for model, delay in times.delay.items()
    ]
    return f"{listed(means)}, from the previous key (means of participants' medians)"


def _resumed(sample: Sample) -> str:
    sessions = sample.sessions
    resumed = [session for session in sessions if session.conduct.resumed]
    times = f", {counted(_sum(sample, 'resumed'), 'time')} in all" if resumed else ""
    return f"{_of(len(resumed), len(sessions))} were left and continued later{times}"


def _left_out(sample: Sample) -> str:
    sessions = sample.sessions
    begun = sum(
        not round_.practice and bool((session.asked[i] >= 0).any())
        for session in sessions
        for i, round_ in enumerate(session.plan)
    )
    left = begun - sum(int(session.counted.sum()) for session in sessions)
    why = ": incomplete, or with a target that was not completed with every model" if left else ""
    return f"{_of(left, begun)}, practice aside{why}"
