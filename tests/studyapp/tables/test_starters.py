"""The scripts beside exported tables give the numbers of the report, in R and in Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from made_up import answer_table, imported, quick_analysis
from published import SESSIONS, needs_sessions
from study_files import loaded, run, small

from studyapp.cli import main
from studyapp.tables import psych_ds

ROOT = Path(__file__).parents[3]
NUMBER = r"-?(?:[0-9.]+(?:e-?[0-9]+)?|NA|nan)"


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


@cache
def has_lme4() -> bool:
    """Whether R has lme4."""
    found = subprocess.run(
        ["Rscript", "-e", 'quit(status = !requireNamespace("lme4", quietly = TRUE))'],
        capture_output=True,
        check=False,
    )
    return found.returncode == 0


def command_of(script: str) -> list[str]:
    """How to run a script; skips the test if that is not possible here."""
    if script == "starter.R":
        if not shutil.which("Rscript"):
            pytest.skip("R is not installed (Rscript)")
        return ["Rscript", script]
    for package in ("pandas", "statsmodels"):
        if not find_spec(package):
            pytest.skip(f"the Python package {package} is not installed")
    return [sys.executable, "-W", "error", script]


def printed(script: str, out: Path) -> str:
    """What a script prints in an exported folder, where it draws its figure."""
    done = subprocess.run(command_of(script), cwd=out, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figure = out / dict(zip(psych_ds.SCRIPTS, psych_ds.FIGURES, strict=True))[script]
    assert figure.stat().st_size > 3_000
    return done.stdout


def main_result(text: str, one: str, other: str, outcome: str) -> list[float]:
    """The means, the difference, its interval, t, df and p."""
    part = text.split(f"\n{one} minus {other}, with a 95 % interval\n")[1].split("\n\n")[0]
    (line,) = (line for line in part.splitlines() if line.split()[0] == outcome)
    return [float(number.replace("NA", "nan")) for number in line.split()[1:]]


def mixed_model(text: str, one: str, other: str) -> list[float]:
    """The estimate and its standard error."""
    part = text.split(f"\n{one} minus {other} in cumulative_reward, mixed model\n")[1]
    if found := re.search(rf"\(Intercept\) +({NUMBER}) +({NUMBER})", part.split("Groups")[0]):  # R
        return [float(number) for number in found.groups()]
    found = re.match(rf"estimate ({NUMBER}), standard error ({NUMBER})", part)
    assert found
    return [float(number) for number in found.groups()]


def summary_of(sessions: Path, folder: Path) -> dict[str, Any]:
    arguments = ["analyse", str(sessions), "--planners", "0", "--out", str(folder / "analysis")]
    assert main(arguments) == 0
    document: dict[str, Any] = json.loads((folder / "analysis" / "summary.json").read_text())
    return document


def agrees(text: str, summary: dict[str, Any], *, with_mixed_model: bool) -> None:
    """Check all numbers that a script printed against those of the analysis."""
    comparisons = summary["comparisons"]
    assert [tuple(pair["models"]) for pair in comparisons] == list(
        combinations(sorted({model for pair in comparisons for model in pair["models"]}), 2)
    )
    for pair in comparisons:
        one, other = pair["models"]
        for outcome, result, means in (
            ("found", pair["found"], pair["found"]),
            ("time_to_find", pair["time_to_find"], pair["time_to_find"]),
            ("cumulative_reward", pair, pair["means"]),
        ):
            expected = [means[one], means[other], result["difference"], *result["ci95"]]
            expected += [result[name] for name in ("t", "df", "p")]
            assert main_result(text, one, other, outcome) == pytest.approx(expected, rel=1e-4, abs=1e-4)
        if with_mixed_model and pair["crossed"]["converged"] and not pair["crossed"]["note"]:
            expected = [pair["crossed"]["difference"], pair["crossed"]["se"]]
            assert mixed_model(text, one, other) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
def test_scripts_print_the_numbers_of_the_report_for_the_example(script: str, tmp_path: Path) -> None:
    sessions = ROOT / "sessions" / "example"
    command_of(script)
    assert main(["export", str(sessions), "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    assert "8 participants (simulated), 96 rounds" in text
    agrees(text, summary_of(sessions, tmp_path), with_mixed_model=script == "starter.py" or has_lme4())


@needs_sessions
@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
def test_scripts_print_the_numbers_of_the_report_for_the_published_data(script: str, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    command_of(script)
    assert main(["import", str(SESSIONS), "--sessions", str(sessions)]) == 0
    assert main(["export", str(sessions), "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    agrees(text, summary_of(sessions, tmp_path), with_mixed_model=script == "starter.py" or has_lme4())


@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
@pytest.mark.parametrize("participants", [1, 2])
def test_scripts_work_with_hardly_any_data(script: str, participants: int, tmp_path: Path) -> None:
    """IDs that are numbers, words such as null, an unfinished session, one target, constant differences."""
    command_of(script)
    study = loaded(tmp_path, small(models={"a-b": {}, "1": {}, "NA": {}}, targets=["null"]))
    for number in range(participants):
        run(study, tmp_path / "sessions", f"00{number}")
    run(study, tmp_path / "sessions", "later")
    log = tmp_path / "sessions" / "later.yaml"
    log.write_bytes(log.read_bytes()[:-500])
    words = ["--words", str(tmp_path / "words.txt")]
    assert main(["export", str(tmp_path / "sessions"), *words, "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    assert f": {participants} participants (simulated), {3 * participants} rounds" in text
    assert text.count("can't be fitted") == 3 or not has_lme4()
    assert len(main_result(text, "1", "NA", "found")) == 8


@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
def test_scripts_choose_the_sessions_that_an_analysis_would(script: str, tmp_path: Path) -> None:
    command_of(script)
    sessions = imported(tmp_path, answer_table(3, ["tea", "salt"], 4, 1))
    run(loaded(tmp_path, small()), sessions, "simulated")
    assert main(["export", str(sessions), "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    assert "3 participants (imported), 12 rounds" in text
    agrees(text, summary_of(sessions, tmp_path), with_mixed_model=False)


def test_the_python_script_is_in_our_style(tmp_path: Path) -> None:
    (tmp_path / "starter.py").write_bytes(psych_ds.script("starter.py"))
    for task in (["check", "--ignore", "T20"], ["format", "--diff"]):
        command = [
            sys.executable,
            "-m",
            "ruff",
            *task,
            "--config",
            str(ROOT / "pyproject.toml"),
            "starter.py",
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
