"""``studyapp simulate``: its numbers, what it records, and that it goes on after whatever stopped it."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from studyapp.cli import main
from studyapp.experiments.results import read

SMALL = ["--arms", "12", "--questions", "4", "--samples", "64", "--processes", "1"]


def simulated(out: Path, *more: str) -> dict[str, Any]:
    assert main(["simulate", *SMALL, "--replications", "6", "--out", str(out), *more]) == 0
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return summary


def test_means_and_intervals_are_those_of_the_replications(tmp_path: Path) -> None:
    summary = simulated(tmp_path)
    results = read(tmp_path / "replications.jsonl")
    assert list(summary["pairs"]) == ["N-N", "N-P", "N-M", "P-N", "P-P", "P-M"]
    for pair, found in summary["pairs"].items():
        records = [results.records[pair][number] for number in range(6)]
        for measure, values in {
            "cumulative_reward": np.cumsum([record["reward"] for record in records], axis=1),
            "concordance": np.array([record["concordance"] for record in records]),
        }.items():
            mean, half = values.mean(0), stats.sem(values) * stats.t.ppf(0.975, 5)
            np.testing.assert_allclose(found[measure]["mean"], mean, atol=1e-12)
            np.testing.assert_allclose(found[measure]["ci95"], half, atol=1e-12)
            np.testing.assert_allclose(found[measure]["low"], mean - half, atol=1e-12)
            assert len(found[measure]["mean"]) == 4


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
    assert settings == {
        "kind": "bandits", "arms": 12, "questions": 4, "samples": 64,
        "c": -2.5, "d": 5.0, "teacher_beta": 7.0, "learner_beta": 9.0, "tau": 1.5, "gamma": 0.9, "horizon": 2,
        "selection": "bayes-ucb", "fit": "published", "imagined_fit": "converged", "seed": 11,
    }  # fmt: skip


def test_the_table_has_a_row_for_each_pair_measure_and_question(tmp_path: Path) -> None:
    summary = simulated(tmp_path, "--pairs", "P-M,N-N")
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (3 + 4) * 4  # N-N has no contrast: nobody looks ahead
    for row in rows:
        found = summary["pairs"][row["series"]][row["measure"]]
        assert float(row["mean"]) == found["mean"][int(row["step"]) - 1]
        assert float(row["high"]) == found["high"][int(row["step"]) - 1]
        assert row["replications"] == "6"


def test_figures_are_there_in_three_forms_and_the_same_each_time(tmp_path: Path) -> None:
    simulated(tmp_path)
    first = {form: (tmp_path / f"curves.{form}").read_bytes() for form in ("svg", "pdf", "png")}
    simulated(tmp_path)
    assert first == {form: (tmp_path / f"curves.{form}").read_bytes() for form in first}
    assert first["png"].startswith(b"\x89PNG")


def test_more_replications_leave_the_first_ones_as_they_were(tmp_path: Path) -> None:
    few = simulated(tmp_path)
    simulated(tmp_path, "--replications", "9")
    again = simulated(tmp_path)
    assert again == few


def test_one_replication_has_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = simulated(tmp_path, "--replications", "1", "--pairs", "N-N")
    assert summary["pairs"]["N-N"]["concordance"]["ci95"] == [None] * 4
    assert "–" in capsys.readouterr().out  # noqa: RUF001


def test_a_table_of_ones_own_is_simulated(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    np.savetxt(table, np.random.default_rng(0).normal(size=(30, 3)), delimiter=",")
    summary = simulated(tmp_path / "out", "--data", str(table), "--pairs", "N-N")
    assert summary["settings"]["dataset"]["rows"] == 30


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ["--arms", "10001"],
            "10001 arms cannot be drawn from the 10000 rows of word; ask for fewer (--arms)",
        ),
        (["--arms", "1"], "--arms is 1; it must be a whole number from 2"),
        (["--pairs", "N-N,M-P"], "a pair of --pairs is 'M-P'; it must be one of 'N-N'"),
        (["--pairs", ","], "--pairs names no pair"),
        (["--dataset", "wines"], "there is no dataset 'wines'"),
        (["--dataset", "leaf"], "--data FILE"),
        (["--data", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--questions", "0"], "--questions is 0"),
        (["--replications", "0"], "--replications is 0"),
        (["--samples", "16777216"], "--samples is 16777216"),
        (["--learner-beta", "nan"], "--learner-beta is nan"),
        (["--horizon", "11"], "--horizon is 11"),
        (["--gamma", "0"], "--gamma is 0"),
        (["--tau", "nan"], "--tau is nan"),
        (["--c", "inf"], "--c is inf"),
        (["--teacher-beta", "-1"], "--teacher-beta is -1"),
        (["--fit", "quick"], "--fit is 'quick'; it must be one of 'converged', 'published'"),
        (["--imagined-fit", "quick"], "--imagined-fit is 'quick'"),
        (["--selection", "best"], "--selection is 'best'"),
        (["--processes", "0"], "--processes is 0"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers at tcp://127.0.0.1:9"),
        (["--out", "/dev/null"], "this is a file, and results need a folder"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("studyapp.experiments.executors.PATIENCE", 1.0)
    assert main(["simulate", "--out", "here", *given]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "given", [["--d", "0"], ["--c", "-30", "--d", "5"], ["--c", "-1000", "--d", "1000"], ["--questions", "1"]]
)
def test_absurd_but_possible_settings_have_results(tmp_path: Path, given: list[str]) -> None:
    summary = simulated(tmp_path, "--pairs", "P-M,N-N", *given)
    values = summary["pairs"]["N-N"]["concordance"]["mean"]
    assert all(0 <= value <= 1 for value in values)


def test_a_full_disk_is_told_and_what_was_kept_goes_on(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "studyapp.cli",
        "simulate",
        *SMALL,
        "--pairs",
        "N-N",
        "--replications",
        "200",
    ]
    limit = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
    limited = [sys.executable, "-c", limit + "runpy.run_module('studyapp.cli', run_name='__main__')"]
    full = subprocess.run(
        [*limited, *command[3:], "--out", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert full.returncode == 2
    assert "replications.jsonl: " in full.stderr
    assert full.stderr.count("\n") == 1
    kept = (tmp_path / "replications.jsonl").read_bytes()
    assert len(kept) == 20_000
    assert main([*command[3:], "--out", str(tmp_path)]) == 0
    whole = kept[: kept.rfind(b"\n") + 1]
    assert (tmp_path / "replications.jsonl").read_bytes().startswith(whole)
    assert len(read(tmp_path / "replications.jsonl").records["N-N"]) == 200


def test_results_of_other_settings_in_the_folder_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated(tmp_path, "--pairs", "N-N")
    assert main(["simulate", *SMALL, "--c", "-2", "--out", str(tmp_path)]) == 2
    assert "these results have other settings: c was -4.0 and is -2.0" in capsys.readouterr().err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_interrupted_anywhere_the_same_command_goes_on_to_the_same_result(
    tmp_path: Path, how: signal.Signals
) -> None:
    out = tmp_path / "interrupted"
    options = [
        "--questions",
        "12",
        "--replications",
        "100",
        "--pairs",
        "P-M",
        "--samples",
        "200",
        "--arms",
        "40",
    ]
    command = [sys.executable, "-m", "studyapp.cli", "simulate", *options, "--processes", "1", "--out"]
    process = subprocess.Popen(
        [*command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    kept = out / "replications.jsonl"
    end = time.monotonic() + 60
    while time.monotonic() < end and not (kept.exists() and kept.read_bytes().count(b"\n") > 1):
        time.sleep(0.01)
    process.send_signal(how)
    _, error = process.communicate(timeout=60)
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert "finished replications are kept: the same command goes on from there" in error
        assert "Traceback" not in error
    else:
        assert process.returncode == -how
    before = read(kept)
    assert 0 < len(before.records["P-M"]) < 100
    assert not (out / "summary.json").exists()
    assert main(["simulate", *options, "--processes", "1", "--out", str(out)]) == 0
    after = read(kept)
    assert {number: after.records["P-M"][number] for number in before.records["P-M"]} == before.records["P-M"]
    assert main(["simulate", *options, "--processes", "1", "--out", str(tmp_path / "at once")]) == 0
    for name in ("summary.json", "curves.csv"):
        assert (out / name).read_bytes() == (tmp_path / "at once" / name).read_bytes()
