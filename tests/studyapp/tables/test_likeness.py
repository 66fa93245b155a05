"""The table of likenesses of an export."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from exports import records
from study_files import WORDS, loaded, run, small

from core.rewards import clamped
from studyapp.cli import main


def test_likenesses_are_the_features_and_give_the_rewards_of_all_answers(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(kernel_width=0.7))
    run(study, tmp_path / "sessions")
    words, out = str(tmp_path / "words.txt"), tmp_path / "out"
    assert main(["export", str(tmp_path / "sessions"), "--words", words, "--out", str(out)]) == 0
    likeness = {
        (row["title"], row["target"], row["word"]): float(row["likeness"]) for row in records(out, "likeness")
    }
    assert list(likeness) == [("A small study", target, word) for target in WORDS for word in WORDS]
    assert list(likeness.values()) == study.features.ravel().tolist()  # numbers read back exactly
    for row in records(out, "answers"):
        expected = clamped(likeness["A small study", row["target"], row["word"]])
        assert float(row["reward"]) == pytest.approx(float(expected), abs=1e-6)


def test_studies_with_other_likenesses_are_told_apart_by_title_or_have_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, out = tmp_path / "sessions", tmp_path / "out"
    for number, width in enumerate((1.5, 3.0)):
        run(loaded(tmp_path, small(kernel_width=width, title=f"Study {number}")), sessions, f"P{number}")
    shutil.copy(tmp_path / "words.txt", sessions)
    assert main(["export", str(sessions), "--out", str(out)]) == 0
    assert [row["title"] for row in records(out, "likeness")] == ["Study 0"] * 36 + ["Study 1"] * 36
    run(loaded(tmp_path, small(kernel_width=2.0, title="Study 1")), sessions, "P2")
    assert main(["export", str(sessions), "--out", str(out), "--force"]) == 0
    assert "no table of likenesses: studies with the same title have" in capsys.readouterr().out
    # Without the words, everything else is exported.
    for place in (sessions, tmp_path):
        (place / "words.txt").unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["export", str(sessions / "P0.yaml"), "--out", str(out), "--force"]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    assert said.startswith("there is no table of likenesses: its word set was not found (")
    assert said.endswith("name its file with --words FILE")
    assert not list((out / "data").glob("*likeness*"))
    assert records(out, "wide")
