"""The power and the effects behind it as files, power.json and power.csv.  Their names are public."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from studyapp.analysis.effects import Effect
from studyapp.analysis.gather import Gathered
from studyapp.analysis.power import GOALS, Power
from studyapp.analysis.sample import Pair

__all__ = ["as_json", "as_rows"]


def as_json(powers: dict[Pair, list[Power]], gathered: Gathered, level: float) -> dict[str, Any]:
    """Every number by name; what is not known is null."""
    return {
        "sessions": len(gathered.sessions),
        "kinds": gathered.kinds,
        "level": level,
        "pairs": [
            {
                "models": pair,
                "sessions": outcomes[0].effect.sessions,
                "participants": outcomes[0].sizes.tolist(),
                "effects": {power.effect.outcome.name: _effect(power.effect) for power in outcomes},
                "power": {power.effect.outcome.name: _power(power) for power in outcomes},
            }
            for pair, outcomes in powers.items()
        ],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    """After the last question."""
    return {
        "difference": _plain(effect.difference[-1]),
        "ci95": _plain(np.array([effect.low[-1], effect.high[-1]])),
        "d_z": _plain(effect.d_z[-1]),
        "d_z_ci95": _plain(np.array([effect.d_z_low[-1], effect.d_z_high[-1]])),
        "better": effect.better,
    }


def _power(power: Power) -> dict[str, Any]:
    return {
        "expected": power.expected,
        "questions": power.effect.questions.tolist(),
        "power": _plain(power.share),
        "ci95": [_plain(power.low), _plain(power.high)],
        "needed": {f"{goal:g}": power.needed(goal) for goal in GOALS},
        "needed_at_lower_limit": {f"{goal:g}": power.safe(goal) for goal in GOALS},
    }


def _plain(values: Any) -> Any:
    """Lists instead of arrays, null instead of NaN."""
    if isinstance(values, np.ndarray):
        return [_plain(value) for value in values]
    return float(values) if math.isfinite(values) else None


def as_rows(powers: dict[Pair, list[Power]]) -> list[list[Any]]:
    """A header, then one row per pair, outcome, question and size."""
    effect_names = ["difference", "difference_low", "difference_high", "d_z", "d_z_low", "d_z_high"]
    names = ["first", "second", "outcome", "question", *effect_names]
    rows: list[list[Any]] = [[*names, "expected", "participants", "power", "low", "high"]]
    for pair, outcomes in powers.items():
        for power in outcomes:
            effect = power.effect
            for j, question in enumerate(effect.questions):
                numbers = (effect.difference, effect.low, effect.high)
                sizes_of_effect = (effect.d_z, effect.d_z_low, effect.d_z_high)
                known = _cells(array[j] for array in (*numbers, *sizes_of_effect))
                for i, size in enumerate(power.sizes):
                    shares = _cells(array[i, j] for array in (power.share, power.low, power.high))
                    rows.append([*pair, effect.outcome.name, question, *known, power.expected, size, *shares])
    return rows


def _cells(values: Iterable[float]) -> list[str]:
    return [f"{value:.4f}" if math.isfinite(value) else "" for value in values]
