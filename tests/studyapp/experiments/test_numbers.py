"""Numbers for other programs: right, tidy, and without anything that JSON does not know."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats
from small_experiments import rising, small_runs

from studyapp.experiments import numbers
from studyapp.experiments.catalogue import FIGURES


def test_curves_are_means_with_intervals() -> None:
    rng = np.random.default_rng(2)
    results = rising({"P-P": rng.uniform(size=5).tolist(), "N-N": rng.uniform(size=5).tolist()}, questions=3)
    found = numbers.curves(results)
    assert list(found) == ["P-P", "N-N"]
    assert list(found["P-P"]) == ["cumulative_reward", "concordance"]
    rewards = np.cumsum(results.values("P-P", "reward"), axis=1)
    half = stats.t.ppf(0.975, 4) * stats.sem(rewards, axis=0)
    told = found["P-P"]["cumulative_reward"]
    assert list(told) == ["mean", "ci95", "low", "high"]
    assert told["mean"] == pytest.approx(rewards.mean(0))
    assert told["ci95"] == pytest.approx(half)
    assert told["low"] == pytest.approx(rewards.mean(0) - half)
    assert told["high"] == pytest.approx(rewards.mean(0) + half)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("replications", [1, 3])
def test_json_has_nothing_that_it_does_not_know(name: str, replications: int) -> None:
    runs = small_runs(name, replications=replications)
    told = numbers.as_json(FIGURES[name], runs)
    text = json.dumps(told, allow_nan=False)
    assert json.loads(text)["figure"] == name
    assert len(told["claims"]) == len(FIGURES[name].claims)
    for label, results in runs.items():
        assert list(told["curves"][label]) == list(results.records)
        for by_measure in told["curves"][label].values():
            for curve in by_measure.values():
                assert curve["n"] == replications
                assert (None in curve["ci95"]) is (replications == 1)
                assert None not in curve["mean"]


def test_verdicts_are_told_with_both_sides() -> None:
    runs = {"word": rising({"P-N": [0.4, 0.6], "N-N": [0.1, 0.1]})}
    first, last = (numbers.as_json(FIGURES["main"], runs)["claims"][i] for i in (0, -1))
    assert first["left"] == [{"run": "word", "series": "P-N", "weight": 1.0}]
    assert (first["measure"], first["step"], first["n"]) == ("cumulative_reward", 30, 2)
    assert (first["left_mean"], first["right_mean"]) == pytest.approx((15.0, 3.0))
    assert first["estimate"] == pytest.approx(12.0)
    assert last["estimate"] is last["low"] is last["margin"] is None
    assert (last["verdict"], last["n"]) == ("undecided", 0)


@pytest.mark.parametrize("name", FIGURES)
def test_rows_are_tidy(name: str) -> None:
    runs = small_runs(name)
    head, *rows = numbers.as_rows(runs)
    assert head == ["run", "series", "measure", "step", "mean", "low", "high", "replications"]
    assert {len(row) for row in rows} == {len(head)}
    assert len({tuple(row[:4]) for row in rows}) == len(rows)
    curves = {label: numbers.curves(results) for label, results in runs.items()}
    first = {"accuracy": 0}
    for run, series, measure, step, mean, low, high, many in rows:
        found = curves[run][series][measure]
        i = step - first.get(measure, 1)
        assert (mean, low, high, many) == (found["mean"][i], found["low"][i], found["high"][i], 3)
    file = io.StringIO()
    csv.writer(file).writerows([head, *rows])
    assert "nan" not in file.getvalue()


def test_what_cannot_be_told_is_left_empty() -> None:
    _, row, *_ = numbers.as_rows({"word": rising({"P-P": [0.5]})})
    assert row == ["word", "P-P", "cumulative_reward", 1, 0.5, "", "", 1]
