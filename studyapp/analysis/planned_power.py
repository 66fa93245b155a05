"""The power of a study with a planned number of participants, from the effects in a power.json.

The report tests every pair of models in every outcome, and corrects p for the number of pairs (Holm).  So the
power to show one pair's difference lies between that of a test at the level itself and that of a test at the
level divided by the number of pairs, which is what the smallest p has to meet.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import FileError, SettingError
from core.files import ordinary
from studyapp.analysis.effects import OUTCOMES, Outcome
from studyapp.analysis.sample import Pair
from studyapp.reporting.effect_size import power
from studyapp.study.study import Study

__all__ = ["PlannedPower", "PowerRow", "SavedPower", "from_mapping", "planned_power", "read_power"]

LARGEST = 16_000_000  # bytes of a power.json, more than any has


class _Saved(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False, frozen=True)  # what else a file has is not needed


class _Effect(_Saved):
    difference: float | None
    d_z: float | None
    d_z_ci95: tuple[float | None, float | None]


class _Expected(_Saved):
    expected: str
    questions: list[int] = Field(min_length=1)


class _Pair(_Saved):
    models: tuple[str, str]
    sessions: int
    effects: dict[str, _Effect]
    power: dict[str, _Expected]


class SavedPower(_Saved):
    """What ``studyapp power`` found, as far as it is needed here."""

    sessions: int
    kinds: list[str]
    pairs: list[_Pair]


@dataclass(frozen=True)
class PowerRow:
    """The power to show one difference; unknown values are NaN."""

    pair: Pair
    outcome: Outcome
    expected: str  # the model that should be shown to be better
    difference: float  # the first model minus the second
    d_z: tuple[float, float, float]  # positive if the expected model is ahead; with its 95 % interval
    power: tuple[float, float, float]  # at the level, for each of these
    corrected: tuple[float, float, float]  # at the level divided by the number of pairs


@dataclass(frozen=True)
class PlannedPower:
    """The power for a planned number of participants."""

    sessions: int  # from which the effects were estimated
    kinds: list[str]
    participants: int
    level: float
    pairs: int
    rows: list[PowerRow]

    def as_json(self) -> dict[str, Any]:
        return {
            "sessions": self.sessions,
            "kinds": self.kinds,
            "participants": self.participants,
            "level": self.level,
            "effects": [
                {
                    "models": list(row.pair),
                    "outcome": row.outcome.name,
                    "expected": row.expected,
                    "difference": _or_none(row.difference),
                    "d_z": [_or_none(value) for value in row.d_z],
                    "power": [_or_none(value) for value in row.power],
                    "power_if_corrected": [_or_none(value) for value in row.corrected],
                }
                for row in self.rows
            ],
        }


def read_power(path: Path, study: Study) -> SavedPower:
    """The effects in a power.json, which must be of a study with the same models and questions."""
    with ordinary(path) as file:
        raw = file.read(LARGEST)
    try:
        saved = SavedPower.model_validate_json(raw)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        where = f" ({place}: {error.errors()[0]['msg']})" if place else ""
        raise FileError(path, f"this is not a power.json of studyapp power{where}") from None
    try:
        _check(saved, study)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return saved


def _check(saved: SavedPower, study: Study) -> None:
    pairs = {tuple(sorted(pair.models)) for pair in saved.pairs}
    if pairs != set(combinations(sorted(study.models), 2)) or len(pairs) != len(saved.pairs):
        raise SettingError("this is the power of a study with other models; estimate it for this study")
    for pair in saved.pairs:
        for outcome in OUTCOMES:
            if outcome.name not in pair.effects or outcome.name not in pair.power:
                raise SettingError(f"there is no {outcome.name} of {' and '.join(pair.models)} in this file")
            expected = pair.power[outcome.name]
            if expected.expected not in pair.models:
                raise SettingError(f"{expected.expected!r} is not one of {' and '.join(pair.models)}")
            if expected.questions[-1] != study.questions:
                problem = f"this is the power of a study with {expected.questions[-1]} questions in a round"
                raise SettingError(f"{problem}, but this one has {study.questions}")


def planned_power(saved: SavedPower, participants: int, level: float, better: str | None) -> PlannedPower:
    """The power of a study with so many participants to show that the expected models are better."""
    pairs, rows = len(saved.pairs), []
    for pair in saved.pairs:
        for outcome in OUTCOMES:
            effect = pair.effects[outcome.name]
            expected = better if better in pair.models else pair.power[outcome.name].expected
            ahead = 1 if (expected == pair.models[0]) == outcome.more_is_better else -1
            low, high = sorted(ahead * _or_nan(limit) for limit in effect.d_z_ci95)
            d_z = (ahead * _or_nan(effect.d_z), low, high)
            rows.append(
                PowerRow(
                    pair.models,
                    outcome,
                    expected,
                    _or_nan(effect.difference),
                    d_z,
                    _powers(d_z, participants, level),
                    _powers(d_z, participants, level / pairs),
                )
            )
    return PlannedPower(saved.sessions, saved.kinds, participants, level, pairs, rows)


def from_mapping(mapping: dict[str, Any]) -> SavedPower:
    """The same from the content of a power.json that was never written."""
    return SavedPower.model_validate_json(json.dumps(mapping))


def _powers(d_z: tuple[float, float, float], participants: int, level: float) -> tuple[float, float, float]:
    first, low, high = (
        float(power(value, participants, level)) if math.isfinite(value) else math.nan for value in d_z
    )
    return first, low, high


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
