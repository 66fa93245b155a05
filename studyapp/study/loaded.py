"""A study with its words: what a session, a rehearsal or an analysis needs of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError
from core.people import People
from core.rewards import clamped
from core.settings import Settings
from core.teachers import TEACHERS
from core.thompson import numbers_held
from core.vocabulary import Vocabulary
from studyapp.study.fields import fill
from studyapp.study.study import Study

if TYPE_CHECKING:
    from core import Learner

SIX_DIGITS = 1.000001e-6  # rewards have six decimals; the last may be rounded either way
MOST_NUMBERS = 50_000_000  # that a learner may keep to look ahead: 400 MB

# The time scales that of the published study: 75 minutes on average for 600 questions, with a pause of half a
# second before each (supplement G), and so 7 seconds of reading, thinking and typing per question.
SECONDS_PER_QUESTION = 75 * 60 / 600 - 0.5
SECONDS_PER_ITEM = 8.0  # of a questionnaire; an estimate
EXACT = 10  # minutes; anything longer is rounded up to a multiple of five


def size_problem(model: str, settings: Settings, words: int) -> str:
    """Why a model would need too much memory; empty if it would not."""
    numbers = numbers_held(words, words, settings.samples) * 2 ** (settings.horizon - 1)
    if not TEACHERS[settings.teacher].plans or numbers <= MOST_NUMBERS:
        return ""
    problem = f"models.{model}: it would keep {numbers:,} numbers in memory; {MOST_NUMBERS:,} are allowed"
    return f"{problem}: take fewer samples or words, or a shorter horizon"


@dataclass(frozen=True)
class Extent:
    """What a session consists of, and its expected duration."""

    rounds: int  # that count
    practice_rounds: int
    questions: int  # of all rounds
    items: int  # of questionnaires
    breaks: int
    seconds: float

    @classmethod
    def of(cls, study: Study, targets: int) -> Extent:
        """What a session with this many targets consists of."""
        models = len(study.models)
        rounds, practice_rounds = models * targets, models * len(study.practice)
        questions = (rounds + practice_rounds) * study.questions
        items = rounds * len(study.items(study.after_round)) + len(study.items(study.at_end))
        breaks = (rounds - 1) // study.breaks.every if study.breaks else 0
        seconds = questions * (SECONDS_PER_QUESTION + study.pace.pause) + items * SECONDS_PER_ITEM
        if study.breaks:
            seconds += breaks * study.breaks.seconds
        return cls(rounds, practice_rounds, questions, items, breaks, seconds)

    @property
    def minutes(self) -> int:
        """The expected duration as people say it: about 8 minutes, about 75 minutes."""
        minutes = self.seconds / 60 - 1e-6  # 75.000001 is 75
        return max(1, math.ceil(minutes)) if minutes < EXACT else 5 * math.ceil(minutes / 5)


@dataclass(frozen=True, eq=False)
class LoadedStudy:
    """A study with its words."""

    name: str  # as people call it: a name or a path
    study: Study
    vocabulary: Vocabulary

    @property
    def targets(self) -> list[str]:
        return list(self.vocabulary.words) if self.study.targets == "all" else list(self.study.targets)

    @cached_property
    def people(self) -> People:
        """How people answer, with what is known about pairs of the study's words."""
        mapping = self.study.people
        assert not isinstance(mapping, str), "loading a study reads its file of people"
        people = People.default() if mapping is None else People.from_mapping(mapping)
        return self.people_here(people)

    def people_here(self, people: People) -> People:
        """The same people among the study's words, compared as the study does."""
        return people.among(self.vocabulary.words).for_kernel(self.study.kernel_width)

    @cached_property
    def extent(self) -> Extent:
        """What a session consists of."""
        return Extent.of(self.study, len(self.targets))

    @cached_property
    def _general(self) -> dict[str, str | int]:
        """The values of the placeholders that every text may use."""
        return {
            "questions": self.study.questions,
            "words": len(self.vocabulary.words),
            "rounds": self.extent.rounds,
            "practice_rounds": self.extent.practice_rounds,
            "repeats": len(self.study.models),
            "minutes": self.extent.minutes,
            "yes_key": self.study.answers.yes,
            "no_key": self.study.answers.no,
        }

    def say(self, text: str, **values: str | int) -> str:
        """A text for participants, with its placeholders filled in: the general ones, and these."""
        return fill(text, self._general | values)

    def is_reward(self, reward: float, target: str, word: str) -> bool:
        """Is this the reward of a word, apart from the rounding of its last digit?"""
        return abs(reward - self.reward(target, word)) <= SIX_DIGITS

    def check_size(self) -> None:
        """Raise a SettingError if a model would need more memory than a machine can spare."""
        for name in self.study.models:
            if problem := size_problem(name, self.study.settings(name, seed=0), len(self.vocabulary.words)):
                raise SettingError(problem)

    def with_seed(self, seed: int) -> LoadedStudy:
        return replace(self, study=self.study.model_copy(update={"seed": seed}))

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """(words, words), how alike any two words are: the arms of the learners."""
        return self.vocabulary.features(self.study.kernel_width)

    def learner(self, settings: Settings) -> Learner:
        """A learner with these settings that asks about the study's words.

        Making one takes a while where there are many words, so all rounds of a model share it.
        """
        from core import Learner

        one = replace(settings, seed=0)
        if one not in self._learners:
            self._learners[one] = Learner(self.features, **vars(one), people=self.people)
        return self._learners[one].with_seed(settings.seed)

    @cached_property
    def _learners(self) -> dict[Settings, Learner]:
        return {}

    @cached_property
    def _rewards(self) -> NDArray[np.float64]:
        """The reward of each word (column) for each target (row), rounded as in logs."""
        return clamped(self.features).round(6)

    def rewards(self, targets: Sequence[str]) -> NDArray[np.float64]:
        """The reward of each word (column) for these targets (rows)."""
        return self._rewards[[self.vocabulary.index(target) for target in targets]]

    def reward(self, target: str, word: str) -> float:
        return float(self._rewards[self.vocabulary.index(target), self.vocabulary.index(word)])
