"""Questionnaires: one item a page."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input

from studyapp.screens.page import EntryPage, Line, Page
from studyapp.session.events import Responded
from studyapp.session.session import AskItem
from studyapp.study.questionnaires import Choice, FreeText, Scale

__all__ = ["item_page"]


def item_page(title: str, step: AskItem) -> ItemPage:
    """The page for an item."""
    match step.item:
        case Choice():
            return ChoicePage(title, step)
        case Scale():
            return ScalePage(title, step)
        case FreeText():
            return TextPage(title, step)


class ItemPage(Page):
    """An item and its answer, if it has one."""

    def __init__(self, title: str, step: AskItem) -> None:
        super().__init__(title)
        self.step = step
        self.value: str | int | None = None

    def body(self) -> ComposeResult:
        yield Line(self.step.item.ask, classes="ask-item")
        if self.step.item.optional:
            yield Line(self.texts.optional, classes="caption-left")
        yield from self.answers()

    def answers(self) -> ComposeResult:
        """What can be answered."""
        yield from ()

    def enter(self) -> None:
        self.answer()

    def answer(self) -> None:
        if self.value is None and not self.step.item.optional:
            self.note(self.texts.needed)
            return
        step = self.step
        response = Responded(
            step.questionnaire,
            step.item.id,
            step.after,
            self.value,
            self.sitting.at(),
            rt_ms=self.ms_up(),
            away_ms=self.ms_away(),
        )
        if self.record(response):
            self.done()

    def wrong_key(self) -> None:
        self.note(self.hint())


class ChoicePage(ItemPage):
    """One of a few, by its number or with the arrows."""

    def answers(self) -> ComposeResult:
        yield Line(self._list(), id="list")

    def hint(self) -> str:
        return self.texts.choice_hint

    @property
    def _choices(self) -> list[str]:
        assert isinstance(self.step.item, Choice)
        return self.step.item.choices

    def _list(self) -> str:
        return "\n".join(
            f"{'●' if choice == self.value else '○'} {number}  {choice}"
            for number, choice in enumerate(self._choices, start=1)
        )

    def press(self, key: str) -> None:
        choices = self._choices
        at = choices.index(str(self.value)) if self.value is not None else None
        if key.isdecimal() and 1 <= int(key) <= len(choices):
            at = int(key) - 1
        elif key in ("down", "up"):
            step = 1 if key == "down" else -1
            at = (0 if step > 0 else len(choices) - 1) if at is None else (at + step) % len(choices)
        elif key in ("backspace", "delete"):
            at = None
        else:
            super().press(key)
            return
        self.value = None if at is None else choices[at]
        self.note("")
        self.query_one("#list", Line).update(self._list())
        if at is not None:  # in a low window the list may be longer than the page
            self.query_one("#body").scroll_to(
                y=self.query_one("#list").virtual_region.y + at - 2, animate=False
            )


class ScalePage(ItemPage):
    """A step of a scale, typed or with the arrows."""

    def __init__(self, title: str, step: AskItem) -> None:
        super().__init__(title, step)
        self._typed = ""

    def answers(self) -> ComposeResult:
        yield Line(self._scale(), id="scale")

    def hint(self) -> str:
        scale = self._item
        return self.texts.scale_hint.format(least=scale.least, most=scale.most)

    @property
    def _item(self) -> Scale:
        assert isinstance(self.step.item, Scale)
        return self.step.item

    def _scale(self) -> str:
        scale = self._item
        steps = range(scale.least, scale.most + 1)
        ends_width = len(scale.low) + len(scale.high) + 2
        cell = max(4, min(10, -(-ends_width // len(steps)))) if len(steps) <= 11 else 2
        width = cell * len(steps)
        marks = "".join(("●" if step == self.value else "○").center(cell) for step in steps)
        ends = f"{scale.low}{scale.high.rjust(max(1 + len(scale.high), width - len(scale.low)))}"
        chosen = "" if self.value is None else str(self.value)
        numbers = "".join(str(step).center(cell) for step in steps) if cell >= 4 else ""
        below = numbers or f"{scale.least}{str(scale.most).rjust(width - len(str(scale.least)))}"
        return f"{ends}\n{marks}\n{below}\n\n{chosen.center(width)}"

    def press(self, key: str) -> None:
        scale = self._item
        if key.isdecimal():
            # The second digit of 12 follows the 1; where it cannot, it begins anew.
            for typed in (self._typed + key, key):
                if (
                    len(typed) <= 2
                    and int(typed) <= scale.most
                    and (int(typed) >= scale.least or typed == "0")
                ):
                    self._typed = typed
                    break
            else:
                self.wrong_key()
                return
            self.value = int(self._typed) if int(self._typed) >= scale.least else None
        elif key in ("right", "left"):
            self._typed = ""
            middle = (scale.least + scale.most) // 2
            now = self.value if isinstance(self.value, int) else None
            step = 1 if key == "right" else -1
            self.value = middle if now is None else min(scale.most, max(scale.least, now + step))
        elif key in ("backspace", "delete"):
            self._typed, self.value = "", None
        else:
            super().press(key)
            return
        self.note("")
        self.query_one("#scale", Line).update(self._scale())


class TextPage(EntryPage, ItemPage):
    """Free text."""

    def answers(self) -> ComposeResult:
        assert isinstance(self.step.item, FreeText)
        yield Input(max_length=self.step.item.longest, id="entry")

    def hint(self) -> str:
        return self.texts.text_hint

    def submit(self, written: str) -> None:
        self.value = written or None
        self.answer()
