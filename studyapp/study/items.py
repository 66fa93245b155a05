"""The items of a questionnaire: a choice, a scale, free text.

An item is one class that says all there is to know about its kind: which settings it has, which answers it
accepts, what a simulated participant answers, how it is shown and which keys answer it, and what its answers
are for an analysis (numbers, categories or words).  It knows no screen: it draws itself as text, and keys
take one ``Entry`` to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, GetJsonSchemaHandler, PlainValidator, SerializeAsAny, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from core.checks import did_you_mean
from core.kinds import Kinds
from studyapp.study.fields import Name, Part, Text

if TYPE_CHECKING:
    from studyapp.study.texts import Texts

__all__ = [
    "ITEMS",
    "AnyItem",
    "Categories",
    "Choice",
    "Entry",
    "FreeText",
    "Item",
    "Numbers",
    "Scale",
    "Words",
]

MOST_CHOICES = 9  # each has a digit as its key
ON, OFF = "●", "○"

Value = str | int | None


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
    typed: str = ""  # digits typed so far


class Item(Part):
    """A question with its answer: the base of all kinds."""

    name: ClassVar[str]  # of the kind, as in a study file
    typed: ClassVar[bool] = False  # is the answer typed on a line, rather than given by single keys?

    kind: str
    id: Name  # under which the answer is in the log
    ask: Text = Field(min_length=1)
    optional: bool = False

    @property
    def measure(self) -> Measure:
        raise NotImplementedError

    def accepts(self, value: str | int) -> bool:
        """Is this an answer to the item?"""
        raise NotImplementedError

    def simulated(self, uniform: float) -> Value:
        """What a simulated participant answers, from a random number between 0 and 1."""
        raise NotImplementedError

    def hint(self, texts: Texts) -> str:
        """Which keys give an answer."""
        raise NotImplementedError

    def draw(self, entry: Entry) -> str:
        """The answers that can be given, and the one that is chosen."""
        raise NotImplementedError

    def line(self, entry: Entry) -> int:
        """The line of the drawing that must be in sight."""
        del entry
        return 0

    def press(self, entry: Entry, key: str) -> Entry | None:
        """The entry after a key; None if the key means nothing here."""
        raise NotImplementedError

    @classmethod
    def of(cls, data: object) -> type[Part]:
        kind = data.get("kind") if isinstance(data, dict) else None
        return ITEMS[kind] if isinstance(kind, str) and kind in ITEMS else cls


ITEMS: Kinds[type[Item]] = Kinds("kind of item")


@ITEMS.add
class Choice(Item):
    """One of a few."""

    name: ClassVar[str] = "choice"

    kind: Literal["choice"]
    choices: list[Text] = Field(min_length=2, max_length=MOST_CHOICES)

    @model_validator(mode="after")
    def _all_differ(self) -> Choice:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("two of the choices are the same; make them differ")
        return self

    @property
    def measure(self) -> Categories:
        return Categories(tuple(self.choices))

    def accepts(self, value: str | int) -> bool:
        return value in self.choices

    def simulated(self, uniform: float) -> str:
        return self.choices[int(uniform * len(self.choices))]

    def hint(self, texts: Texts) -> str:
        return texts.choice_hint

    def draw(self, entry: Entry) -> str:
        return "\n".join(
            f"{ON if choice == entry.value else OFF} {number}  {choice}"
            for number, choice in enumerate(self.choices, start=1)
        )

    def line(self, entry: Entry) -> int:
        return self._index(entry) or 0

    def _index(self, entry: Entry) -> int | None:
        return None if entry.value is None else self.choices.index(str(entry.value))

    def press(self, entry: Entry, key: str) -> Entry | None:
        count = len(self.choices)
        at = self._index(entry)
        if key.isdecimal() and 1 <= int(key) <= count:
            return Entry(self.choices[int(key) - 1])
        if key in ("down", "up"):
            step = 1 if key == "down" else -1
            first = 0 if step > 0 else count - 1
            return Entry(self.choices[first if at is None else (at + step) % count])
        return Entry() if key in ("backspace", "delete") else None


@ITEMS.add
class Scale(Item):
    """A whole number from ``least`` to ``most``, with words at both ends."""

    name: ClassVar[str] = "scale"

    kind: Literal["scale"]
    least: int = Field(1, ge=0, le=1)
    most: int = Field(7, ge=2, le=21)
    low: Text = ""
    high: Text = ""

    @property
    def measure(self) -> Numbers:
        return Numbers(self.least, self.most)

    def accepts(self, value: str | int) -> bool:
        return isinstance(value, int) and self.least <= value <= self.most

    def simulated(self, uniform: float) -> int:
        return self.least + int(uniform * (self.most - self.least + 1))

    def hint(self, texts: Texts) -> str:
        return texts.scale_hint.format(least=self.least, most=self.most)

    def draw(self, entry: Entry) -> str:
        steps = range(self.least, self.most + 1)
        ends_width = len(self.low) + len(self.high) + 2
        cell = max(4, min(10, -(-ends_width // len(steps)))) if len(steps) <= 11 else 2
        width = cell * len(steps)
        marks = "".join((ON if step == entry.value else OFF).center(cell) for step in steps)
        ends = f"{self.low}{self.high.rjust(max(1 + len(self.high), width - len(self.low)))}"
        chosen = "" if entry.value is None else str(entry.value)
        numbers = "".join(str(step).center(cell) for step in steps) if cell >= 4 else ""
        below = numbers or f"{self.least}{str(self.most).rjust(width - len(str(self.least)))}"
        return f"{ends}\n{marks}\n{below}\n\n{chosen.center(width)}"

    def press(self, entry: Entry, key: str) -> Entry | None:
        if key.isdecimal():
            return self._type(entry, key)
        if key in ("right", "left"):
            if not isinstance(entry.value, int):
                return Entry((self.least + self.most) // 2)
            step = 1 if key == "right" else -1
            return Entry(min(self.most, max(self.least, entry.value + step)))
        return Entry() if key in ("backspace", "delete") else None

    def _type(self, entry: Entry, digit: str) -> Entry | None:
        """The second digit of 12 follows the 1; where it cannot, it begins a new number."""
        for typed in (entry.typed + digit, digit):
            number = int(typed)
            if len(typed) <= 2 and number <= self.most and (number >= self.least or typed == "0"):
                return Entry(number if number >= self.least else None, typed)
        return None


@ITEMS.add
class FreeText(Item):
    """Whatever the participant wants to say, on one line."""

    name: ClassVar[str] = "text"
    typed: ClassVar[bool] = True

    kind: Literal["text"]
    longest: int = Field(500, ge=1, le=5000)

    @property
    def measure(self) -> Words:
        return Words()

    def accepts(self, value: str | int) -> bool:
        return isinstance(value, str) and len(value) <= self.longest

    def simulated(self, uniform: float) -> str | None:
        del uniform
        return None if self.optional else "simulated"[: self.longest]

    def hint(self, texts: Texts) -> str:
        return texts.text_hint


def _of_its_kind(data: object) -> Item:
    """An item, as the class of its kind has it."""
    if isinstance(data, Item):
        return data
    if not isinstance(data, Mapping):
        raise ValueError("an item is made of settings: kind, id, ask, ...")
    kind = data.get("kind")
    names = ", ".join(ITEMS.names)
    if kind is None:
        raise ValueError(f"kind is missing; allowed: {names}")
    if kind not in ITEMS:
        raise ValueError(f"kind is {kind!r}{did_you_mean(kind, ITEMS.names)}; allowed: {names}")
    return ITEMS[kind].model_validate(data)


class _AnyKind:
    """Describes a field that holds an item of any kind."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema
        return {"oneOf": [handler(kind.__pydantic_core_schema__) for kind in ITEMS]}


AnyItem = Annotated[SerializeAsAny[Item], PlainValidator(_of_its_kind), _AnyKind()]
