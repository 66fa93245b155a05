"""Rules between the settings of a study file, and between them and the words.

Each rule looks at a ``Draft``, which holds whatever can be read of a file, so that a fault in one setting
does not hide a fault in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.errors import SettingError
from core.settings import Settings
from core.wording import did_you_mean
from studyapp.study.faults import Fault, quoted
from studyapp.study.fields import IN_ROUND, Text, fill, names_in
from studyapp.study.ids import MOST_IDS
from studyapp.study.items import ITEM_OF_ANY_KIND, Item
from studyapp.study.loaded import size_problem
from studyapp.study.questionnaires import READY_MADE, Questionnaire
from studyapp.study.study import (
    MOST_ITEMS,
    MOST_MODELS,
    MOST_QUESTIONNAIRES,
    MOST_TARGETS,
    LearnerSettings,
    Study,
)

TEXT: TypeAdapter[str] = TypeAdapter(Text)
LEARNER = TypeAdapter(LearnerSettings)

Kind = TypeVar("Kind")

# The most entries of each list and group that a rule looks at, as in ``Study``.
MOST = {
    "targets": MOST_TARGETS,
    "practice": MOST_TARGETS,
    "ids": MOST_IDS,
    "after_round": MOST_QUESTIONNAIRES,
    "at_end": MOST_QUESTIONNAIRES,
    "questionnaires": MOST_QUESTIONNAIRES,
    "models": MOST_MODELS,
}
MOST_GUESSES = 10  # unknown words of a list with a suggestion: each is compared with all words


class Draft:
    """What a study file says, as far as it can be read.

    A list or group that is too long counts as empty: that is a fault of its own, and the only one to correct.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    @property
    def words(self) -> str | None:
        """The word set; None if it is not valid."""
        return _valid(TEXT, self._data.get("words", Study.model_fields["words"].default)) or None

    def texts(self, setting: str) -> list[tuple[int, str]]:
        """The texts in a list, each with its index."""
        entries = _list(self._data.get(setting), MOST[setting])
        return [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, str)]

    def whole(self, setting: str, default: int | None = None) -> int | None:
        """A whole number, such as ``questions`` or ``bonus.rounds``; None if it is not valid."""
        value: Any = self._data
        for part in setting.split("."):
            value = value.get(part, default) if isinstance(value, dict) else default
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def group(self, setting: str) -> dict[str, Any]:
        """Named settings, such as the models."""
        value = self._data.get(setting)
        return value if isinstance(value, dict) and len(value) <= MOST[setting] else {}

    def targets(self, words: Sequence[str] | None) -> int | None:
        """The number of targets; None if it is not known."""
        targets = self._data.get("targets", "all")
        listed = words if targets == "all" else targets if isinstance(targets, list) else None
        return None if listed is None else len(listed)

    def items(self, questionnaire: str) -> list[tuple[int, Item]]:
        """The valid items of a questionnaire, each with its index."""
        entries = _list(self.group("questionnaires").get(questionnaire), MOST_ITEMS)
        return [
            (index, item)
            for index, entry in enumerate(entries)
            if (item := _valid(ITEM_OF_ANY_KIND, entry)) is not None
        ]

    def settings(self, model: str) -> Settings | None:
        """The settings of a model's learner; None if they are not valid."""
        shared = _valid(LEARNER, self._data.get("learner", {}))
        own = _valid(LEARNER, self.group("models")[model])
        if shared is None or own is None:
            return None
        return Settings(**shared.model_dump(exclude_none=True) | own.model_dump(exclude_none=True))


def _list(value: object, most: int) -> list[Any]:
    return value if isinstance(value, list) and len(value) <= most else []


def _valid(kind: TypeAdapter[Kind], data: object) -> Kind | None:
    try:
        return kind.validate_python(data, strict=True)
    except ValidationError:
        return None


def broken_rules(draft: Draft, words: Sequence[str] | None) -> Iterator[Fault]:
    """The faults between settings, and with the words; None if these cannot be read."""
    if draft.targets(words) == 0:
        yield Fault(("targets",), "targets is an empty list; list words, or write 'all'")
    if words is not None and draft.targets(words) == len(words) > MOST_TARGETS:
        problem = f"targets is 'all', and the word set has {len(words):,} words"
        yield Fault(("targets",), f"{problem}; list at most {MOST_TARGETS:,} of them")
    for setting in ("targets", "practice", "after_round", "at_end"):
        yield from _faults_in_repeats(draft, setting)
    if words is not None:
        for setting in ("targets", "practice"):
            yield from _faults_in_word_list(draft, setting, words)
        yield from _faults_in_bonus(draft, words)
    yield from _faults_in_ids(draft)
    for setting in ("after_round", "at_end"):
        yield from _faults_in_asked(draft, setting)
    yield from _faults_in_number_of_questionnaires(draft)
    yield from _faults_in_models(draft, words)
    for name in draft.group("questionnaires"):
        yield from _faults_in_questionnaire(draft, name)
    for _, name in draft.texts("at_end"):
        yield from _faults_in_placeholders(draft, name)


