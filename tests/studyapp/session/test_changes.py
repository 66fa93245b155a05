"""A session goes on only with the study and the learners that it began with, as far as they matter."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from made_up import quick_analysis
from study_files import VECTORS, Settings, loaded, open_sitting, recorded, small, write

from core.errors import FileError
from core.version import LEARNERS
from studyapp.cli import main
from studyapp.session.changes import OtherVersionError
from studyapp.session.events import Event, Started
from studyapp.session.log_format import encode
from studyapp.session.resuming import OverError
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder with an unfinished session."""
    recorded().put(tmp_path / "sessions", recorded().events[:4])
    return tmp_path / "sessions"


def refused(study: LoadedStudy, sessions: Path) -> str:
    """Why the session is not resumed with this study; nothing is written."""
    before = (sessions / "P01.yaml").read_bytes()
    with pytest.raises(FileError, match="the study has changed since P01 began:") as caught:
        open_sitting(study, sessions)
    assert (sessions / "P01.yaml").read_bytes() == before
    return str(caught.value)


def test_a_changed_study_is_refused_with_a_list_of_changes(tmp_path: Path, sessions: Path) -> None:
    models = {"plain": {"teacher": "naive"}, "both": {"teacher": "planning"}}
    unsaid = "models: not the same as when the session began"
    for changes, expected in (
        ({"questions": 3}, "questions: 2 when the session began, 3 now"),
        ({"seed": 8, "look": "light"}, "seed: 7 when the session began, 8 now"),
        ({"models": models}, unsaid),
        ({"learner": {"samples": 17}}, unsaid),
        ({"pace": {"pause": 3.0}}, "pace.pause: "),
        ({"targets": ["tea"], "bonus": None}, "targets: ['tea', 'no'] when"),
        ({"targets": ["tea", "n"]}, "targets[2]: 'no' when the session began, 'n' now"),
        ({"order_of_models": "balanced"}, "order_of_models: 'random' when the session began, 'balanced' now"),
    ):
        message = refused(loaded(tmp_path, small(**changes)), sessions)
        assert expected in message
        assert message.count("\n  ") == 1
        assert not {"plain", "both"} & set(re.findall(r"\w+", message))  # the models
    more = {f"q{i}": [{"id": "one", "kind": "text", "ask": "Why?"}] for i in range(20)}
    changed = small() | {"questionnaires": small()["questionnaires"] | more}
    assert "\n  and 8 more\nRestore the study as it was" in refused(loaded(tmp_path, changed), sessions)
    path = write(tmp_path, small())
    (tmp_path / "words.txt").write_text(VECTORS.replace("1 0 2", "1 0 3"), encoding="utf-8")
    assert "the words or their vectors: not the same" in refused(load(path), sessions)
    (tmp_path / "same.txt").write_text(VECTORS, encoding="utf-8")  # the same numbers elsewhere
    message = refused(loaded(tmp_path, small(words="same.txt")), sessions)
    assert "words: 'words.txt' when the session began, 'same.txt' now" in message


def test_a_session_goes_on_with_the_study_in_its_own_log(tmp_path: Path, sessions: Path) -> None:
    written_differently: Settings = {
        "learner": {},
        "models": {
            "plain": {"teacher": "naive", "samples": 16, "beta": 20},
            "both": {"samples": 16, "selection": "bayes-ucb"},
        },
        "order": "fixed",
        "resume": {"allowed": True},
    }
    for changes in (
        {"title": "Another"},
        {"consent": None},
        {"resume": {"within_hours": 500_000}},
        {"look": "light"},
        {"texts": {"ask": "{word}?"}},
        {"instructions": ["Other."]},
        {"bonus": None},
        {"breaks": {"every": 1, "seconds": 20}},
        {"collecting": False, "stage": "pilot", "blind": True, "sessions": "logs"},
        {"participants": 30},
        {"ids": ["P01", "P02"]},
        {"ids": "Q{number}"},
        written_differently,
    ):
        sitting = open_sitting(loaded(tmp_path, small(**changes)), sessions)
        sitting.close()
        assert sitting.loaded.study.record() == recorded().study.study.record(), changes
        assert sitting.session.study == sitting.loaded.study
    started, *events = recorded().events[:4]
    assert isinstance(started, Started)
    texts = {name: text for name, text in started.study["texts"].items() if name != "more"}
    # As a version without this text would have written it.
    recorded().put(sessions, [replace(started, study=started.study | {"texts": texts}), *events])
    open_sitting(recorded().study, sessions).close()


# Other learners


def by_version(learners: str | None, count: int | None = None) -> list[Event]:
    """Events of the recorded session, as if this version of the learners had run it."""
    started, *rest = recorded().events
    assert isinstance(started, Started)
    assert started.software["learners"] == LEARNERS
    software = {name: own for name, own in started.software.items() if name != "learners"}
    software |= {"studyapp": "0.0.9"} | ({"learners": learners} if learners else {})
    return [replace(started, software=software), *rest[:count]]


def test_a_session_of_other_learners_is_neither_verified_nor_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = f"studyapp {version('studyapp')} with version {LEARNERS}, which may ask other questions"
    by = "this log was written by studyapp 0.0.9 with version 1 of its learners"
    for learners in (None, "1"):
        path = recorded().put(tmp_path, by_version(learners))
        assert main(["verify", str(path)]) == 2
        assert (
            f"{path}: other version: {by}; this is {here}; use the studyapp that wrote it"
            in capsys.readouterr().out
        )
    with pytest.raises(OverError, match="P01 finished on"):  # it is over, so its version doesn't matter
        open_sitting(recorded().study, tmp_path)
    path.write_bytes(encode(by_version("1", 12)))
    before = path.read_bytes()
    with pytest.raises(OtherVersionError, match="version 1 of its learners"):
        open_sitting(recorded().study, tmp_path)
    assert path.read_bytes() == before


def test_sessions_of_other_learners_are_analysed_and_exported(tmp_path: Path) -> None:
    events = by_version("1")
    for participant in ("P01", "P02"):
        head = replace(events[0], participant=participant)
        recorded().put(tmp_path / "sessions", [head, *events[1:]], f"{participant}.yaml")
    with quick_analysis():
        for command in ("analyse", "export"):
            assert main([command, str(tmp_path / "sessions"), "--out", str(tmp_path / command)]) == 0
