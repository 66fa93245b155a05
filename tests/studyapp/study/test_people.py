"""People in a study: a file beside it, in full in every log, for models and simulated participants."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study_files import run, small, write

from core import FileError, People
from studyapp.base import documents
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Started
from studyapp.session.questions import learner_of
from studyapp.study import plan
from studyapp.study.loading import load, read_people

MODELS = {
    "plain": {"teacher": "naive"},
    "people": {"teacher": "person", "belief": "targets", "selection": "greedy"},
}
OTHERS = replace(People.default(), ready=-3.0, slip=0.05, pairs=None)


def people_file(folder: Path, mapping: Any) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "people.yaml"
    path.write_text(documents.block(mapping) + "\n", encoding="utf-8")
    return path


def test_a_file_of_people_is_read_as_it_was_written(tmp_path: Path) -> None:
    default = People.default()
    mapping = default.to_mapping() | {"standard_errors": {"ready": 0.5}, "fitted_to": {"persons": 5}}
    for name, text in (("people.yaml", documents.block(mapping)), ("people.json", json.dumps(mapping))):
        (tmp_path / name).write_text(text)
        assert read_people(tmp_path / name).to_mapping() == default.to_mapping()


def test_a_study_expects_and_simulates_its_people_and_its_log_carries_them(tmp_path: Path) -> None:
    path = people_file(tmp_path, OTHERS.to_mapping())
    study = load(write(tmp_path, small(models=MODELS, people="people.yaml")))
    assert study.people == OTHERS
    learner = learner_of(study, "P01", plan.make(study, "P01")[0])
    assert learner.people == (OTHERS if learner.settings.teacher == "person" else None)
    started = run(study, tmp_path / "sessions", kind="person")[0]
    assert isinstance(started, Started)
    assert started.study["people"] == OTHERS.to_mapping()
    assert started.people_sha256 == OTHERS.sha256
    (tmp_path / "sessions" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    path.unlink()
    assert main(["verify", str(tmp_path / "sessions")]) == 0
    assert load(write(tmp_path, small(people=OTHERS.to_mapping()))).people == OTHERS  # in the file itself


def test_a_log_carries_the_shipped_people_too_if_a_model_expects_them(tmp_path: Path) -> None:
    with_model = load(write(tmp_path, small(models=MODELS))).study
    assert with_model.record()["people"] == People.default().to_mapping()
    assert "people" not in load(write(tmp_path, small())).study.record()
    assert type(with_model).model_validate(with_model.record()).record() == with_model.record()


def test_what_is_no_file_of_people_is_refused_with_the_line_of_the_study(tmp_path: Path) -> None:
    good = OTHERS.to_mapping()
    for mapping, problem in (
        (["a list"], "people: this is no mapping of parameters"),
        ({"ready": 1.0}, "people: ready_sd is missing"),
        (good | {"redy": 1.0}, "people: there is no parameter 'redy'"),
        (good | {"slip": 0.7}, "people: slip is 0.7; it must be a finite number"),
        (good | {"ready": "much"}, "people: ready is 'much'; it must be a finite number"),
        (good | {"pairs": {"tea": {}}}, "people: words must be a list of words"),
    ):
        path = people_file(tmp_path, mapping)
        with pytest.raises(FileError) as refused:
            read_people(path)
        assert str(refused.value).startswith(f"{path}: {problem}")
        study = write(tmp_path, small(people="people.yaml"))
        lines = study.read_text().splitlines()
        line = next(number for number, text in enumerate(lines, start=1) if text.startswith("people:"))
        with pytest.raises(FileError, match=f"line {line}: people: "):
            load(study)


def test_people_see_words_alike_whatever_the_kernel_of_a_study(tmp_path: Path) -> None:
    """A wider or narrower kernel changes the rewards, but not the distance of two words."""
    seen = []
    for width in (0.75, 1.5, 3.0):
        chosen = small(words="study20", targets=["tea"], practice=[], kernel_width=width)
        study = load(write(tmp_path, chosen))
        relevance = study.people.relevance(study.features, np.arange(20))
        off = ~np.eye(20, dtype=bool) & (study.features > 1e-3)  # rewards are clamped below
        seen.append(np.where(off, relevance, np.nan))
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-9)
    both = np.isfinite(seen[2])
    np.testing.assert_allclose(seen[2][both], seen[1][both], atol=1e-9)


# Simulated participants


def rehearse(folder: Path, *options: str) -> int:
    study, sessions = write(folder, small(models=MODELS, questions=6)), folder / "sessions"
    people = ["--participants", "3", *options]
    return main(["rehearse", "--study", str(study), "--sessions", str(sessions), *people])


def answers(folder: Path) -> list[str]:
    logs = [log.read(path).events for path in sorted((folder / "sessions").glob("*.yaml"))]
    return [event.answer for events in logs for event in events if isinstance(event, Answered)]


def test_people_changes_who_answers_and_not_what_models_expect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(people_file(tmp_path, OTHERS.to_mapping()))
    assert rehearse(tmp_path / "published") == 0
    assert rehearse(tmp_path / "others", "--people", file) == 0
    assert answers(tmp_path / "others").count("y") < answers(tmp_path / "published").count("y")
    (started, *_) = log.read(tmp_path / "others" / "sessions" / "person-001.yaml").events
    assert isinstance(started, Started)
    assert started.study["people"] == People.default().to_mapping()
    assert started.people_sha256 == OTHERS.sha256
    assert rehearse(tmp_path / "published", "--people", file) == 2
    assert "this simulated participant answers like other people" in capsys.readouterr().err
    assert rehearse(tmp_path, "--people", file, "--teacher", "naive") == 2
    assert "--people is for --teacher person, but --teacher is naive" in capsys.readouterr().err


def test_a_simulated_person_is_the_same_in_all_rounds(tmp_path: Path) -> None:
    """Somebody who never gives hints says no to every word but the target, with every model and target."""
    nobody = replace(OTHERS, ready=-50.0, ready_sd=0.001, again=-50.0, again_sd=0.001, slip=1e-6)
    assert rehearse(tmp_path, "--people", str(people_file(tmp_path, nobody.to_mapping()))) == 0
    for path in (tmp_path / "sessions").glob("*.yaml"):
        started, *events = log.read(path).events
        assert isinstance(started, Started)
        targets = {round_.round: round_.target for round_ in started.plan}
        for event in events:
            if isinstance(event, Answered):
                assert (event.answer == "y") == (event.word == targets[event.round])
