"""The instructions, one page at a time."""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page
from studyapp.screens.text_layout import reflowed
from studyapp.session.events import Read

__all__ = ["InstructionsAgain", "InstructionsPage"]


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
