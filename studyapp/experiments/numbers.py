"""The numbers behind a figure, for other programs: curves and verdicts as JSON, curves as a tidy table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyapp.experiments.catalogue import Entry
from studyapp.experiments.claims import Verdict, judge
from studyapp.experiments.measures import MEASURES, measured
from studyapp.experiments.results import Results
from studyapp.reporting.statistics import Estimate, mean_ci

__all__ = ["HEAD", "as_json", "as_rows", "curves"]

HEAD = ["run", "series", "measure", "step", "mean", "low", "high", "replications"]


def curves(results: Results) -> dict[str, Any]:
    """By series and measure the mean over replications, its interval, and half the interval's width."""
    return {
        series: {_key(name): _told(found) for name, found in by_measure.items()}
        for series, by_measure in _estimates(results).items()
    }


def as_json(entry: Entry, runs: Mapping[str, Results]) -> dict[str, Any]:
    """A figure's verdicts and curves, and what they were made from."""
    return {
        "figure": entry.name,
        "title": entry.title,
        "claims": [_judged(judge(claim, runs)) for claim in entry.claims],
        "curves": {label: _with_n(results) for label, results in runs.items()},
        "designs": {label: results.design for label, results in runs.items()},
        "software": {label: results.software for label, results in runs.items()},
    }


def as_rows(runs: Mapping[str, Results]) -> list[list[Any]]:
    """A figure's curves, a row each step, below a row of names; what cannot be told is left empty."""
    rows: list[list[Any]] = [HEAD]
    for label, results in runs.items():
        for series, by_measure in _estimates(results).items():
            for name, found in by_measure.items():
                for i, numbers in enumerate(zip(found.mean, found.low, found.high, strict=True)):
                    cells = [float(each) if math.isfinite(each) else "" for each in numbers]
                    where = [label, series, _key(name), MEASURES[name].first + i]
                    rows.append([*where, *cells, int(found.count[i])])
    return rows


def _estimates(results: Results) -> dict[str, dict[str, Estimate]]:
    """By series and measure, of all replications there are."""
    return {
        series: {
            name: mean_ci(MEASURES[name].values(results, series, results.numbers(series)))
            for name in measured(results, series)
        }
        for series in results.records
        if results.numbers(series)
    }


def _with_n(results: Results) -> dict[str, Any]:
    found = curves(results)
    for series, by_measure in found.items():
        for told in by_measure.values():
            told["n"] = len(results.numbers(series))
    return found


def _told(found: Estimate) -> dict[str, list[float | None]]:
    return {
        "mean": _list(found.mean),
        "ci95": _list((found.high - found.low) / 2),
        "low": _list(found.low),
        "high": _list(found.high),
    }


def _judged(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    right = [asdict(term) for term in claim.right] if isinstance(claim.right, tuple) else claim.right
    return {
        "text": claim.text,
        "left": [asdict(term) for term in claim.left],
        "relation": claim.relation,
        "right": right,
        "measure": _key(claim.measure),
        "step": claim.step,
        "margin": _finite(verdict.margin),
        "left_mean": _finite(verdict.left),
        "right_mean": _finite(verdict.right),
        "estimate": _finite(verdict.estimate),
        "low": _finite(verdict.low),
        "high": _finite(verdict.high),
        "n": verdict.n,
        "verdict": verdict.verdict,
    }


def _key(measure: str) -> str:
    return measure.replace(" ", "_")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _list(values: NDArray[np.float64]) -> list[float | None]:
    return [_finite(float(value)) for value in values]
