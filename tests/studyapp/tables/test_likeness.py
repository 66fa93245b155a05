"""The table of likenesses of an export."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from study_files import WORDS, loaded, run, small, write

from core.rewards import clamped
from studyapp.cli import main
from studyapp.study.loading import load


def rows(out: Path, table: str) -> list[dict[str, str]]:
    (path,) = (out / "data").glob(f"*-{table}_data.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_likenesses_are_the_features_and_give_the_rewards_of_all_answers(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(kernel_width=0.7))
    run(study, tmp_path / "sessions")
    words, out = str(tmp_path / "words.txt"), tmp_path / "out"
    assert main(["export", str(tmp_path / "sessions"), "--words", words, "--out", str(out)]) == 0
    table = rows(out, "likeness")
    assert list(table[0]) == ["title", "target", "word", "likeness"]
    likeness = {(row["target"], row["word"]): float(row["likeness"]) for row in table}
    assert list(likeness) == [(target, word) for target in WORDS for word in WORDS]
    assert list(likeness.values()) == study.features.ravel().tolist()  # numbers read back exactly
    for row in rows(out, "answers"):
        expected = clamped(likeness[row["target"], row["word"]])
        assert float(row["reward"]) == pytest.approx(float(expected), abs=1e-6)


def test_studies_with_different_words_are_told_apart_by_title(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, width in enumerate((1.5, 3.0)):
        settings = small(kernel_width=width, title=f"Study {number}")
        run(load(write(tmp_path, settings)), tmp_path / "sessions", f"P{number}")
    shutil.copy(tmp_path / "words.txt", tmp_path / "sessions")
    assert main(["export", str(tmp_path / "sessions"), "--out", str(tmp_path / "out")]) == 0
    table = rows(tmp_path / "out", "likeness")
    assert [row["title"] for row in table] == ["Study 0"] * 36 + ["Study 1"] * 36
    run(load(write(tmp_path, small(kernel_width=2.0, title="Study 1"))), tmp_path / "sessions", "P2")
    assert main(["export", str(tmp_path / "sessions"), "--out", str(tmp_path / "out"), "--force"]) == 0
    assert "no table of likenesses: studies with the same title have" in capsys.readouterr().out


def test_without_the_words_everything_else_is_exported_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(loaded(tmp_path, small()), tmp_path / "sessions")
    (tmp_path / "words.txt").unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert main(["export", str(tmp_path / "sessions"), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("there is no table of likenesses: its word set was not found (")
    assert said[0].endswith("name its file with --words FILE")
    assert not list((tmp_path / "out" / "data").glob("*likeness*"))
    assert rows(tmp_path / "out", "wide")
