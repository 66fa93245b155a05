"""The study file: what is asked of whom, by which models, in which words.

``load`` gives a checked ``Study``, or one FileError that tells every fault with its line.  Checking
needs no torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    Discriminator,
    Field,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from core.checks import did_you_mean
from core.errors import FileError, SettingError
from core.rewards import clamped
from core.settings import Settings
from core.teachers import TEACHERS
from core.vocabulary import Vocabulary
from studyapp.base.documents import Document, parse, read
from studyapp.study.fields import Fault, Name, Part, Prose, Text, faults
from studyapp.study.items import AnyItem, Item
from studyapp.study.questionnaires import READY_MADE, Questionnaire
from studyapp.study.studies import DEFAULT
from studyapp.study.texts import Texts

__all__ = ["MOST_WORDS", "LoadedStudy", "Study", "load"]

MOST_FAULTS = 10  # told at once
MOST_WORDS = 1000  # more would neither be asked about nor computed while someone thinks
SIX_DIGITS = 1.000001e-6  # rewards have six decimals; the last may be rounded either way
MOST_NUMBERS = 50_000_000  # that a learner may hold at once when it looks ahead: 400 MB

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


# With a tag each, so that a fault in a list is told as one, and not also as "this is not 'all'".
Targets = Annotated[
    Annotated[Literal["all"], Tag("all")] | Annotated[list[str], Tag("list")],
    Discriminator(lambda given: "list" if isinstance(given, list) else "all"),
]


class LearnerSettings(Part):
    """Settings of ``core.Learner``; what is not given here is as there."""

    teacher: str | None = None
    selection: str | None = None
    beta: float | None = None
    tau: float | None = None
    horizon: int | None = None
    gamma: float | None = None
    samples: int | None = None
    fit: str | None = None

    @field_validator("*")
    @classmethod
    def _as_core_allows(cls, value: object, info: ValidationInfo) -> object:
        name = str(info.field_name)
        try:
            if value is not None:
                Settings(**{name: value})  # type: ignore[arg-type]
        except SettingError as error:
            raise ValueError(str(error)) from None
        return value


class Break(Part):
    """Rounds come in blocks, with a break between."""

    every: int = Field(ge=1)  # rounds
    seconds: int = Field(0, ge=0, le=3600)  # that it lasts at least


class Answers(Part):
    """How an answer is given."""

    yes: str = "y"
    no: str = "n"
    confirm: bool = True  # with Enter

    @field_validator("yes", "no")
    @classmethod
    def _one_character(cls, key: str) -> str:
        small = key.lower()
        if len(small) != 1 or not small.isprintable() or small.isspace():
            raise ValueError(f"is {key!r}; it must be one letter, digit or sign")
        return small

    @model_validator(mode="after")
    def _two_keys(self) -> Answers:
        if self.yes == self.no:
            raise ValueError(f"yes and no have the same key, {self.yes!r}; give them different ones")
        return self


class Pace(Part):
    """The rhythm of the questions, in seconds; the same for all models."""

    pause: Annotated[Seconds, Field(le=60)] = 0.5  # from an answer to the next question
    hold: Annotated[Seconds, Field(le=5)] = 0.7  # a key seen again within this is taken to be held down


class Bonus(Part):
    """A bonus for helping well: the target was asked about early, in enough rounds."""

    within: int = Field(ge=1)  # questions
    rounds: int = Field(ge=1)  # of those that count
    won: Text
    lost: Text = ""


class Resume(Part):
    """Whether an unfinished session may be gone on with."""

    allowed: bool = True
    within_hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None  # of the last event


class Study(Part):
    """A study, as its file has it."""

    title: Text = Field(min_length=1)
    words: Text = Field("study20", min_length=1)
    kernel_width: float = Field(1.5, gt=0, le=1000, allow_inf_nan=False)
    seed: int = Field(0, ge=-(2**63), le=2**63 - 1)

    learner: LearnerSettings = LearnerSettings()
    models: dict[Name, LearnerSettings] = Field(min_length=2, max_length=20)

    targets: Targets = "all"
    order: Literal["fixed", "random"] = "fixed"
    questions: int = Field(15, ge=1, le=1000)
    practice: list[str] = Field(default=[])
    breaks: Break | None = None

    answers: Answers = Answers()
    pace: Pace = Pace()
    look: Literal["dark", "light", "terminal"] = "dark"

    consent: Prose | None = None
    instructions: list[Prose] = Field([], max_length=50)
    questionnaires: dict[Name, list[AnyItem]] = Field(default={})
    after_round: list[str] = Field(default=[])
    at_end: list[str] = Field(default=[])
    bonus: Bonus | None = None
    resume: Resume = Resume()
    texts: Texts = Texts()

    @field_validator("targets", mode="before")
    @classmethod
    def _all_or_a_list(cls, targets: object) -> object:
        if targets == "all" or isinstance(targets, list):
            return targets
        raise ValueError(f"is {targets!r}; it must be 'all' or a list of words")

    def settings(self, model: str, seed: int) -> Settings:
        """The learner's settings for a model: its own, then the shared ones, then the defaults."""
        given = self.learner.model_dump(exclude_none=True) | self.models[model].model_dump(exclude_none=True)
        return Settings(**given, seed=seed)

    def knows(self, questionnaire: str) -> bool:
        """Is there a questionnaire of this name, in the study or ready made?"""
        return questionnaire in self.questionnaires or questionnaire in READY_MADE

    def questionnaire(self, name: str) -> Questionnaire:
        """The study's own; one that has the name of a ready-made one is that one in other words."""
        if name not in self.questionnaires:
            return READY_MADE[name]
        score = READY_MADE[name].score if name in READY_MADE else None
        return Questionnaire(name, tuple(self.questionnaires[name]), score)

    def items(self, names: list[str]) -> list[tuple[str, Item]]:
        """The items of these questionnaires, each with the questionnaire's name."""
        return [(name, item) for name in names for item in self.questionnaire(name).items]

    def record(self) -> dict[str, Any]:
        """Everything, defaults too, as it goes into a log: a valid study again."""
        resolved = {name: asdict(self.settings(name, seed=0)) for name in self.models}
        for settings in resolved.values():
            del settings["seed"]  # each round has its own
        return self.model_dump(mode="json", exclude_none=True) | {"learner": {}, "models": resolved}


