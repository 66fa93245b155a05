"""The times in a log: what can't be, and what an experimenter should know.

A stopwatch never goes back, and every duration fits into it: anything else is a difference.  A computer's
clock may be set, and a computer may sleep, so dates that contradict the stopwatch, each other or the study
are only noted.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from core.wording import counted
from studyapp.base.clock import SystemClock
from studyapp.session.events import (
    Answered,
    Confirmed,
    Event,
    Read,
    Reread,
    Responded,
    Rested,
    Resumed,
    Rewritten,
    Stayed,
)
from studyapp.session.resuming import end_of
from studyapp.session.saved import SavedSession
from studyapp.session.session import Aside
from studyapp.session.verdict import DifferentError

SLACK = timedelta(seconds=0.1)  # how far the computer's clock may lag behind the stopwatch
JUMP = timedelta(seconds=10)  # how far the two may drift apart from one event to the next
FUTURE = timedelta(days=1)  # how far a log may be ahead of the clock here
ROUNDING = 1.0  # ms: durations are rounded
EARLY = 50.0  # ms: some systems' timers end that much too early


def check_stopwatch(opened: SavedSession) -> None:
    """Check that the stopwatch never went back, and that every duration fits into it."""
    lines = iter(opened.saved.lines)
    pause = 1000 * opened.session.study.pace.pause
    for sitting in opened.sittings():
        last = done = 0.0  # ms at the event before, and at the last one that completed a step
        for event, line in zip(sitting, lines, strict=False):
            now = event.clock_ms
            assert now is not None
            if event is sitting[0] and now != 0:
                raise DifferentError(line, f"clock_ms is {now}, but a sitting begins with 0")
            if now < last:
                raise DifferentError(line, f"clock_ms went back from {last} to {now}: no stopwatch does")
            if _duration(event) > now - done + ROUNDING:
                problem = f"{event.event!r} took {_duration(event)} ms, longer than the time there was"
                raise DifferentError(line, problem)
            if isinstance(event, Answered) and event.delay_ms is not None:
                if event.delay_ms < pause - EARLY:
                    problem = f"delay_ms is {event.delay_ms}, but the study has a pause of {pause:g} ms"
                    raise DifferentError(line, problem)
                if event.delay_ms + _duration(event) > now + ROUNDING:
                    problem = f"delay_ms is {event.delay_ms}, longer than the sitting so far"
                    raise DifferentError(line, problem)
            last = now
            if not isinstance(event, Aside):
                done = now


def _duration(event: Event) -> float:
    """How long an event took, in ms, as far as it says so."""
    match event:
        case Answered() | Responded():
            return event.rt_ms or 0.0
        case Read() | Confirmed() | Rested() | Stayed() | Reread():
            return event.ms
    return 0.0


def date_notes(opened: SavedSession) -> list[str]:
    """Dates that contradict the stopwatch, each other, the study, or the clock here."""
    return [*_jumps(opened), *_late_returns(opened), *_future(opened)]


def _jumps(opened: SavedSession) -> list[str]:
    back: list[tuple[int, timedelta]] = []
    ahead: list[tuple[int, timedelta]] = []
    last, last_zero = end_of(opened.saved.events[0]), None
    for event, line in zip(opened.saved.events, opened.saved.lines, strict=True):
        if isinstance(event, Rewritten):
            continue  # it is noticed after the event that it precedes
        end = end_of(event)
        zero = end - timedelta(milliseconds=event.clock_ms or 0.0)  # when the stopwatch was started
        if isinstance(event, Resumed):
            last_zero = None  # another sitting has another zero
        if last - end > SLACK:
            back.append((line, last - end))
        elif last_zero is not None and last_zero - zero > JUMP:
            back.append((line, last_zero - zero))
        elif last_zero is not None and zero - last_zero > JUMP:
            ahead.append((line, zero - last_zero))
        last, last_zero = end, zero
    notes = []
    if back:
        line, by = back[0]
        problem = f"the computer's clock was set back by {by.total_seconds():.3f} s or more{_more(len(back))}"
        notes.append(f"line {line}: {problem}; durations are right, because a stopwatch measures them")
    if ahead:
        line, by = ahead[0]
        problem = f"the dates run {_length(by)} ahead of the stopwatch here{_more(len(ahead))}"
        notes.append(f"line {line}: {problem}: the clock was set forward, or the computer slept")
    return notes


def _more(count: int) -> str:
    return f", and {counted(count - 1, 'more time')} later" if count > 1 else ""


def _length(duration: timedelta) -> str:
    """A duration in the unit in which people would give it."""
    seconds = duration.total_seconds()
    for name, size in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {name}s"
    return f"{seconds:.0f} seconds"


def _late_returns(opened: SavedSession) -> list[str]:
    """Returns that studyapp would have refused on these dates."""
    policy, notes = opened.session.study.resume, []
    events = list(zip(opened.saved.events, opened.saved.lines, strict=True))
    for (before, _), (event, line) in pairwise(events):
        if not isinstance(event, Resumed):
            continue
        hours, limit = (end_of(event) - end_of(before)).total_seconds() / 3600, policy.within_hours
        if not policy.allowed:
            notes.append(f"line {line}: resumed, but the study does not allow it (resume.allowed: false)")
        elif limit is not None and hours > limit:
            problem = f"resumed {hours:.1f} hours after the previous event; the limit is {limit:g} hours"
            notes.append(f"line {line}: {problem} (resume.within_hours)")
    return notes


def _future(opened: SavedSession) -> list[str]:
    last = max(map(end_of, opened.saved.events))
    if opened.kind == "simulated" or last < SystemClock().now() + FUTURE:
        return []
    return [f"its last date, {last:%Y-%m-%d}, is in the future, according to the clock of this computer"]
