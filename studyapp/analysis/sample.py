"""The sessions of an analysis, with the models, targets and rounds that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from studyapp.analysis.extract import Extract
from studyapp.reporting.statistics import Array
from studyapp.study.loaded import LoadedStudy

Pair = tuple[str, str]  # two models; differences are the first minus the second
Rounds = NDArray[np.bool_]  # (R,), which rounds of a session


@dataclass(frozen=True)
class Sample:
    """Sessions of one study, one per participant."""

    sessions: list[Extract]

    @cached_property
    def loaded(self) -> LoadedStudy:
        first = self.sessions[0]
        assert first.vocabulary is not None  # there are answers
        return LoadedStudy(str(first.path), first.study, first.vocabulary)

    @cached_property
    def participants(self) -> list[str]:
        return [session.participant for session in self.sessions]

    @cached_property
    def models(self) -> list[str]:
        """The models in alphabetical order."""
        return sorted(
            {round_.model for session in self.sessions for round_ in session.plan if not round_.practice}
        )

    @property
    def pairs(self) -> list[Pair]:
        return list(combinations(self.models, 2))

    @cached_property
    def targets(self) -> list[str]:
        targets = (
            round_.target for session in self.sessions for round_ in session.plan if not round_.practice
        )
        return list(dict.fromkeys(targets))

    @property
    def questions(self) -> int:
        """The number of questions in a round."""
        return self.loaded.study.questions

    def rounds(self, session: Extract, model: str) -> Rounds:
        """The rounds of a session that count and that used a model."""
        return np.asarray(session.counted & self.with_model(session, model))

    def with_model(self, session: Extract, model: str) -> Rounds:
        """All rounds of a session that used a model."""
        return np.array([round_.model == model for round_ in session.plan], dtype=bool)

    def by_participant(self, model: str, measure: Callable[[Extract, Rounds], Array | float]) -> Array:
        """(P, ...), a measure of every session's rounds with a model; NaN where there are none."""
        values = []
        for session in self.sessions:
            rounds = self.rounds(session, model)
            values.append(measure(session, rounds) if rounds.any() else None)
        shape = next((np.shape(value) for value in values if value is not None), ())
        return np.array([np.full(shape, np.nan) if value is None else value for value in values], dtype=float)
