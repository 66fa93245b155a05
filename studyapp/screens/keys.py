"""Which key presses are meant for what is on the screen.

A press counts only if it came after the thing it would answer had appeared, and if the key had not been held
down since before that.  A held key repeats: the first time after a delay of up to ``hold`` seconds, then many
times a second.
"""

from __future__ import annotations

REPEAT = 0.15  # seconds; a held key repeats sooner than this


class Keys:
    """When each key was last pressed, over all pages of a session."""

    def __init__(self, hold: float) -> None:
        self._hold = hold
        self._seen: dict[str, float] = {}
        self._held: set[str] = set()
        self._since: float | None = None
        self.hurried = False  # was the last press refused, although it may have been meant?

    def appeared(self, at: float) -> None:
        """Something has appeared: from now on keys are meant for it."""
        self._since = at
        self._held.clear()

    def gone(self) -> None:
        """Nothing on the screen takes keys now."""
        self._since = None

    def meant(self, key: str, at: float) -> bool:
        """Is this press meant for what is on the screen?"""
        last = self._seen.get(key)
        self._seen[key] = at
        self.hurried = False
        if self._since is None or at < self._since:
            return False
        if last is not None:
            held_from_before = last < self._since and at - last <= self._hold
            still_held = key in self._held and at - last <= REPEAT
            self.hurried = held_from_before
            if held_from_before or still_held:
                self._held.add(key)
                return False
        self._held.discard(key)
        return True
