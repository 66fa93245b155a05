"""The example in the repository works, and its logs are still what the learner asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studyapp.cli import main

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "sessions" / "example"


def test_the_example_is_analysed_and_tells_planners_from_others(tmp_path: Path) -> None:
    assert main(["analyse", str(EXAMPLE), "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "summary.json").read_text())
    assert (found["participants"], found["kinds"]) == (8, ["simulated"])
    alphas = {name: alpha["mean"] for name, alpha in found["alpha"].items()}
    assert min(alphas[f"planning-00{i}"] for i in range(1, 5)) > 0.8
    assert max(alphas[f"person-00{i}"] for i in range(1, 5)) < 0.5


def test_the_example_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out.endswith("8 of 8 logs are as they should be\n")


def test_the_pictures_in_the_readme_are_there() -> None:
    text = (ROOT / "README.md").read_text()
    for name in (path.stem for path in (ROOT / "studyapp" / "analysis" / "pictures").iterdir()):
        assert f"studyapp/analysis/pictures/{name}.svg" in text