@dataclass(frozen=True)
class LoadedStudy:
    """A study with its words."""

    name: str  # as people call it: a name or a path
    study: Study
    vocabulary: Vocabulary

    @property
    def targets(self) -> list[str]:
        return list(self.vocabulary.words) if self.study.targets == "all" else list(self.study.targets)

    def is_reward(self, reward: float, target: str, word: str) -> bool:
        """Is this the reward of a word, but for how its last digit was rounded?"""
        return abs(reward - self.reward(target, word)) <= SIX_DIGITS

    def check_size(self) -> None:
        """A SettingError where a model would take more memory than a machine can spare."""
        for name in self.study.models:
            settings = self.study.settings(name, seed=0)
            numbers = settings.samples * len(self.vocabulary.words) * 2**settings.horizon
            if TEACHERS[settings.teacher].plans and numbers > MOST_NUMBERS:
                problem = f"models.{name}: samples x words x 2^horizon is {numbers:,}"
                raise SettingError(f"{problem}; it must be {MOST_NUMBERS:,} at most")

    def with_seed(self, seed: int) -> LoadedStudy:
        return replace(self, study=self.study.model_copy(update={"seed": seed}))

    @cached_property
    def features(self) -> NDArray[np.float64]:
        return self.vocabulary.features(self.study.kernel_width)

    @cached_property
    def rewards(self) -> NDArray[np.float64]:
        """Of every target (row) and word (column), with the digits that logs and published data have."""
        return clamped(self.features).round(6)

    def reward(self, target: str, word: str) -> float:
        return float(self.rewards[self.vocabulary.index(target), self.vocabulary.index(word)])


def load(name_or_path: str | os.PathLike[str] = DEFAULT) -> LoadedStudy:
    """The study that comes with studyapp by this name, or the one in this file."""
    document, folder = _document(name_or_path)
    if not isinstance(document.data, dict):
        raise FileError(document.path, "a study file is made of settings: one line each, 'name: value'")
    try:
        study = Study.model_validate(document.data)
    except ValidationError as error:
        raise _error(document, faults(error, Study, document.data)) from None
    return _with_words(document, study, folder)


def _document(name_or_path: str | os.PathLike[str]) -> tuple[Document, Path]:
    name = os.fspath(name_or_path)
    bundled = {
        entry.name.removesuffix(".yaml"): entry
        for entry in resources.files("studyapp.study.studies").iterdir()
        if entry.name.endswith(".yaml")
    }
    if isinstance(name_or_path, str) and name in bundled:
        return parse(bundled[name].read_bytes(), name), Path()
    path = Path(name)
    if not path.suffix and not path.exists() and path.name == name:
        known = ", ".join(sorted(bundled))
        raise FileError(
            name,
            f"there is no study of this name{did_you_mean(name, bundled)}; known: {known}; or give a file",
        )
    return read(path), path.parent


