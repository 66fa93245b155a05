"""Which key presses are meant for what is on the screen.

A press counts only if it came after what it would answer had appeared, and if the key was not held
down since before: a keyboard that repeats a held key sends it again and again, first after a delay
of up to ``hold`` seconds and then many times a second.
"""

from __future__ import annotations

__all__ = ["Keys"]

REPEAT = 0.15  # seconds; a held key comes again sooner than this


class Keys:
    """Remembers when each key was seen, over all pages of a session."""

    def __init__(self, hold: float) -> None:
        self._hold = hold
        self._seen: dict[str, float] = {}
        self._held: set[str] = set()
        self._since: float | None = None
        self.hurried = False  # was the last press refused although it may have been meant?

    def appeared(self, at: float) -> None:
        """From now on keys are for what has just appeared."""
        self._since = at
        self._held.clear()

    def gone(self) -> None:
        """There is nothing on the screen that a key could be for."""
        self._since = None

    def meant(self, key: str, at: float) -> bool:
        """Is this press meant for what is on the screen?"""
        last = self._seen.get(key)
        self._seen[key] = at
        self.hurried = False
        if self._since is None or at < self._since:
            return False
        if last is not None:
            from_before = last < self._since and at - last <= self._hold
            goes_on = key in self._held and at - last <= REPEAT
            self.hurried = from_before
            if from_before or goes_on:
                self._held.add(key)
                return False
        self._held.discard(key)
        return True
