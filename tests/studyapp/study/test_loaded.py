"""A study with its words: learners are shared by the rounds of a model, and go when the study goes."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from study_files import loaded, small


def test_rounds_of_a_model_share_all_of_a_learner_but_its_seed(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    for model in study.study.models:
        first, second = (study.learner(study.study.settings(model, seed=seed)) for seed in (1, 2))
        assert first.arms is second.arms
        assert (first.settings.seed, second.settings.seed) == (1, 2)


def test_a_study_that_nobody_needs_any_more_leaves_no_learner_behind(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    model = next(iter(study.study.models))
    learner = weakref.ref(study.learner(study.study.settings(model, seed=1))._inference)
    study.reward(study.targets[0], study.vocabulary.words[0])
    assert learner() is not None
    del study
    gc.collect()
    assert learner() is None
