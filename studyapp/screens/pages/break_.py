"""A break between blocks of rounds."""

from __future__ import annotations

import math

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page
from studyapp.screens.text_layout import progress_bar
from studyapp.session.events import Rested

__all__ = ["BreakPage"]

TICK = 0.5  # seconds between two updates of the countdown
BAR_WIDTH = 48  # columns of the bar that fills up with the countdown


class BreakPage(Page):
    """A break, which the study may require to last some seconds."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after  # the round before the break

    def heading(self) -> str:
        return self.say(self.texts.break_title)

    def body(self) -> ComposeResult:
        session = self.sitting.session
        yield Line(self.say(self.texts.break_note, done=session.rounds_done()), classes="news")
        yield Line(self._bar(), id="countdown", classes="bar")

    def _bar(self) -> str:
        """How much of the break is over, in the seconds of the countdown; nothing if it may end at once."""
        seconds = math.ceil(self._seconds)
        return progress_bar(seconds - self._seconds_left(), seconds, BAR_WIDTH) if seconds else ""

    def hint(self) -> str:
        left = self._seconds_left()
        return self.say(self.texts.break_wait, seconds=left) if left else self.say(self.texts.enter)

    def on_up(self) -> None:
        super().on_up()
        self._tick()
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        self.prompt()
        self.query_one("#countdown", Line).update(self._bar())

    @property
    def _seconds(self) -> float:
        """The shortest duration of the break."""
        assert self.study.breaks is not None
        return self.study.breaks.seconds

    def _seconds_left(self) -> int:
        passed = self.app.clock.seconds() - self.up_since if self.up_since else 0.0
        return max(0, math.ceil(self._seconds - passed))

    def enter(self) -> None:
        if self._seconds_left():  # the countdown is on the page
            return
        if self.record(Rested(self._after, at=self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
            self.done()

    def wrong_key(self) -> None:
        """Say nothing: the page shows what to do."""
