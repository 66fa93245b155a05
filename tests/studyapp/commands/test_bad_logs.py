"""One bad log never stops the work on the others: every command goes on with them, and names the bad one."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import quick_analysis
from study_files import recorded

from studyapp.cli import main
from studyapp.session.events import Answered, Event, Started
from studyapp.session.log_format import encode

GOOD = ("P01", "P02", "P03")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    for participant in GOOD:
        recorded(participant).put(folder, name=f"{participant}.yaml")
    return folder


@pytest.fixture(scope="module")
def among(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same three among bad ones: one that can't be read, and others that can, but not replayed."""
    folder = tmp_path_factory.mktemp("among")
    for participant in GOOD:
        recorded(participant).put(folder, name=f"{participant}.yaml")
    (folder / "unreadable.yaml").write_bytes(b"just: notes\n...\n")
    head, at = recorded().events[0], recorded().nth(Answered, 5)
    assert isinstance(head, Started)
    unknown = [replace(one, target="nonsense") if one.target == "tea" else one for one in head.plan]
    bad: dict[str, list[Event]] = {
        "unknown-target": recorded().changed(0, plan=unknown),
        "unknown-word": recorded().changed(at, word="nonsense"),
        "other-reward": recorded().changed(at, reward=0.123456),
        "other-words": recorded().changed(0, words_sha256="0" * 64),
        "missing-words": recorded().changed(0, words="nowhere.txt"),
    }
    for name, (started, *events) in bad.items():
        (folder / f"{name}.yaml").write_bytes(encode([replace(started, participant=name), *events]))
    return folder


BAD = ["missing-words", "other-reward", "other-words", "unknown-target", "unknown-word", "unreadable"]


def printed(capsys: pytest.CaptureFixture[str], code: int, *arguments: str | Path) -> tuple[str, list[str]]:
    """What a command prints, and the lines of its errors; it must end with this code."""
    with quick_analysis():
        assert main([str(argument) for argument in arguments]) == code
    output, errors = capsys.readouterr()
    return output, errors.splitlines()


def test_verify_and_export_name_the_bad_logs(
    among: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, _ = printed(capsys, 1, "verify", "--json", among)
    verdicts = {result["log"].removesuffix(".yaml"): result["verdict"] for result in json.loads(output)}
    assert sorted(verdicts) == sorted([*GOOD, *BAD])
    assert [name for name, verdict in verdicts.items() if verdict == "verified"] == list(GOOD)
    assert set(verdicts.values()) == {"verified", "different", "unreadable"}
    _, errors = printed(capsys, 1, "export", among, "--out", tmp_path / "out")
    assert "/unreadable.yaml" in errors[0], errors
    (table,) = (tmp_path / "out" / "data").glob("*participants*.csv")
    with table.open(newline="") as file:  # an export needs no words, and replays nothing
        assert {row["participant"] for row in csv.DictReader(file)} == {*GOOD, *BAD} - {"unreadable"}


def test_analyse_and_power_use_the_good_logs_and_name_the_bad_ones(
    good: Path, among: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, file, numbers in (
        ("analyse", "summary.json", ("curves", "paired_t", "participants")),
        ("power", "power.json", ("pairs", "level")),
    ):
        results = []
        for folder, names in ((good, []), (among, BAD)):
            out = tmp_path / f"{command}-{folder.name}"
            _, errors = printed(capsys, 0, command, folder, "--out", out)
            assert [sum(f"{name}.yaml" in line for line in errors) for name in names] == [1] * len(names)
            assert len(errors) == len(names)
            results.append(json.loads((out / file).read_text()))
        for name in numbers:
            assert results[0].get(name) == results[1].get(name), name