def _with_words(document: Document, study: Study, folder: Path) -> LoadedStudy:
    named = study.words
    if Path(named).suffix or len(Path(named).parts) > 1:
        named = os.fspath(folder / named)  # beside the study file
    try:
        vocabulary = Vocabulary.load(named)
    except (FileError, SettingError) as error:
        raise _error(document, [Fault(("words",), f"words: {error}")]) from error
    if found := list(_faults_with_words(study, vocabulary)):
        raise _error(document, found)
    loaded = LoadedStudy(document.path, study, vocabulary)
    try:
        loaded.check_size()
    except SettingError as error:
        raise _error(document, [Fault(("models",), str(error))]) from None
    return loaded


def _faults_with_words(study: Study, vocabulary: Vocabulary) -> Iterator[Fault]:
    """What only shows when the words are known, and between settings."""
    words = vocabulary.words
    if len(words) < 2:
        yield Fault(("words",), "words: there is one word only; a study needs two or more")
    if len(words) > MOST_WORDS:
        problem = f"words: there are {len(words):,} words; a study has {MOST_WORDS:,} at most"
        yield Fault(("words",), f"{problem} (cut a set with: studyapp words build)")
    targets = study.targets if isinstance(study.targets, list) else []
    if study.targets == []:
        yield Fault(("targets",), "targets is an empty list; give words, or 'all'")
    for name, listed in (("targets", targets), ("practice", study.practice)):
        for index, word in enumerate(listed):
            if word not in words:
                problem = f"{name}[{index + 1}] is {word!r}, which is not in the word set"
                yield Fault((name, index), problem + did_you_mean(word, words))
            elif word in listed[:index]:
                yield Fault((name, index), f"{name}[{index + 1}] is {word!r} for the second time; remove one")
    known = [*READY_MADE.names, *study.questionnaires]
    for name, asked in (("after_round", study.after_round), ("at_end", study.at_end)):
        for index, questionnaire in enumerate(asked):
            if questionnaire not in known:
                problem = f"{name}[{index + 1}] is {questionnaire!r}{did_you_mean(questionnaire, known)}"
                yield Fault((name, index), f"{problem}; known: {', '.join(known)}")
            elif questionnaire in asked[:index]:
                yield Fault((name, index), f"{name}[{index + 1}] is {questionnaire!r} for the second time")
    for name, items in study.questionnaires.items():
        place = ("questionnaires", name)
        if name in READY_MADE:
            yield from _faults_in_translation(place, items, READY_MADE[name])
        elif not items:
            yield Fault(place, f"questionnaires.{name} is empty; give it items or remove it")
        ids = [item.id for item in items]
        for index, id in enumerate(ids):
            if id in ids[:index]:
                yield Fault((*place, index, "id"), f"questionnaires.{name}[{index + 1}].id is {id!r} again")
    if study.bonus:
        rounds = len(study.models) * (len(targets) or len(words))
        if study.bonus.rounds > rounds:
            yield Fault(
                ("bonus", "rounds"), f"bonus.rounds is {study.bonus.rounds}; there are only {rounds} rounds"
            )
        if study.bonus.within > study.questions:
            problem = (
                f"bonus.within is {study.bonus.within}; there are only {study.questions} questions a round"
            )
            yield Fault(("bonus", "within"), problem)


def _faults_in_translation(
    place: tuple[str, str], items: list[Item], ready_made: Questionnaire
) -> Iterator[Fault]:
    """A ready-made questionnaire in other words has the same items, or it could not be scored."""
    name = ".".join(place)
    expected = [item.id for item in ready_made.items]
    if [item.id for item in items] != expected:
        yield Fault(place, f"{name} must have these items, in this order: {', '.join(expected)}")
        return
    for index, (item, original) in enumerate(zip(items, ready_made.items, strict=True)):
        if (item.kind, item.measure, item.optional) != (original.kind, original.measure, original.optional):
            least, most = getattr(original, "least", None), getattr(original, "most", None)
            problem = (
                f"{name}[{index + 1}] must be a scale with least: {least} and most: {most}, not optional"
            )
            yield Fault((*place, index), f"{problem}, or {ready_made.name} could not be scored")


def _error(document: Document, found: list[Fault]) -> FileError:
    """One error for all faults, each with its line."""
    placed = sorted({(document.line(fault.place), fault.problem) for fault in found})
    if len(placed) == 1:
        ((line, problem),) = placed
        return FileError(document.path, problem, where=f"line {line}")
    told = [f"\n  line {line}: {problem}" for line, problem in placed[:MOST_FAULTS]]
    more = f"\n  and {len(placed) - MOST_FAULTS} more" if len(placed) > MOST_FAULTS else ""
    return FileError(document.path, f"{len(placed)} things to put right:" + "".join(told) + more)
