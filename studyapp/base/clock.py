"""Time: what a wall clock and a stopwatch say.

A simulated participant lives in a time of its own, which passes without anyone waiting.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

__all__ = ["Clock", "SimulatedClock", "SystemClock", "iso", "ms"]


class Clock(Protocol):
    def now(self) -> datetime:
        """UTC."""

    def seconds(self) -> float:
        """Of a monotonic clock, from no particular moment."""


class SystemClock:
    """The time of the machine; its stopwatch is the one by which Textual stamps every key."""

    _seconds = staticmethod(time.perf_counter if sys.platform == "win32" else time.monotonic)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def seconds(self) -> float:
        return self._seconds()


class SimulatedClock:
    """Starts now and moves only when told to."""

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
        """Move on to a moment, if it is still to come."""
        self.wait(max(0.0, (moment - self.now()).total_seconds()))


def iso(moment: datetime) -> str:
    """As in the log: 2026-11-16T09:30:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ms(seconds: float) -> float:
    """Milliseconds, as in the log."""
    return round(1000 * seconds, 1)
