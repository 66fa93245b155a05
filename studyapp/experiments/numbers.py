"""The numbers behind a figure, for other programs: curves and verdicts as JSON, curves as a tidy table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studyapp.experiments.catalogue import Entry
from studyapp.experiments.claims import Verdict
from studyapp.experiments.designs.design import Measure
from studyapp.experiments.store import Results
from studyapp.reporting.statistics import Estimate, mean_ci

HEAD = ["run", "series", "measure", "step", "mean", "low", "high", "replications"]


def curves(results: Results) -> dict[str, Any]:
    """By series and measure: the mean over replications, its 95 % interval, and half the interval's width."""
    return {
        series: {measure.key: _curve(estimate) for measure, estimate in estimates}
        for series, estimates in _estimates(results).items()
    }


def as_json(entry: Entry, runs: Mapping[str, Results], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A figure's verdicts and curves, and what they were made from."""
    return {
        "figure": entry.name,
        "title": entry.title,
        "claims": [_claim(verdict) for verdict in verdicts],
        "curves": {label: _curves_with_n(results) for label, results in runs.items()},
        "designs": {label: results.design for label, results in runs.items()},
        "software": {label: results.software for label, results in runs.items()},
    }


def as_rows(runs: Mapping[str, Results]) -> list[list[Any]]:
    """A figure's curves as a header and one row per step; numbers that can't be computed are left empty."""
    rows: list[list[Any]] = [HEAD]
    for label, results in runs.items():
        for series, estimates in _estimates(results).items():
            for measure, estimate in estimates:
                for i, numbers in enumerate(zip(estimate.mean, estimate.low, estimate.high, strict=True)):
                    cells = [float(number) if math.isfinite(number) else "" for number in numbers]
                    where = [label, series, measure.key, measure.first + i]
                    rows.append([*where, *cells, int(estimate.count[i])])
    return rows


def _estimates(results: Results) -> dict[str, list[tuple[Measure, Estimate]]]:
    """By series, every measure with its mean and interval over all replications."""
    return {
        series: [(measure, mean_ci(results.values(series, measure))) for measure in results.measures(series)]
        for series in results.records
        if results.numbers(series)
    }


def _curve(estimate: Estimate) -> dict[str, Any]:
    return {
        "mean": _list(estimate.mean),
        "ci95": _list((estimate.high - estimate.low) / 2),
        "low": _list(estimate.low),
        "high": _list(estimate.high),
    }


def _curves_with_n(results: Results) -> dict[str, Any]:
    by_series = curves(results)
    for series, by_measure in by_series.items():
        for curve in by_measure.values():
            curve["n"] = len(results.numbers(series))
    return by_series


def _claim(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    right = [asdict(term) for term in claim.right] if isinstance(claim.right, tuple) else claim.right
    return {
        "text": claim.text,
        "left": [asdict(term) for term in claim.left],
        "relation": claim.relation,
        "right": right,
        "measure": claim.measure.key,
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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _list(values: NDArray[np.float64]) -> list[float | None]:
    return [_finite(float(value)) for value in values]
