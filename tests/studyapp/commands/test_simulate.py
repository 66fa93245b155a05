"""``studyapp simulate``: its numbers, what it records, and that it continues after any interruption."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from small_experiments import draw_nothing, read

from core.people import People
from studyapp.cli import main

SMALL = ["--arms", "12", "--questions", "4", "--samples", "64", "--processes", "1"]


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn only where they are tested."""
    draw_nothing(monkeypatch)


def simulated(out: Path, *options: str) -> dict[str, Any]:
    assert main(["simulate", *SMALL, "--replications", "6", "--out", str(out), *options]) == 0
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return summary


def test_means_and_intervals_are_those_of_the_replications(tmp_path: Path) -> None:
    summary = simulated(tmp_path)
    results = read(tmp_path / "replications")
    assert list(summary["pairs"]) == ["N-N", "N-P", "N-M", "P-N", "P-P", "P-M"]
    for pair, curves in summary["pairs"].items():
        records = [results.records[pair][number] for number in range(6)]
        for measure, values in {
            "cumulative_reward": np.cumsum([record["reward"] for record in records], axis=1),
            "concordance": np.array([record["concordance"] for record in records]),
        }.items():
            mean, half = values.mean(0), stats.sem(values) * stats.t.ppf(0.975, 5)
            np.testing.assert_allclose(curves[measure]["mean"], mean, atol=1e-12)
            np.testing.assert_allclose(curves[measure]["ci95"], half, atol=1e-12)
            np.testing.assert_allclose(curves[measure]["low"], mean - half, atol=1e-12)
            np.testing.assert_allclose(curves[measure]["high"], mean + half, atol=1e-12)
            assert len(curves[measure]["mean"]) == 4
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (3 + 5 * 4) * 4  # N-N has no contrast, since nobody plans ahead
    for row in rows:
        curve = summary["pairs"][row["series"]][row["measure"]]
        assert float(row["mean"]) == curve["mean"][int(row["step"]) - 1]
        assert float(row["high"]) == curve["high"][int(row["step"]) - 1]
        assert row["replications"] == "6"


def test_every_option_is_recorded(tmp_path: Path) -> None:
    options = {
        "c": -2.5, "d": 5.0, "teacher-beta": 7.0, "learner-beta": 9.0, "tau": 1.5, "gamma": 0.9, "horizon": 2,
        "selection": "bayes-ucb", "fit": "published", "imagined-fit": "converged", "seed": 11,
        "dataset": "wine",
    }  # fmt: skip
    given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    settings = simulated(tmp_path, "--pairs", "P-P,N-N", *given)["settings"]
    dataset = settings.pop("dataset")
    assert (dataset["name"], dataset["rows"], dataset["columns"]) == ("wine", 4898, 11)
    assert settings.pop("people") == People.default().sha256
    assert settings == {
        "kind": "bandits", "arms": 12, "questions": 4, "samples": 64,
        "c": -2.5, "d": 5.0, "teacher_beta": 7.0, "learner_beta": 9.0, "tau": 1.5, "gamma": 0.9, "horizon": 2,
        "selection": "bayes-ucb", "fit": "published", "imagined_fit": "converged", "seed": 11,
    }  # fmt: skip


def test_people_and_beliefs_over_targets_are_simulated_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = ["N-N", "R-N", "H-N", "N-NT", "P-PT", "P-MT", "H-HT"]
    summary = simulated(tmp_path, "--pairs", ",".join(pairs))
    printed = capsys.readouterr().out
    assert list(summary["pairs"]) == list(summary["meaning"]) == pairs
    assert summary["meaning"]["H-HT"].endswith("and keeps a belief over targets")
    assert summary["meaning"]["H-N"].endswith("and keeps a belief over weights")
    assert all((f"{pair}: the teacher " in printed) is (pair != "N-N") for pair in pairs)
    records = {pair: of_pair[0] for pair, of_pair in read(tmp_path / "replications").records.items()}
    assert [pair for pair, record in records.items() if "alpha" in record] == ["P-MT"]
    assert {pair for pair, record in records.items() if "contrast" in record} == {"P-PT", "P-MT"}
    assert all(record["converged"] for record in records.values())


def test_a_belief_over_targets_counts_as_converged_unless_a_teacher_imagines_a_published_fit(
    tmp_path: Path,
) -> None:
    summary = simulated(tmp_path, "--pairs", "H-HT,N-NT,P-PT", "--fit", "published")
    assert summary["replications_with_unconverged_fits"] == {"N-NT": 0, "P-PT": 6, "H-HT": 0}


def test_the_figure_is_written_in_two_formats_with_the_same_bytes_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    simulated(tmp_path, "--pairs", "N-N,P-P")
    first = {form: (tmp_path / f"curves.{form}").read_bytes() for form in ("svg", "pdf")}
    simulated(tmp_path, "--pairs", "N-N,P-P")
    assert first == {form: (tmp_path / f"curves.{form}").read_bytes() for form in first}


def test_one_replication_of_ones_own_table_has_no_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    np.savetxt(table, np.random.default_rng(0).normal(size=(30, 3)), delimiter=",")
    out = tmp_path / "out"
    summary = simulated(out, "--data", str(table), "--replications", "1", "--pairs", "N-N")
    dataset = summary["settings"]["dataset"]
    assert (dataset["name"], dataset["rows"], dataset["columns"]) == ("table.csv", 30, 3)
    assert summary["pairs"]["N-N"]["concordance"]["ci95"] == [None] * 4
    assert "–" in capsys.readouterr().out  # noqa: RUF001


def test_extreme_settings_still_give_results(tmp_path: Path) -> None:
    for number, given in enumerate(("--d 0", "--c -30 --d 5", "--c -1000 --d 1000", "--questions 1")):
        summary = simulated(tmp_path / str(number), "--pairs", "P-M,N-N", *given.split())
        values = summary["pairs"]["N-N"]["concordance"]["mean"]
        assert all(0 <= value <= 1 for value in values), given


def test_results_of_other_settings_in_the_folder_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated(tmp_path, "--pairs", "N-N")
    assert main(["simulate", *SMALL, "--c", "-2", "--out", str(tmp_path)]) == 2
    assert "these results have other settings: c was -4.0 and is now -2.0" in capsys.readouterr().err


LONG = [*("simulate", "--pairs", "N-N", "--replications", "75"), *SMALL, "--out"]
INTERRUPTED = """
import os, signal, sys
from studyapp.cli import main
from studyapp.experiments import running

def save(*arguments, saved=running.save):
    saved(*arguments)
    os.kill(os.getpid(), int(sys.argv[1]))

running.save = save
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_command_continues_to_the_same_result(tmp_path: Path, how: signal.Signals) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", INTERRUPTED, str(int(how)), *LONG, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if how is signal.SIGINT:
        assert done.returncode == 130
        assert "finished replications are saved; run the same command again to continue" in done.stderr
        assert "Traceback" not in done.stderr
    else:
        assert done.returncode == -how
    assert len(read(out / "replications").records["N-N"]) == 25
    assert [path.name for path in out.iterdir()] == ["replications"]
    kept = {path: path.read_bytes() for path in (out / "replications").iterdir()}
    assert main([*LONG, str(out)]) == main([*LONG, str(tmp_path / "whole")]) == 0
    assert {path: path.read_bytes() for path in kept} == kept
    for name in ("summary.json", "curves.csv"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
