"""The items of a questionnaire: a choice, a scale, free text.

One class describes one kind of item in full: its settings, which answers it accepts, what a simulated
participant answers, how it is drawn, which keys and clicks answer it, and how an analysis treats its
answers (as numbers, categories or words).  It knows no screen: it draws itself as text, and each key or
click turns one ``Entry`` into the next.  Texts for participants are of the type ``LineInRound`` and pass
through ``say``, which fills in their placeholders, before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, GetJsonSchemaHandler, PlainValidator, SerializeAsAny, TypeAdapter, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from core.kinds import Kinds
from core.wording import did_you_mean
from studyapp.study.fields import LineInRound, Name, Part

if TYPE_CHECKING:
    from studyapp.study.texts import Texts

MOST_CHOICES = 9  # each has a digit as its key
ON, OFF = "●", "○"

Value = str | int | None
Say = Callable[..., str]  # say(text, **values): the text with its placeholders filled in


@dataclass(frozen=True)
class Numbers:
    """Answers are numbers from ``least`` to ``most``: an analysis takes their mean."""

    least: float
    most: float


@dataclass(frozen=True)
class Categories:
    """Answers are one of these: an analysis counts them."""

    levels: tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """Answers are free text: an analysis lists them."""


Measure = Numbers | Categories | Words


@dataclass(frozen=True)
class Entry:
    """An answer while it is being given."""

    value: Value = None
    typed: str = ""  # digits or text typed so far


class Item(Part):
    """A question in a questionnaire: the base of all kinds."""

    name: ClassVar[str]  # of the kind, as in a study file
    typed: ClassVar[bool] = False  # is the answer typed as text, rather than given by single keys?

    kind: str
    id: Name = Field(description="the item's name in logs and tables")
    ask: LineInRound = Field(min_length=1, description="the question")
    optional: bool = Field(default=False, description="may it be left unanswered?")

    @property
    def measure(self) -> Measure:
        """How an analysis treats the answers."""
        raise NotImplementedError

    def lines(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """The texts that a participant reads, each with its place in the item."""
        for field, value in self:
            if field in ("kind", "id"):
                continue
            if isinstance(value, str):
                yield (field,), value
            elif isinstance(value, list):
                yield from (((field, i), text) for i, text in enumerate(value) if isinstance(text, str))

    def accepts(self, value: str | int) -> bool:
        """Is this an answer to the item?"""
        raise NotImplementedError

    def simulated(self, uniform: float) -> Value:
        """What a simulated participant answers, from a random number between 0 and 1."""
        raise NotImplementedError

    def hint(self, texts: Texts, say: Say) -> str:
        """How to choose an answer; the page itself says how to confirm it."""
        raise NotImplementedError

    def draw(self, entry: Entry, say: Say) -> str:
        """The possible answers, with the chosen one marked."""
        raise NotImplementedError

    def line(self, entry: Entry) -> int:
        """The line of the drawing that must stay visible."""
        del entry
        return 0

    @property
    def longest_text(self) -> int:
        """The number of characters that can be typed; 0 for any number."""
        return 0

    def read(self, text: str) -> Value:
        """The answer that was typed."""
        return text

    def press(self, entry: Entry, key: str) -> Entry | None:
        """The entry after a key; None if the key does nothing here."""
        raise NotImplementedError

    def click(self, line: int, column: int, say: Say) -> Entry | None:
        """The entry after a click on a line of the drawing; None if it does nothing there."""
        del line, column, say
        return None

    def wording(self, value: Value, say: Say) -> str:
        """An answer as the participant reads it."""
        del say
        return str(value)

    @classmethod
    def class_for(cls, data: object) -> type[Part]:
        kind = data.get("kind") if isinstance(data, dict) else None
        return ITEMS[kind] if isinstance(kind, str) and kind in ITEMS else cls


ITEMS: Kinds[type[Item]] = Kinds("kind of item")


@ITEMS.add
class Choice(Item):
    """One of a few answers.  A log holds the answer as the study file has it."""

    name: ClassVar[str] = "choice"

    kind: Literal["choice"]
    choices: list[LineInRound] = Field(
        min_length=2, max_length=MOST_CHOICES, description="the possible answers"
    )

    @model_validator(mode="after")
    def _all_differ(self) -> Choice:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("two choices are the same; change or remove one")
        return self

    @property
    def measure(self) -> Categories:
        return Categories(tuple(self.choices))

    def accepts(self, value: str | int) -> bool:
        return value in self.choices

    def simulated(self, uniform: float) -> str:
        return self.choices[int(uniform * len(self.choices))]

    def hint(self, texts: Texts, say: Say) -> str:
        return say(texts.choice_hint)

    def draw(self, entry: Entry, say: Say) -> str:
        return "\n".join(
            f"{ON if choice == entry.value else OFF} {number}  {say(choice)}"
            for number, choice in enumerate(self.choices, start=1)
        )

    def line(self, entry: Entry) -> int:
        return self._index(entry) or 0

    def _index(self, entry: Entry) -> int | None:
        return None if entry.value is None else self.choices.index(str(entry.value))

    def press(self, entry: Entry, key: str) -> Entry | None:
        count = len(self.choices)
        index = self._index(entry)
        if key.isdecimal() and 1 <= int(key) <= count:
            return Entry(self.choices[int(key) - 1])
        if key in ("down", "up"):
            step = 1 if key == "down" else -1
            first = 0 if step > 0 else count - 1
            return Entry(self.choices[first if index is None else (index + step) % count])
        return Entry() if key == "delete" else None

    def click(self, line: int, column: int, say: Say) -> Entry | None:
        del column, say
        return Entry(self.choices[line]) if line < len(self.choices) else None

    def wording(self, value: Value, say: Say) -> str:
        return say(str(value))


@ITEMS.add
class Scale(Item):
    """A whole number from ``least`` to ``most``, with words at both ends."""

    name: ClassVar[str] = "scale"

    kind: Literal["scale"]
    least: int = Field(default=1, ge=0, le=1, description="the lowest number")
    most: int = Field(default=7, ge=2, le=21, description="the highest number")
    low: LineInRound = Field(default="", description="what the lowest number means")
    high: LineInRound = Field(default="", description="what the highest number means")

    @property
    def measure(self) -> Numbers:
        return Numbers(self.least, self.most)

    def accepts(self, value: str | int) -> bool:
        return isinstance(value, int) and self.least <= value <= self.most

    def simulated(self, uniform: float) -> int:
        return self.least + int(uniform * (self.most - self.least + 1))

    def hint(self, texts: Texts, say: Say) -> str:
        return say(texts.scale_hint, least=self.least, most=self.most)

    def _cell(self, say: Say) -> int:
        """The columns of one step."""
        steps = self.most - self.least + 1
        ends_width = len(say(self.low)) + len(say(self.high)) + 2
        return max(4, min(10, -(-ends_width // steps))) if steps <= 11 else 2

    def draw(self, entry: Entry, say: Say) -> str:
        low, high = say(self.low), say(self.high)
        steps, cell = range(self.least, self.most + 1), self._cell(say)
        width = cell * len(steps)
        marks = "".join((ON if step == entry.value else OFF).center(cell) for step in steps)
        ends = f"{low}{high.rjust(max(1 + len(high), width - len(low)))}"
        if cell >= 4:  # room for a number below every step
            return f"{ends}\n{marks}\n{''.join(str(step).center(cell) for step in steps)}"
        limits = f"{self.least}{str(self.most).rjust(width - len(str(self.least)))}"
        indent = " " * (cell * (int(entry.value) - self.least)) if entry.value is not None else ""
        chosen = "" if entry.value is None else str(entry.value)
        return f"{ends}\n{marks}\n{indent}{chosen}\n{limits}"

    def press(self, entry: Entry, key: str) -> Entry | None:
        if key.isdecimal():
            return self._type(entry, key)
        if key in ("right", "left"):
            if not isinstance(entry.value, int):
                return Entry((self.least + self.most) // 2)
            step = 1 if key == "right" else -1
            return Entry(min(self.most, max(self.least, entry.value + step)))
        return Entry() if key == "delete" else None

    def click(self, line: int, column: int, say: Say) -> Entry | None:
        step = self.least + column // self._cell(say)
        return Entry(step) if line in (1, 2) and step <= self.most else None

    def wording(self, value: Value, say: Say) -> str:
        """The number with what the ends mean: by itself, nobody could check it."""
        ends = [(self.least, say(self.low)), (self.most, say(self.high))]
        meant = ", ".join(f"{number}: {text}" for number, text in ends if text)
        return f"{value} ({meant})" if meant else str(value)

    def _type(self, entry: Entry, digit: str) -> Entry | None:
        """A second digit continues the number (1, then 12) where it can; otherwise it starts a new one."""
        for typed in (entry.typed + digit, digit):
            number = int(typed)
            if len(typed) <= 2 and number <= self.most and (number >= self.least or typed == "0"):
                return Entry(number if number >= self.least else None, typed)
        return None


@ITEMS.add
class FreeText(Item):
    """Free text, of one line or several."""

    name: ClassVar[str] = "text"
    typed: ClassVar[bool] = True

    kind: Literal["text"]
    longest: int = Field(default=500, ge=1, le=5000, description="how many characters an answer may have")

    @property
    def measure(self) -> Words:
        return Words()

    @property
    def longest_text(self) -> int:
        return self.longest

    def accepts(self, value: str | int) -> bool:
        return isinstance(value, str) and len(value) <= self.longest

    def simulated(self, uniform: float) -> str | None:
        del uniform
        return None if self.optional else "simulated"[: self.longest]

    def hint(self, texts: Texts, say: Say) -> str:
        return say(texts.text_hint)


def _of_its_kind(data: object) -> Item:
    """The item, read by the class of its kind."""
    if isinstance(data, Item):
        return data
    if not isinstance(data, Mapping):
        raise ValueError("an item consists of settings: kind, id, ask, ...")
    kind = data.get("kind")
    names = ", ".join(ITEMS.names)
    if kind is None:
        raise ValueError(f"kind is missing; allowed: {names}")
    if not isinstance(kind, str) or kind not in ITEMS:
        raise ValueError(f"kind is {kind!r}{did_you_mean(kind, ITEMS.names)}; allowed: {names}")
    return ITEMS[kind].model_validate(data)


class _AnyKind:
    """The JSON Schema of a field that holds an item of any kind."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema
        return {"oneOf": [handler(kind.__pydantic_core_schema__) for kind in ITEMS]}


AnyItem = Annotated[SerializeAsAny[Item], PlainValidator(_of_its_kind), _AnyKind()]
ITEM_OF_ANY_KIND: TypeAdapter[Item] = TypeAdapter(AnyItem)
