"""Clocks: a wall clock and a stopwatch in one.

A simulated participant lives in simulated time, which passes without anyone waiting.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time of day, in UTC."""

    def seconds(self) -> float:
        """The reading of a monotonic stopwatch; only differences mean anything."""


class SystemClock:
    """The machine's time; the stopwatch is the one with which Textual stamps every key."""

    _seconds = staticmethod(time.perf_counter if sys.platform == "win32" else time.monotonic)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def seconds(self) -> float:
        return self._seconds()


class SimulatedClock:
    """Begins at ``start`` and moves only when asked to."""

    def __init__(self, start: datetime) -> None:
        self._start = start
        self._passed = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed)

    def seconds(self) -> float:
        return self._passed

    def wait(self, seconds: float) -> None:
        self._passed += seconds

    def wait_until(self, moment: datetime) -> None:
        """Move on to a moment, if it is in the future."""
        self.wait(max(0.0, (moment - self.now()).total_seconds()))


def iso(moment: datetime) -> str:
    """A time as the log has it: 2026-11-16T09:30:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ms(seconds: float) -> float:
    """Milliseconds, as the log has them."""
    return round(1000 * seconds, 1)
