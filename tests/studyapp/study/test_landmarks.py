"""Studies of many words, whose features go through landmarks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from chains import parts
from study_files import loaded, run, small, write

from core import FileError, Vocabulary
from studyapp.cli import main
from studyapp.session.resuming import StudyChangedError
from studyapp.session.verification import verify
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

PERSON = {"teacher": "person", "belief": "targets", "selection": "greedy"}
LARGE = Vocabulary.load("words10k")


def a_large_study(folder: Path, words: int, **changes: object) -> Path:
    """The small study with so many words."""
    targets = list(LARGE.words[:2])
    models = {"plain": {"teacher": "naive"}, "both": {"teacher": "mixture"}, "person": PERSON}
    settings = {
        "targets": targets,
        "practice": None,
        "models": models,
        "bonus": None,
        "breaks": None,
    } | changes
    path = write(folder, small(**settings))
    (folder / "words.txt").unlink()
    Vocabulary(LARGE.words[:words], LARGE.vectors[:words]).save(folder / "words.txt")
    return path


def load_large(folder: Path, words: int, **changes: object) -> LoadedStudy:
    return load(a_large_study(folder, words, **changes))


def test_up_to_2000_words_the_features_are_the_table_of_words_by_words(tmp_path: Path) -> None:
    study = load_large(tmp_path, 2000)
    assert study.landmarks is None
    assert study.features.shape == (2000, 2000)


def test_above_2000_words_the_features_go_through_500_landmarks(tmp_path: Path) -> None:
    study = load_large(tmp_path, 2001)
    assert study.landmarks == 500
    assert study.features.shape == (2001, 500)


def test_landmarks_can_be_set_for_any_number_of_words(tmp_path: Path) -> None:
    study = load_large(tmp_path, 60, landmarks=40)
    assert study.features.shape == (60, 40)


def test_a_reward_is_exact_whatever_the_landmarks(tmp_path: Path) -> None:
    exact, through = load_large(tmp_path / "a", 60), load_large(tmp_path / "b", 60, landmarks=5)
    for word in exact.vocabulary.words[:20]:
        assert through.reward(exact.targets[0], word) == exact.reward(exact.targets[0], word)
    assert exact.reward(exact.targets[0], exact.targets[0]) == 0.9999


def test_a_study_with_landmarks_is_rehearsed_verified_analysed_and_exported(tmp_path: Path) -> None:
    study, sessions = a_large_study(tmp_path, 80, landmarks=30), tmp_path / "sessions"
    rehearse = ["rehearse", "--study", str(study), "--participants", "2", "--sessions", str(sessions)]
    assert main(rehearse) == 0
    results = [verify(path, tmp_path / "words.txt") for path in sorted(sessions.glob("*.yaml"))]
    assert [result.verdict for result in results] == ["verified", "verified"]
    for command in ("analyse", "export"):
        words = ["--words", str(tmp_path / "words.txt")]
        assert main([command, str(sessions), "--out", str(tmp_path / command), *words]) == 0
    summary = json.loads((tmp_path / "analyse" / "summary.json").read_text())
    assert summary["participants"] == 2


def test_other_landmarks_are_a_change_that_matters(tmp_path: Path) -> None:
    path = a_large_study(tmp_path, 60, landmarks=40)
    run(load(path), tmp_path / "sessions")
    log = tmp_path / "sessions" / "P01.yaml"
    log.write_bytes(b"".join(parts(log.read_bytes())[:5]))  # it was interrupted
    with pytest.raises(StudyChangedError, match="the study has changed") as caught:
        run(load(a_large_study(tmp_path, 60, landmarks=41)), tmp_path / "sessions")
    assert "landmarks: 40 when the session began" in str(caught.value)


def test_all_words_as_targets_are_refused_where_there_are_more_than_1000(tmp_path: Path) -> None:
    with pytest.raises(
        FileError, match="targets is 'all', and the word set has 1,001 words; list at most 1,000"
    ):
        load_large(tmp_path, 1001, targets="all")
    assert len(load_large(tmp_path, 1000, targets="all").targets) == 1000


@pytest.mark.parametrize("landmarks", [0, 2001, "many", 1.5])
def test_impossible_landmarks_are_a_fault(tmp_path: Path, landmarks: object) -> None:
    with pytest.raises(FileError, match="landmarks is"):
        loaded(tmp_path, small(landmarks=landmarks))


def test_learners_of_a_large_study_share_one_table_of_rewards_by_the_row(tmp_path: Path) -> None:
    study = load_large(tmp_path, 60, landmarks=20)
    learner = study.learner(study.study.settings("person", seed=1))
    assert learner.rewards is study.likeness
    state = learner.tell(learner.begin(3), 1)
    assert state.targets is not None
    assert np.argmax(state.targets) == 3  # a yes speaks for the word itself
