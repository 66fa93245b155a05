"""Questionnaires: one item per page.

An item itself decides what it shows, and which keys and clicks answer it (``studyapp.study.items``).  The
page puts it on the screen and saves the answer.  Until the items that are asked together are confirmed, the
participant can go back from one to the one before it, and change answers that are saved already.
"""

from __future__ import annotations

import unicodedata

from textual.app import ComposeResult
from textual.content import Content
from textual.events import MouseDown
from textual.style import Style
from textual.widgets import Static

from core.wording import visible
from studyapp.screens.page import Page
from studyapp.screens.widgets import Line, TextEntry
from studyapp.session.events import Confirmed, Responded
from studyapp.session.session import AskItem, ConfirmItems, Step
from studyapp.study.items import Entry


def item_page(step: AskItem) -> ItemPage:
    """The page for an item."""
    return TypedItemPage(step) if step.item.typed else KeyItemPage(step)


class QuestionnairePage(Page):
    """What the pages with the items, and the one after them, share."""

    ONLY_ENTER = False

    def __init__(self, after: int | None) -> None:
        super().__init__()
        self._after = after  # the round that has just ended, if they're asked after a round
        self._back = False  # is the participant going back?

    def say(self, text: str, **values: str | int) -> str:
        if self._after is not None:
            values["target"] = self.sitting.session.plan[self._after - 1].target
        return super().say(text, **values)

    def go_back(self) -> None:
        self._back = True
        self.done()


class ItemPage(QuestionnairePage):
    """An item and the answer given so far."""

    def __init__(self, step: AskItem) -> None:
        super().__init__(step.after)
        self.step = step

    @property
    def entry(self) -> Entry:
        """The answer as it is on the page: what was entered, or else what was saved."""
        saved = self.sitting.session.response_to(self.step)
        return self.app.drafts.get(self._key, Entry() if saved is None else self.entered(saved))

    @entry.setter
    def entry(self, entry: Entry) -> None:
        self.app.drafts[self._key] = entry  # it stays if the participant goes back, and returns

    @property
    def _key(self) -> tuple[str, str]:
        return self.step.questionnaire, self.step.item.id

    def entered(self, saved: Responded) -> Entry:
        """A saved answer as it was entered."""
        return Entry(saved.value)

    def heading(self) -> str:
        return self.say(self.texts.questionnaire, item=self.step.place, items=self.step.total)

    def body(self) -> ComposeResult:
        yield Line(self.say(self.step.item.ask), classes="ask-item")
        if self.step.item.optional:
            yield Line(self.say(self.texts.optional), classes="caption-left")
        yield from self.answers()

    def answers(self) -> ComposeResult:
        """The part of the page where the answer is given."""
        raise NotImplementedError

    # --- saving, and which item comes next

    def enter(self) -> None:
        """Save the answer, if there is one or none is needed."""
        step, value = self.step, self.entry.value
        if value is None and not step.item.optional:
            self.note(self.say(self.texts.needed))
            return
        if value is not None and not step.item.accepts(value):
            self.note(step.item.hint(self.texts, self.say))
            return
        saved = self.sitting.session.response_to(step)
        if saved is not None and saved.value == value:  # looked at again, and left as it was
            self._leave()
            return
        response = Responded(
            step.questionnaire,
            step.item.id,
            step.after,
            value,
            self.sitting.at(),
            rt_ms=self.ms_up(),
            away_ms=self.ms_away(),
        )
        if self.record(response):
            self._leave()

    def _leave(self) -> None:
        self.app.drafts.pop(self._key, None)
        self.done()

    def press(self, key: str) -> None:
        if key == "backspace" and self.step.place > 1:
            self.go_back()
        else:
            super().press(key)

    def next_step(self) -> Step:
        session = self.sitting.session
        asked = session.items_asked()
        following = self.step.place - 2 if self._back else self.step.place
        return asked[following] if following < len(asked) else session.step

    def given(self, alone: str, together: str) -> str:
        """Which of two prompts follows an answer: items that are asked together are confirmed later."""
        return alone if self.step.total == 1 else together

    def with_back(self, hint: str) -> str:
        """The hint, and how to go back, if there is anything to go back to."""
        return f"{hint} {self.say(self.texts.back)}" if self.step.place > 1 else hint


