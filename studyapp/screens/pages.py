"""The pages that only say something: the instructions, a break, the end."""

from __future__ import annotations

import math

from textual.app import ComposeResult

from studyapp.screens.page import BAR_WIDTH, Page
from studyapp.screens.text_layout import progress_bar, reflowed
from studyapp.screens.widgets import Line
from studyapp.session.events import Read, Rested

TICK = 0.5  # seconds between two updates of the countdown


class InstructionsPage(Page):
    """All instructions of the study; Enter turns the page, Backspace turns back."""

    def __init__(self) -> None:
        super().__init__()
        self._page = 0

    def heading(self) -> str:
        return self.say(self.texts.instructions_title)

    def body(self) -> ComposeResult:
        yield Line("", id="text", classes="prose")

    def hint(self) -> str:
        enter = super().hint()
        return f"{enter} {self.say(self.texts.back)}" if self._page else enter

    def scrolls(self) -> bool:
        return True

    def on_up(self) -> None:
        super().on_up()
        self._show()

    def _show(self) -> None:
        pages = self.study.instructions
        self.query_one("#text", Line).update(reflowed(self.say(pages[self._page])))
        count = self.say(self.texts.page, page=self._page + 1, pages=len(pages))
        self.query_one("#corner", Line).update(count)
        self.query_one("#hint", Line).update(self.hint())
        self.query_one("#body").scroll_home(animate=False)
        self.note("")
        self.call_after_refresh(self._turned)

    def _turned(self) -> None:
        """The page can be seen: only now can Enter turn it."""
        self.prompt()
        if self.is_current:
            self.app.keys.appeared(self.app.clock.seconds())

    def press(self, key: str) -> None:
        if key == "backspace" and self._page:
            self._page -= 1
            self._show()
        elif key == "enter" and self._page + 1 < len(self.study.instructions):
            self._page += 1
            self._show()
        elif key == "enter":
            self.read_all()
        else:
            self.wrong_key()

    def read_all(self) -> None:
        if self.record(Read(at=self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
            self.done()


class InstructionsAgain(InstructionsPage):
    """The instructions, read again over the page that the participant came from."""

    def __init__(self) -> None:
        super().__init__()
        self.leave_next = False  # did the participant press the key for leaving?

    def always(self) -> str:
        return self.say(self.texts.leave_hint)

    def hint(self) -> str:
        return f"{super().hint()} {self.say(self.texts.reread_back)}"

    def press(self, key: str) -> None:
        if key == "escape":
            self.read_all()
        else:
            super().press(key)

    def read_all(self) -> None:
        self.app.keys.gone()
        self.dismiss()


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


class EndPage(Page):
    """The last page, however the session ended: a heading, some paragraphs, and perhaps a receipt."""

    def __init__(self, heading: str, *paragraphs: str, receipt: str | None = None) -> None:
        super().__init__()
        self._heading = heading
        self._paragraphs = paragraphs
        self._receipt = receipt

    def heading(self) -> str:
        return self._heading

    def body(self) -> ComposeResult:
        for paragraph in filter(None, self._paragraphs):
            yield Line(paragraph, classes="prose")
        if self._receipt is not None:
            yield Line(self.say(self.texts.receipt), classes="caption-left")
            yield Line(self._receipt, classes="receipt")
            yield Line(self.say(self.texts.receipt_note), classes="prose")

    def hint(self) -> str:
        return self.say(self.texts.close)

    def always(self) -> str:
        return ""  # there's nothing left to leave
