"""Numbers for other programs: correct, tidy, and valid JSON."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats
from small_experiments import constant, small_runs, verdicts

from studyapp.experiments import numbers
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.designs.bandits import CUMULATIVE_REWARD


def test_curves_are_means_with_95_percent_intervals() -> None:
    rng = np.random.default_rng(2)
    results = constant(
        {"P-P": rng.uniform(size=5).tolist(), "N-N": rng.uniform(size=5).tolist()}, questions=3
    )
    curves = numbers.curves(results)
    assert list(curves) == ["P-P", "N-N"]
    assert list(curves["P-P"]) == ["cumulative_reward", "concordance"]
    rewards = results.values("P-P", CUMULATIVE_REWARD)
    half = stats.t.ppf(0.975, 4) * stats.sem(rewards, axis=0)
    curve = curves["P-P"]["cumulative_reward"]
    assert list(curve) == ["mean", "ci95", "low", "high"]
    assert curve["mean"] == pytest.approx(rewards.mean(0))
    assert curve["ci95"] == pytest.approx(half)
    assert curve["low"] == pytest.approx(rewards.mean(0) - half)
    assert curve["high"] == pytest.approx(rewards.mean(0) + half)


@pytest.mark.parametrize("name", FIGURES.names)
@pytest.mark.parametrize("replications", [1, 3])
def test_every_figures_numbers_are_valid_json_and_only_one_replication_lacks_an_interval(
    name: str, replications: int
) -> None:
    runs = small_runs(name, replications=replications)
    content = numbers.as_json(FIGURES[name], runs, verdicts(name, runs))
    text = json.dumps(content, allow_nan=False)
    assert json.loads(text)["figure"] == name
    assert len(content["claims"]) == len(FIGURES[name].claims)
    for label, results in runs.items():
        assert list(content["curves"][label]) == list(results.records)
        for by_measure in content["curves"][label].values():
            for curve in by_measure.values():
                assert curve["n"] == replications
                assert (None in curve["ci95"]) is (replications == 1)
                assert None not in curve["mean"]


def test_a_verdict_is_written_with_both_sides() -> None:
    runs = {"word": constant({"P-N": [0.4, 0.6], "N-N": [0.1, 0.1]})}
    first, last = (
        numbers.as_json(FIGURES["main"], runs, verdicts("main", runs))["claims"][i] for i in (0, -1)
    )
    assert first["left"] == [{"run": "word", "series": "P-N", "weight": 1.0}]
    assert (first["measure"], first["step"], first["n"]) == ("cumulative_reward", 30, 2)
    assert (first["left_mean"], first["right_mean"]) == pytest.approx((15.0, 3.0))
    assert first["estimate"] == pytest.approx(12.0)
    assert last["estimate"] is last["low"] is last["margin"] is None
    assert (last["verdict"], last["n"]) == ("undecided", 0)


@pytest.mark.parametrize("name", FIGURES.names)
def test_rows_have_one_step_each_and_the_numbers_of_the_curves(name: str) -> None:
    runs = small_runs(name)
    head, *rows = numbers.as_rows(runs)
    assert head == ["run", "series", "measure", "step", "mean", "low", "high", "replications"]
    assert {len(row) for row in rows} == {len(head)}
    assert len({tuple(row[:4]) for row in rows}) == len(rows)
    curves = {label: numbers.curves(results) for label, results in runs.items()}
    first = {"accuracy": 0}
    for run, series, measure, step, mean, low, high, count in rows:
        curve = curves[run][series][measure]
        i = step - first.get(measure, 1)
        assert (mean, low, high, count) == (curve["mean"][i], curve["low"][i], curve["high"][i], 3)
    file = io.StringIO()
    csv.writer(file).writerows([head, *rows])
    assert "nan" not in file.getvalue()


def test_numbers_that_cannot_be_computed_are_left_empty() -> None:
    _, row, *_ = numbers.as_rows({"word": constant({"P-P": [0.5]})})
    assert row == ["word", "P-P", "cumulative_reward", 1, 0.5, "", "", 1]
