"""Sessions of another version of the learners are neither verified nor continued, but still analysed."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, run, small

from core.version import LEARNERS
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.changes import OtherVersionError
from studyapp.session.events import Event, Finished, Started
from studyapp.session.log_format import encode

SENTENCE = (
    "this log was written by studyapp 0.0.9 with version 1 of its learners; this is studyapp "
    f"{version('studyapp')} with version {LEARNERS}, which may ask other questions; use the studyapp that "
    "wrote it"
)


def by_version(learners: str | None, events: list[Event], path: Path) -> None:
    """Let a log say that this version of the learners ran it."""
    started, *rest = events
    assert isinstance(started, Started)
    software = {name: own for name, own in started.software.items() if name != "learners"}
    if learners is not None:
        software["learners"] = learners
    path.write_bytes(encode([replace(started, software=software | {"studyapp": "0.0.9"}), *rest]))


@pytest.mark.parametrize("learners", [None, "1"])
def test_verify_refuses_a_log_of_another_version_and_names_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], learners: str | None
) -> None:
    path = tmp_path / "P01.yaml"
    by_version(learners, run(loaded(tmp_path, small()), tmp_path), path)
    assert main(["verify", str(path)]) == 2
    assert f"{path}: other version: {SENTENCE}" in capsys.readouterr().out


def test_a_session_of_another_version_is_not_continued_and_nothing_is_written(tmp_path: Path) -> None:
    study, path = loaded(tmp_path, small()), tmp_path / "P01.yaml"
    unfinished = run(study, tmp_path)[:12]
    by_version("1", unfinished, path)
    before = path.read_bytes()
    with pytest.raises(OtherVersionError, match="version 1 of its learners"):
        open_sitting(study, tmp_path)
    assert path.read_bytes() == before


def test_a_finished_session_of_another_version_is_over_and_not_of_another_version(tmp_path: Path) -> None:
    study, path = loaded(tmp_path, small()), tmp_path / "P01.yaml"
    events = run(study, tmp_path)
    assert isinstance(events[-1], Finished)
    by_version("1", events, path)
    with pytest.raises(Exception, match="P01 finished on"):
        open_sitting(study, tmp_path)


def test_sessions_of_another_version_are_analysed_and_exported(tmp_path: Path) -> None:
    for participant in ("P01", "P02"):
        events = run(loaded(tmp_path, small()), tmp_path / "sessions", participant)
        by_version("1", events, tmp_path / "sessions" / f"{participant}.yaml")
    (tmp_path / "sessions" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    for command in ("analyse", "export"):
        assert main([command, str(tmp_path / "sessions"), "--out", str(tmp_path / command)]) == 0


def test_every_new_log_says_which_learners_ran_it(tmp_path: Path) -> None:
    run(loaded(tmp_path, small()), tmp_path)
    (started, *_) = log.read(tmp_path / "P01.yaml").events
    assert isinstance(started, Started)
    assert started.software["learners"] == LEARNERS
