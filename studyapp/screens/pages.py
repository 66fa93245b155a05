"""The pages around the rounds: ID, consent, instructions, coming back, before a round, a break, the end."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input

from core.errors import FileError, SettingError
from studyapp.screens.letters import large
from studyapp.screens.page import EntryPage, Line, Page, bar, reflowed
from studyapp.session.events import Consented, Declined, Read, Rested, RoundBegan
from studyapp.session.ids import check_id, log_path
from studyapp.session.sitting import OverError
from studyapp.study.plan import Round

__all__ = [
    "BeginRoundPage",
    "BreakPage",
    "ConsentPage",
    "EndPage",
    "IdPage",
    "InstructionsPage",
    "ResumedPage",
]

BAR = 48  # columns


class IdPage(EntryPage):
    """Who is it?"""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._new = ""  # the ID that was said to be new

    def body(self) -> ComposeResult:
        yield Line(self.study.title, classes="topic")
        yield Line(self.say(self.texts.id_ask), classes="prose")
        yield Input(max_length=64, id="entry")

    def submit(self, written: str) -> None:
        try:
            participant = check_id(written)
        except SettingError:
            self.note(self.say(self.texts.id_wrong))
            return
        # A slip of the pen would begin a session that nobody wanted: ask, where there is none yet.
        if self._new != participant and not log_path(self.app.sessions, participant).exists():
            self._new = participant
            self.note(self.say(self.texts.id_new, id=participant))
            return
        try:
            self.app.open_sitting(participant)
        except OverError:
            self.note(self.say(self.texts.id_over, id=participant), grave=True)
            return
        except FileError as error:
            details = self.say(self.texts.details, error=str(error))
            self.note(f"{self.say(self.texts.cannot_go_on)}\n{details}", grave=True)
            return
        self.done()


class ConsentPage(Page):
    """May we?"""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.agreed: bool | None = None

    def body(self) -> ComposeResult:
        yield Line(reflowed(self.say(self.study.consent or "")), classes="prose")
        yield Line(self.say(self.texts.consent_ask), classes="ask")
        yield Line(self._choices(), id="choices")

    def hint(self) -> str:
        return self.say(self.texts.choose)

    def scrolls(self) -> bool:
        return True

    def _choices(self) -> str:
        texts = self.texts
        return self.yes_or_no(self.agreed, self.say(texts.consent_yes), self.say(texts.consent_no))

    def on_up(self) -> None:
        super().on_up()
        if self.unread():
            self.note(self.say(self.texts.more))

    def press(self, key: str) -> None:
        keys = self.study.answers
        if self.unread():  # nobody agrees to what was never on the screen
            self.note(self.say(self.texts.more))
        elif key in (keys.yes, keys.no):
            self.agreed = key == keys.yes
            self.query_one("#choices", Line).update(self._choices())
            self.note(self.say(self.texts.enter))
        elif key == "enter" and self.agreed is not None:
            at = self.sitting.at()
            if self.record(Consented(at) if self.agreed else Declined(at)):
                self.done()
        else:
            self.wrong_key()

    def wrong_key(self) -> None:
        self.note(self.hint())


class InstructionsPage(Page):
    """How it works, a page at a time."""

    def __init__(self, title: str) -> None:
        super().__init__(title, corner=" ")
        self._page = 0

    def body(self) -> ComposeResult:
        yield Line("", id="text", classes="prose")

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
        enter = self.say(self.texts.enter)
        hint = f"{enter} {self.say(self.texts.back)}" if self._page else enter
        self.query_one("#hint", Line).update(hint)
        self.query_one("#body").scroll_home(animate=False)
        self.note("")
        self.call_after_refresh(self._turned)

    def _turned(self) -> None:
        """The page can be seen: only now does Enter turn it."""
        if self.unread():
            self.note(self.say(self.texts.more))
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
            if self.record(Read(at=self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
                self.done()
        else:
            self.wrong_key()


class ResumedPage(Page):
    """Welcome back."""

    def body(self) -> ComposeResult:
        yield Line(self.say(self.texts.resumed), classes="prose")


class BeginRoundPage(Page):
    """Between two rounds: a breath, how far we are, and the next word to find."""

    def __init__(self, title: str, played: Round) -> None:
        super().__init__(title)
        self._played = played

    def say(self, text: str, **values: str | int) -> str:
        return super().say(text, target=self._played.target, **values)

    def body(self) -> ComposeResult:
        session, texts = self.sitting.session, self.texts
        yield Line(self._news(), classes="news")
        yield Line(bar(len(session.answers), len(session.plan) * self.study.questions, BAR), classes="bar")
        yield Line(self.say(texts.progress, done=session.rounds_done()), classes="caption")
        yield Line(self.say(texts.next_word), classes="label")
        yield Line(large(self._played.target), classes="target")

    def _news(self) -> str:
        number, practice = self._played.round, self.sitting.session.rounds_of_practice()
        if number <= practice:
            return self.say(self.texts.practice_note)
        if number == practice + 1:
            return self.say(self.texts.real_note) if practice else ""
        return self.say(self.texts.between_note)

    def hint(self) -> str:
        return self.say(self.texts.begin_round)

    def enter(self) -> None:
        if self.record(RoundBegan(self._played.round, at=self.sitting.at())):
            self.done()


class BreakPage(Page):
    """A break between blocks of rounds, which may have to last a while."""

    def __init__(self, title: str, after: int) -> None:
        super().__init__(title)
        self._after = after

    def body(self) -> ComposeResult:
        session = self.sitting.session
        yield Line(self.say(self.texts.break_note, done=session.rounds_done()), classes="prose")
        yield Line(bar(len(session.answers), len(session.plan) * self.study.questions, BAR), classes="bar")

    def hint(self) -> str:
        left = self._left()
        return self.say(self.texts.break_wait, seconds=left) if left else self.say(self.texts.enter)

    def on_up(self) -> None:
        super().on_up()
        self._tick()
        self.set_interval(0.5, self._tick)

    def _tick(self) -> None:
        self.query_one("#hint", Line).update(self.hint())

    def _left(self) -> int:
        assert self.study.breaks is not None
        passed = self.app.clock.seconds() - self.up_since if self.up_since else 0.0
        return max(0, round(self.study.breaks.seconds - passed + 0.49))

    def enter(self) -> None:
        if self._left():
            self.note(self.hint())
        elif self.record(Rested(self._after, at=self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
            self.done()


class EndPage(Page):
    """The last page, whatever way the session ended."""

    def __init__(self, title: str, *told: str) -> None:
        super().__init__(title)
        self._told = told

    def body(self) -> ComposeResult:
        for text in filter(None, self._told):
            yield Line(text, classes="prose")

    def hint(self) -> str:
        return self.say(self.texts.close)

    def leave_hint(self) -> str:
        return ""  # there is nothing left to leave
