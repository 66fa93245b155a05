"""Warnings about valid studies."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from study_files import Settings, loaded, small, write

from core import Learner, State
from studyapp.screens.text_layout import is_large
from studyapp.study import warnings as module
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.warnings import warnings

measured = module._seconds_per_question


@pytest.fixture(autouse=True)
def _fast_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models take no time, except where their time is the point."""
    monkeypatch.setattr(module, "_seconds_per_question", lambda *_: 0.0)


def warned(study: LoadedStudy) -> list[str]:
    return list(warnings(study, is_large))


def test_the_small_study_has_no_warnings(tmp_path: Path) -> None:
    assert warned(loaded(tmp_path, small())) == []


@pytest.mark.parametrize("name", ["paper", "beyond", "short"])
def test_the_bundled_studies_have_no_warnings(name: str) -> None:
    assert warned(load(name)) == []


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        (
            {"models": {"one": {"samples": 9}, "two": {}}, "learner": {"samples": 9}},
            "models.one and models.two have",
        ),
        ({"practice": ["tea"]}, "practice and targets share 'tea'"),
        ({"consent": None}, "there is no consent"),
        ({"instructions": []}, "there are no instructions"),
        (
            {"practice": [], "instructions": ["The first {practice_rounds} rounds."]},
            "the consent or the instructions mention {practice_rounds}",
        ),
        ({"at_end": []}, "questionnaires.you is never asked; list it in after_round or at_end"),
        (
            {"answers": {"confirm": False}},
            "a question appears 0 s after an answer (pace.pause), but the same key",
        ),
        (
            {"order_of_models": "balanced", "participants": 7},
            "participants is 7: with 2 models, the order of the models comes out even after every 2",
        ),
    ],
)
def test_what_may_not_be_meant_gets_one_warning(tmp_path: Path, changes: Settings, warning: str) -> None:
    (line,) = warned(loaded(tmp_path, small(**changes)))
    assert line.startswith(warning)


@pytest.mark.parametrize(
    "changes",
    [
        {"order_of_models": "balanced", "participants": 8},
        {"order_of_models": "balanced"},
        {"order_of_models": "random", "participants": 7},
    ],
)
def test_a_number_of_participants_that_comes_out_even_gets_no_warning(
    tmp_path: Path, changes: Settings
) -> None:
    assert warned(loaded(tmp_path, small(**changes))) == []


def finding(folder: Path, *words: str) -> LoadedStudy:
    """A study in which these are the words to find."""
    path = write(folder, small(words="own.txt", targets="all", practice=[], bonus=None))
    vectors = [f"{word} {number} 1" for number, word in enumerate(words)]
    (folder / "own.txt").write_text("\n".join(vectors) + "\n", encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("word", ["łódź", "woman2", "wordsthataremuchtoolong"])
def test_a_word_that_makes_all_others_small_gets_a_warning(tmp_path: Path, word: str) -> None:
    (line,) = warned(finding(tmp_path, "tea", "café", word))
    assert line.startswith(f"'{word}' can't be shown in large letters (it is too wide")
    assert line.endswith("so all targets are shown at normal size, in the smallest window at least")


def test_targets_that_are_all_shown_small_are_of_one_size(tmp_path: Path) -> None:
    assert warned(finding(tmp_path, "łódź", "łan")) == []


def test_a_warning_lists_only_a_few_words(tmp_path: Path) -> None:
    (line,) = warned(finding(tmp_path, "tea", *(f"wörd{number}" for number in range(8))))
    assert line.startswith("'wörd0', 'wörd1', 'wörd2', 'wörd3', 'wörd4' and 3 more can't be shown")


def test_models_that_are_slow_together_get_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_seconds_per_question", lambda *_: 0.15)  # of each of the two models
    study = small(pace={"pause": 0.5})
    (line,) = warned(loaded(tmp_path, study))
    assert line.startswith("a question can take 0.3 s to compute on this machine, and the pause is 0.5 s: ")


def test_waiting_for_a_busy_machine_does_not_count_as_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = loaded(tmp_path, small())
    compute, wait = Learner.tell_both, 1.0

    def wait_and_compute(learner: Learner, state: State) -> tuple[State, State]:
        time.sleep(wait)  # as when other processes have the processor
        return compute(learner, state)

    monkeypatch.setattr(Learner, "tell_both", wait_and_compute)
    assert measured(study, study.study.settings("both", seed=0)) < wait
