"""The example sessions in the repository: their analysis, and their logs replayed through the learner."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studyapp.cli import main

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "sessions" / "example"


def test_the_analysis_of_the_example_separates_planners_from_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", str(EXAMPLE), "--out", str(tmp_path)]) == 0  # in several processes
    assert "\nAll participants are simulated: no people answered.\n" in capsys.readouterr().out
    document = json.loads((tmp_path / "summary.json").read_text())
    assert (document["participants"], document["kinds"]) == (8, ["simulated"])
    alphas = {participant: alpha["mean"] for participant, alpha in document["alpha"].items()}
    assert min(alphas[f"planning-00{i}"] for i in range(1, 5)) > 0.8
    assert max(alphas[f"person-00{i}"] for i in range(1, 5)) < 0.5
    for participant, fit in document["log_likelihood"].items():
        assert (fit["planning_minus_naive"]["mean"] > 0) == participant.startswith("planning")


def test_a_planner_and_another_participant_of_the_example_are_verified() -> None:
    assert main(["verify", str(EXAMPLE / "planning-001.yaml"), str(EXAMPLE / "person-001.yaml")]) == 0


@pytest.mark.prove
def test_all_of_the_example_is_verified() -> None:
    assert len(list(EXAMPLE.glob("*.yaml"))) == 8
    assert main(["verify", str(EXAMPLE)]) == 0


def test_every_picture_is_shown_on_the_page_about_the_analysis() -> None:
    folder = ROOT / "studyapp" / "analysis"
    page = (folder / "README.md").read_text()
    for path in (folder / "pictures").iterdir():
        assert f"(pictures/{path.name})" in page
