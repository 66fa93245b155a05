"""The scripts beside exported tables give the numbers of the report, in R and in Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from made_up import answer_table, imported, quick_analysis
from study_files import loaded, run, small

from studyapp.cli import main
from studyapp.office import study_log
from studyapp.office.events import Excluded
from studyapp.tables import psych_ds

ROOT = Path(__file__).parents[3]
NUMBER = r"-?(?:[0-9.]+(?:e-?[0-9]+)?|NA|nan)"


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
    in_r = re.search(rf"\(Intercept\) +({NUMBER}) +({NUMBER})", part.split("Groups")[0])
    found = in_r or re.match(rf"estimate ({NUMBER}), standard error ({NUMBER})", part)
    assert found
    return [float(number) for number in found.groups()]


def agrees(text: str, pair: dict[str, Any]) -> None:
    """Check the numbers that a script printed for two models against those of the analysis."""
    one, other = pair["models"]
    for outcome, result, means in (
        ("found", pair["found"], pair["found"]),
        ("time_to_find", pair["time_to_find"], pair["time_to_find"]),
        ("cumulative_reward", pair, pair["means"]),
    ):
        expected = [means[one], means[other], result["difference"], *result["ci95"]]
        expected += [result[name] for name in ("t", "df", "p")]
        assert main_result(text, one, other, outcome) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    if "lme4" not in text:
        expected = [pair["crossed"]["difference"], pair["crossed"]["se"]]
        assert mixed_model(text, one, other) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
def test_a_script_counts_whom_an_analysis_counts_and_prints_its_numbers(script: str, tmp_path: Path) -> None:
    """Imported sessions, one of them unfinished and one excluded, beside a simulated one."""
    command_of(script)
    lab = tmp_path / "lab"
    study = loaded(
        lab, small(models={"mixture": {}, "naive": {}}, words="study20", targets=["tea"], practice=["cat"])
    )
    table = answer_table(6, ["tea", "salt", "dog"], 4, 1)
    imported(lab, table[:-9]).rename(lab / "sessions")  # P5 has no last rounds
    run(study, lab / "sessions", "simulated")
    study_log.append(lab / "study.log.yaml", Excluded("P4", "fell asleep", unblinded=False))
    assert main(["export", str(lab), "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    assert "4 participants (imported), 24 rounds" in text
    with quick_analysis():
        assert main(["analyse", str(lab), "--out", str(tmp_path / "analysis")]) == 0
    summary = json.loads((tmp_path / "analysis" / "summary.json").read_text())
    assert summary["participants"] == 4
    (pair,) = summary["comparisons"]
    agrees(text, pair)


@pytest.mark.prove
@pytest.mark.parametrize("script", psych_ds.SCRIPTS)
def test_a_script_works_with_hardly_any_data(script: str, tmp_path: Path) -> None:
    """An ID that is a number, words such as null, one target, and nothing that varies."""
    command_of(script)
    study = loaded(tmp_path, small(models={"a-b": {}, "1": {}, "NA": {}}, targets=["null"]))
    run(study, tmp_path / "sessions", "000")
    assert main(["export", str(tmp_path / "sessions"), "--out", str(tmp_path / "out")]) == 0
    text = printed(script, tmp_path / "out")
    assert ": 1 participants (simulated), 3 rounds" in text
    assert text.count("can't be fitted") == 3 or "lme4" in text
    assert len(main_result(text, "1", "NA", "found")) == 8


def test_the_python_script_is_in_our_style(tmp_path: Path) -> None:
    (tmp_path / "starter.py").write_bytes(psych_ds.script("starter.py"))
    for task in (["check", "--ignore", "T20"], ["format", "--diff"]):
        style = ["--config", str(ROOT / "pyproject.toml"), "starter.py"]
        command = [sys.executable, "-m", "ruff", *task, *style]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