class KeyItemPage(ItemPage):
    """An item that single keys answer."""

    def answers(self) -> ComposeResult:
        yield Static(self._drawn(), markup=False, id="drawn")

    def _drawn(self) -> Content:
        """The drawing, of which every line knows its number: a long one may be wrapped."""
        lines = self.step.item.draw(self.entry, self.say).split("\n")
        numbered = enumerate(map(visible, lines))
        return Content("\n").join(
            Content.styled(line, Style.from_meta({"line": number})) for number, line in numbered
        )

    def hint(self) -> str:
        if self.entry.value is not None:
            return self.with_back(self.say(self.given(self.texts.confirm, self.texts.item_given)))
        hint = self.step.item.hint(self.texts, self.say)
        return self.with_back(f"{hint} {self.say(self.texts.skip)}" if self.step.item.optional else hint)

    def press(self, key: str) -> None:
        entry = None if key in ("enter", "backspace") else self.step.item.press(self.entry, key)
        if entry is None:
            super().press(key)
        else:
            self._choose(entry)

    def on_mouse_down(self, event: MouseDown) -> None:
        event.stop()
        line = event.style.meta.get("line")
        if line is None or event.button != 1:
            return
        column = event.screen_x - self.query_one("#drawn").region.x
        entry = self.step.item.click(line, column, self.say)
        if entry is not None and self.is_meant("click", event.time):
            self._choose(entry)

    def _choose(self, entry: Entry) -> None:
        self.entry = entry
        self.note("")
        self.prompt()
        drawn = self.query_one("#drawn", Static)
        drawn.update(self._drawn())
        # In a small window the item may be longer than the page: keep the chosen answer in view.
        line = drawn.virtual_region.y + self.step.item.line(entry)
        self.query_one("#body").scroll_to(y=line - 2, animate=False)


class TypedItemPage(ItemPage):
    """An item that text answers.

    While the participant writes, Enter begins a new line, as in any text.  Tab leaves the text, and from
    then on Enter confirms it: a key that every terminal has.  A text that was confirmed before begins as one
    that was left: Backspace, which led to it, goes on going back, and erases nothing.
    """

    def answers(self) -> ComposeResult:
        yield TextEntry(self.entry.typed, longest=self.step.item.longest_text, id="entry")

    def entered(self, saved: Responded) -> Entry:
        return Entry(saved.value, "" if saved.value is None else str(saved.value))

    def on_up(self) -> None:
        super().on_up()
        if self.sitting.session.response_to(self.step) is None:
            self._text.focus()
        else:
            self.prompt()

    @property
    def _text(self) -> TextEntry:
        return self.query_one(TextEntry)

    def hint(self) -> str:
        if not self.is_mounted or self._text.has_focus:
            return self.say(self.texts.text_hint)
        empty = self.texts.text_skip if self.step.item.optional else self.texts.text_empty
        written = self.given(self.texts.text_confirm, self.texts.text_given)
        return self.with_back(self.say(written if self._plain() else empty))

    def passes_on(self, key: str) -> bool:
        return self._text.has_focus and key != "tab"

    def press(self, key: str) -> None:
        if key == "tab":
            self.set_focus(None if self._text.has_focus else self._text)
            self.note("")
        else:
            super().press(key)

    def on_descendant_focus(self) -> None:
        self.prompt()

    def on_descendant_blur(self) -> None:
        self.prompt()

    def enter(self) -> None:
        self._take()  # news of the last change may still be on its way
        super().enter()
        if self._is_on() and self.entry.value is None:
            self._text.focus()

    def _take(self) -> bool:
        """Take what was typed as the answer; has it changed?"""
        typed = self._text.text
        if typed == self.entry.typed:
            return False
        plain = self._plain()
        self.entry = Entry(self.step.item.read(plain) if plain else None, typed)
        return True

    def _plain(self) -> str:
        """What was typed, without spaces around it."""
        return "".join(" " if unicodedata.category(c) == "Zs" else c for c in self._text.text).strip()

    def on_text_area_changed(self) -> None:
        if self._take():
            longest = self.step.item.longest_text
            full = bool(longest) and len(self.entry.typed) >= longest
            self.note(self.say(self.texts.text_full, longest=longest) if full else "")


class ConfirmItemsPage(QuestionnairePage):
    """All items that were asked together, with their answers.  Enter makes them final."""

    def __init__(self, step: ConfirmItems) -> None:
        super().__init__(step.after)

    def heading(self) -> str:
        return self.say(self.texts.check_title)

    def body(self) -> ComposeResult:
        yield Line(self.say(self.texts.check_note), classes="prose")
        for step in self.sitting.session.items_asked():
            yield Line(self.say(step.item.ask), classes="checked-item")
            yield Line(self._answer(step), classes="checked-answer")

    def _answer(self, step: AskItem) -> str:
        response = self.sitting.session.response_to(step)
        if response is None or response.value is None:
            return self.say(self.texts.skipped)
        return step.item.wording(response.value, self.say)

    def hint(self) -> str:
        return f"{self.once_read(self.say(self.texts.check_confirm))} {self.say(self.texts.back)}"

    def scrolls(self) -> bool:
        return True

    def press(self, key: str) -> None:
        if key == "backspace":
            self.go_back()
        elif self.unread():  # nobody can confirm answers they haven't seen; the foot says how to see them
            self.wrong_key()
        else:
            super().press(key)

    def enter(self) -> None:
        if self.record(Confirmed(self._after, self.sitting.at(), ms=self.ms_up(), away_ms=self.ms_away())):
            self.done()

    def next_step(self) -> Step:
        session = self.sitting.session
        return session.items_asked()[-1] if self._back else session.step
