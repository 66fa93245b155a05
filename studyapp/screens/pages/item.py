"""Questionnaires: one item per page.

An item itself decides what it shows and which keys answer it (``studyapp.study.items``).  The page puts it on
the screen and saves the answer.
"""

from __future__ import annotations

from textual.app import ComposeResult

from studyapp.screens.pages.base import Line, Page
from studyapp.screens.pages.entry import EntryPage, Field
from studyapp.session.events import Responded
from studyapp.session.session import AskItem
from studyapp.study.items import Entry

__all__ = ["ItemPage", "KeyItemPage", "TypedItemPage", "item_page"]


def item_page(step: AskItem) -> ItemPage:
    """The page for an item."""
    return TypedItemPage(step) if step.item.typed else KeyItemPage(step)


class ItemPage(Page):
    """An item and the answer given so far."""

    def __init__(self, step: AskItem) -> None:
        super().__init__()
        self.step = step
        self.entry = Entry()

    def say(self, text: str, **values: str | int) -> str:
        if self.step.after is not None:  # a round has just ended
            values["target"] = self.sitting.session.plan[self.step.after - 1].target
        return super().say(text, **values)

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

    def hint(self) -> str:
        return self.step.item.hint(self.texts, self.say)

    def enter(self) -> None:
        self.answer()

    def answer(self) -> None:
        """Save the answer, if there is one or none is needed."""
        step, value = self.step, self.entry.value
        if value is None and not step.item.optional:
            self.note(self.say(self.texts.needed))
            return
        if value is not None and not step.item.accepts(value):
            self.note(self.hint())
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
            self.done()

    def wrong_key(self) -> None:
        self.note(self.hint())


class KeyItemPage(ItemPage):
    """An item that single keys answer."""

    def answers(self) -> ComposeResult:
        yield Line(self.step.item.draw(self.entry, self.say), id="drawn")

    def press(self, key: str) -> None:
        entry = None if key == "enter" else self.step.item.press(self.entry, key)
        if entry is None:
            super().press(key)
            return
        self.entry = entry
        self.note("")
        drawn = self.query_one("#drawn", Line)
        drawn.update(self.step.item.draw(entry, self.say))
        # In a small window the item may be longer than the page: keep the chosen answer in view.
        line = drawn.virtual_region.y + self.step.item.line(entry)
        self.query_one("#body").scroll_to(y=line - 2, animate=False)


class TypedItemPage(EntryPage, ItemPage):
    """An item that a line of text answers."""

    def answers(self) -> ComposeResult:
        yield Field(max_length=self.step.item.longest_text, id="entry")

    def submit(self, text: str) -> None:
        self.entry = Entry(self.step.item.read(text) if text else None)
        self.answer()
