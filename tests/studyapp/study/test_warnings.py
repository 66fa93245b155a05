"""Warnings about valid studies."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from study_files import loaded, small, write

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


def test_what_may_not_be_meant_gets_one_warning(tmp_path: Path) -> None:
    same = {"models": {"one": {"samples": 9}, "two": {}}, "learner": {"samples": 9}}
    no_practice = {"practice": [], "instructions": ["The first {practice_rounds} rounds."]}
    for changes, warning in (
        (same, "models.one and models.two have"),
        ({"practice": ["tea"]}, "practice and targets share 'tea'"),
        ({"consent": None}, "there is no consent"),
        ({"instructions": []}, "there are no instructions"),
        (no_practice, "the consent or the instructions mention {practice_rounds}"),
        ({"at_end": []}, "questionnaires.you is never asked; list it in after_round or at_end"),
        (
            {"answers": {"confirm": False}},
            "a question appears 0 s after an answer (pace.pause), but the same",
        ),
        (
            {"order_of_models": "balanced", "participants": 7},
            "participants is 7: with 2 models, the order of the models comes out even after every 2",
        ),
    ):
        (line,) = warned(loaded(tmp_path, small(**changes)))
        assert line.startswith(warning)


def test_a_study_as_it_should_be_has_no_warnings(tmp_path: Path) -> None:
    for name in ("paper", "beyond", "short"):
        assert warned(load(name)) == []
    for changes in (
        {},
        {"order_of_models": "balanced", "participants": 8},
        {"answers": {"confirm": False}, "pace": {"pause": 0.7, "hold": 0.7}},
        {"order_of_models": "balanced"},
        {"order_of_models": "random", "participants": 7},
    ):
        assert warned(loaded(tmp_path, small(**changes))) == []


def finding(folder: Path, *words: str) -> LoadedStudy:
    """A study in which these are the words to find."""
    path = write(folder, small(words="own.txt", targets="all", practice=[], bonus=None))
    vectors = [f"{word} {number} 1" for number, word in enumerate(words)]
    (folder / "own.txt").write_text("\n".join(vectors) + "\n", encoding="utf-8")
    return load(path)


def test_a_word_that_makes_all_others_small_gets_a_warning(tmp_path: Path) -> None:
    for word in ("łódź", "woman2", "wordsthataremuchtoolong"):
        (line,) = warned(finding(tmp_path, "tea", "café", word))
        assert line.startswith(f"'{word}' can't be shown in large letters (it is too wide")
        assert line.endswith("so all targets are shown at normal size, in the smallest window at least")
    assert warned(finding(tmp_path, "łódź", "łan")) == []  # all are of one size
    (line,) = warned(finding(tmp_path, "tea", *(f"wörd{number}" for number in range(8))))
    assert line.startswith("'wörd0', 'wörd1', 'wörd2', 'wörd3', 'wörd4' and 3 more can't be shown")


def test_models_that_are_slow_together_get_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two models, each may take an eighth of the pause and no more."""
    study = loaded(tmp_path, small(pace={"pause": 0.5}))
    monkeypatch.setattr(module, "_seconds_per_question", lambda *_: 0.125)
    assert warned(study) == []
    monkeypatch.setattr(module, "_seconds_per_question", lambda *_: 0.15)
    (line,) = warned(study)
    assert line.startswith("a question can take 0.3 s to compute on this machine, and the pause is 0.5 s: ")


def test_waiting_for_a_busy_machine_does_not_count_as_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is that of this thread's own computing; the fastest of a few answers counts."""
    study = loaded(tmp_path, small())
    computing, spent = 0.0, iter([9.0, 0.25, 0.125, 0.5])  # the first call of all is not measured
    compute = Learner.tell_both

    def counted(learner: Learner, state: State) -> tuple[State, State]:
        nonlocal computing
        computing += next(spent)
        return compute(learner, state)

    monkeypatch.setattr(Learner, "tell_both", counted)
    monkeypatch.setattr(time, "thread_time", lambda: computing)
    assert measured(study, study.study.settings("both", seed=0)) == 0.125
