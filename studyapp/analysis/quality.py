"""Are the data in order?  What the report says about times, keys, fits and interruptions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.wording import counted
from studyapp.analysis.results import Results
from studyapp.reporting.wording import listed, number

__all__ = ["data_quality"]


def data_quality(results: Results) -> Iterator[tuple[str, str]]:
    """Each point, and what was found; of sessions that ran elsewhere, little is known."""
    sessions = results.sample.sessions
    answers = _sum(results, "answers")
    minutes = [session.minutes for session in sessions if session.minutes is not None]
    if minutes:
        yield (
            "Duration",
            f"{number(float(np.mean(minutes)), 0)} minutes on average, from {number(min(minutes), 0)} to "
            f"{number(max(minutes), 0)}, breaks included; the time between leaving and resuming does not "
            "count",
        )
    if answers:
        yield "Late questions", f"{_of(results.times.late, answers)} were not ready when the pause ended"
        yield "Time to answer", _answer_times(results)
        yield "Waiting for a question", _delays(results)
        yield "Changed answers", f"{_of(_sum(results, 'changed'), answers)} were changed before Enter"
        keys = _sum(results, "stray_keys")
        yield "Stray keys", f"{counted(keys, 'key')} had no meaning, or came too soon"
    else:
        yield "Times and keys", "not known: these sessions ran elsewhere"
    if fits := _sum(results, "fits"):
        yield "Fits", f"{_of(_sum(results, 'unconverged'), fits)} did not converge"
    yield "Resumed sessions", _resumed(results)
    torn = sum(session.torn for session in sessions) + _sum(results, "repaired")
    yield "Damaged logs", f"{counted(torn, 'time')}, a log was repaired or had a torn end"
    yield "Rounds left out", _left_out(results)


def _sum(results: Results, name: str) -> int:
    return sum(getattr(session.conduct, name) for session in results.sample.sessions)


def _of(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" + (f" ({100 * count / total:.2g} %)" if count else "")


def _answer_times(results: Results) -> str:
    ms = np.concatenate([session.thinking[session.counted].ravel() for session in results.sample.sessions])
    low, middle, high = np.nanpercentile(ms / 1000, [5, 50, 95])
    return f"median {number(middle, 1)} s; 90 % of answers took {number(low, 1)} to {number(high, 1)} s"


def _delays(results: Results) -> str:
    means = [
        f"{number(float(np.nanmean(delay.mean)), 0)} ms with {model}"
        for model, delay in results.times.delay.items()
    ]
    return f"{listed(means)}, from the previous key (means of participants' medians)"


def _resumed(results: Results) -> str:
    sessions = results.sample.sessions
    resumed = [session for session in sessions if session.conduct.resumed]
    times = f", {counted(_sum(results, 'resumed'), 'time')} in all" if resumed else ""
    return f"{_of(len(resumed), len(sessions))} were left and continued later{times}"


def _left_out(results: Results) -> str:
    sessions = results.sample.sessions
    begun = sum(
        not round_.practice and bool((session.asked[i] >= 0).any())
        for session in sessions
        for i, round_ in enumerate(session.plan)
    )
    left = begun - sum(int(session.counted.sum()) for session in sessions)
    why = ": incomplete, or with a target that was not completed with every model" if left else ""
    return f"{_of(left, begun)}, practice aside{why}"
