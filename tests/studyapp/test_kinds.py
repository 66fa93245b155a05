"""A new kind works everywhere: dummies go through check, rehearse, verify, export and analyse.

Each is one class, added to its collection and nothing else.  (Dummies of core alone are in
tests/core/test_contracts.py, a dummy item in tests/studyapp/study and a dummy dataset in
tests/studyapp/experiments.)
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from dummy_kinds import Coin, Contrary, Stubborn

from core.selection import SELECTIONS
from core.simulated import SIMULATED
from core.teachers import TEACHERS
from studyapp.base import documents
from studyapp.cli import main

STUDY = {
    "title": "New kinds",
    "models": {
        "headstrong": {"teacher": "stubborn"},
        "sure": {"teacher": "stubborn", "belief": "targets"},
        "careless": {"teacher": "naive", "selection": "coin"},
    },
    "targets": ["tea", "dog"],
    "questions": 4,
    "consent": "Please.",
    "instructions": ["Help."],
    "pace": {"pause": 0.0},
}


@pytest.fixture
def _known() -> Iterator[None]:
    with TEACHERS.also(Stubborn()), SELECTIONS.also(Coin()), SIMULATED.also(Contrary()):
        yield


@pytest.mark.usefixtures("_known")
def test_a_new_teacher_rule_and_simulated_participant_go_through_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, sessions, out = tmp_path / "study.yaml", tmp_path / "sessions", tmp_path / "out"
    study.write_text(documents.block(STUDY))

    assert main(["check", str(study), "--plan"]) == 0
    assert "headstrong" in capsys.readouterr().out

    with pytest.raises(SystemExit):
        main(["rehearse", "--help"])
    assert "contrary" in capsys.readouterr().out
    rehearse = ["rehearse", "--study", str(study), "--sessions", str(sessions), "--participants", "2"]
    assert main([*rehearse, "--teacher", "contrary"]) == 0

    logs = sorted(sessions.glob("*.yaml"))
    assert [path.name for path in logs] == ["contrary-001.yaml", "contrary-002.yaml"]
    for log in logs:  # one at a time: other processes do not know these kinds
        assert main(["verify", str(log)]) == 0

    assert main(["export", str(sessions), "--out", str(tmp_path / "dataset")]) == 0
    (answers,) = (tmp_path / "dataset" / "data").glob("*answers*.csv")
    with answers.open(encoding="utf-8") as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"headstrong", "sure", "careless"}

    assert main(["analyse", str(sessions), "--out", str(out)]) == 0
    assert json.loads((out / "summary.json").read_text())["models"] == ["careless", "headstrong", "sure"]
    report = (out / "report.html").read_text(encoding="utf-8")
    assert Stubborn.sentence in report


@pytest.mark.usefixtures("_known")
def test_new_teachers_and_models_are_simulated_and_drawn(tmp_path: Path) -> None:
    size = ["--arms", "6", "--questions", "2", "--replications", "2", "--samples", "16", "--processes", "1"]
    command = ["simulate", "--pairs", "N-N,C-S,H-HT,C-ST", *size, "--out", str(tmp_path)]
    assert main(command) == 0
    assert main([*command, "--replications", "3"]) == 0  # reads its results again, and continues
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert list(summary["pairs"]) == ["N-N", "C-S", "H-HT", "C-ST"]


def test_without_it_the_kind_is_unknown_and_the_error_lists_the_known_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(documents.block(STUDY))
    assert main(["check", str(study)]) == 2
    error = capsys.readouterr().err
    assert not [name for name in ("'stubborn'", "'mixture'", "'coin'") if name not in error]