def _faults_in_repeats(draft: Draft, setting: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, entry in draft.texts(setting):
        if entry in seen:
            problem = f"{setting}[{index + 1}] is {quoted(entry)}, which is listed already; remove one"
            yield Fault((setting, index), problem)
        seen.add(entry)


def _faults_in_ids(draft: Draft) -> Iterator[Fault]:
    """On some computers, P07.yaml and p07.yaml are one file."""
    seen: dict[str, str] = {}
    listed = draft.texts("ids")
    for index, entry in listed:
        if (small := entry.lower()) in seen:
            like = (
                "which is listed already"
                if seen[small] == entry
                else f"which differs from {quoted(seen[small])} only in case"
            )
            yield Fault(("ids", index), f"ids[{index + 1}] is {quoted(entry)}, {like}; remove one")
        seen.setdefault(small, entry)
    participants = draft.whole("participants")
    if listed and participants is not None and participants > len(listed):
        number = fill("{ids:is|are} only {ids} {ids:ID|IDs}", {"ids": len(listed)})
        yield Fault(("participants",), f"participants is {participants}; there {number} in ids")


def _faults_in_word_list(draft: Draft, setting: str, words: Sequence[str]) -> Iterator[Fault]:
    known = set(words)
    unknown = [(index, word) for index, word in draft.texts(setting) if word not in known]
    for number, (index, word) in enumerate(unknown):
        problem = f"{setting}[{index + 1}] is {quoted(word)}, which is not in the word set"
        guess = did_you_mean(word, words) if number < MOST_GUESSES else ""
        yield Fault((setting, index), problem + guess)


def _faults_in_asked(draft: Draft, setting: str) -> Iterator[Fault]:
    known = list(dict.fromkeys([*READY_MADE.names, *draft.group("questionnaires")]))
    for index, name in draft.texts(setting):
        if name not in known:
            problem = f"{setting}[{index + 1}] is {quoted(name)}{did_you_mean(name, known)}"
            yield Fault((setting, index), f"{problem}; known: {', '.join(known)}")


def _faults_in_number_of_questionnaires(draft: Draft) -> Iterator[Fault]:
    """A log carries the ready-made questionnaires that are asked together with the study's own."""
    asked = {name for setting in ("after_round", "at_end") for _, name in draft.texts(setting)}
    count = len(asked & set(READY_MADE.names) | set(draft.group("questionnaires")))
    if count > MOST_QUESTIONNAIRES:
        problem = f"questionnaires: there are {count}, with the ready-made ones that are asked"
        yield Fault(("questionnaires",), f"{problem}; a study has at most {MOST_QUESTIONNAIRES}")


def _faults_in_questionnaire(draft: Draft, name: str) -> Iterator[Fault]:
    entries, items = draft.group("questionnaires")[name], draft.items(name)
    place = ("questionnaires", name)
    if name in READY_MADE:
        if isinstance(entries, list) and len(items) == len(entries):  # other faults come first
            yield from _faults_in_translation(place, [item for _, item in items], READY_MADE[name])
    elif entries == []:
        yield Fault(place, f"questionnaires.{name} is empty; add items or remove it")
    seen: set[str] = set()
    for index, item in items:
        if item.id in seen:
            problem = f"questionnaires.{name}[{index + 1}].id is {item.id!r}, like an earlier item's"
            yield Fault((*place, index, "id"), f"{problem}; change one")
        seen.add(item.id)


def _faults_in_translation(
    place: tuple[str, str], items: list[Item], original: Questionnaire
) -> Iterator[Fault]:
    """A ready-made questionnaire in other words must have the same items, or it could not be scored."""
    name = ".".join(place)
    expected = [item.id for item in original.items]
    if [item.id for item in items] != expected:
        problem = f"{name} must have the items of {original.name}, in this order: {', '.join(expected)}"
        yield Fault(place, f"{problem} (or give your questionnaire another name)")
        return
    for index, (item, wanted) in enumerate(zip(items, original.items, strict=True)):
        if (item.kind, item.measure, item.optional) != (wanted.kind, wanted.measure, wanted.optional):
            same = wanted.model_dump(include={"kind", "least", "most", "optional"})
            settings = ", ".join(f"{key}: {str(value).lower()}" for key, value in same.items())
            problem = f"{name}[{index + 1}] must have the settings {settings}"
            yield Fault((*place, index), f"{problem}; otherwise {original.name} could not be scored")


def _faults_in_placeholders(draft: Draft, questionnaire: str) -> Iterator[Fault]:
    """At the end there is no round, and so no word to find."""
    for index, item in draft.items(questionnaire):
        for place, text in item.lines():
            for name in sorted(names_in(text) & set(IN_ROUND)):
                where = f"questionnaires.{questionnaire}[{index + 1}].{place[0]}"
                problem = f"{where}: has the placeholder {{{name}}}, but at_end there is no word to find"
                yield Fault(("questionnaires", questionnaire, index, *place), problem)


def _faults_in_bonus(draft: Draft, words: Sequence[str]) -> Iterator[Fault]:
    needed, targets = draft.whole("bonus.rounds"), draft.targets(words)
    if needed is not None and targets is not None:
        rounds = len(draft.group("models")) * targets
        if rounds and needed > rounds:
            number = fill("there {rounds:is|are} only {rounds} {rounds:round|rounds}", {"rounds": rounds})
            yield Fault(("bonus", "rounds"), f"bonus.rounds is {needed}; {number}")
    within = draft.whole("bonus.within")
    questions = draft.whole("questions", Study.model_fields["questions"].default)
    if within is not None and questions is not None and within > questions > 0:
        number = fill("{questions} {questions:question|questions}", {"questions": questions})
        yield Fault(("bonus", "within"), f"bonus.within is {within}; a round has only {number}")


def _faults_in_models(draft: Draft, words: Sequence[str] | None) -> Iterator[Fault]:
    for model in draft.group("models"):
        settings = draft.settings(model)
        if settings is None:
            continue
        try:
            settings.check_together()
        except SettingError as error:
            yield Fault(("models", model), f"models.{model}: {error}")
        if words is not None and (problem := size_problem(model, settings, len(words))):
            yield Fault(("models", model), problem)
