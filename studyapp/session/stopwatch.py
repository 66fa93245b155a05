"""The stopwatch of a sitting: how long after its start an event was saved, whatever the clock says."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from studyapp.base.clock import Clock, ms
from studyapp.session.events import Event, Resumed, Started

__all__ = ["AnyEvent", "Stopwatch"]

AnyEvent = TypeVar("AnyEvent", bound=Event)


class Stopwatch:
    """Begins when a session begins or is resumed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.seconds()

    def stamp(self, event: AnyEvent) -> AnyEvent:
        """The event, with the time since the sitting began."""
        now = self._clock.seconds()
        if isinstance(event, Started | Resumed):
            self._since = now
        return replace(event, clock_ms=ms(now - self._since))
