"""The studies that come with studyapp are valid, and are what they claim to be."""

from __future__ import annotations

from importlib import resources

import pytest

from studyapp.cli import main
from studyapp.study.loading import load

BUNDLED = sorted(
    entry.name.removesuffix(".yaml")
    for entry in resources.files("studyapp.study.studies").iterdir()
    if entry.name.endswith(".yaml")
)


MODELS = {
    "paper": ["naive", "mixture"],
    "beyond": ["naive", "mixture", "belief"],
    "short": ["naive", "mixture", "belief"],
}


def test_the_published_study_one_beyond_it_and_a_short_one_are_bundled() -> None:
    assert sorted(MODELS) == BUNDLED


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_study_is_loaded_by_its_name_and_its_record_is_the_same_study(name: str) -> None:
    study = load(name)
    assert study.name == name
    assert list(study.study.models) == MODELS[name]
    assert set(study.targets) <= set(study.vocabulary.words)
    assert type(study.study).model_validate(study.study.record()).record() == study.study.record()


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_study_passes_the_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith(f"{load(name).study.title} ({name}): no faults found.\n")
    assert error == ""


def test_the_short_study_takes_35_minutes_and_asks_questionnaires() -> None:
    study = load("short").study
    assert (study.after_round, study.at_end) == (["the-round"], ["nasa-tlx", "at-last"])
    assert load("short").extent.minutes == 35


@pytest.mark.parametrize("name", BUNDLED)
def test_the_models_of_a_study_differ_in_their_teacher_alone(name: str) -> None:
    study = load(name).study
    naive, mixture = (vars(study.settings(model, seed=0)) for model in ("naive", "mixture"))
    assert {setting for setting in naive if naive[setting] != mixture[setting]} == {"teacher"}


def test_the_published_study_has_the_published_fits_and_the_others_converge() -> None:
    for name, models in MODELS.items():
        study = load(name).study
        fits = {study.settings(model, seed=0).fit for model in models}
        assert fits == {"published" if name == "paper" else "converged"}


def test_the_published_study_has_its_models_in_random_order_and_the_others_balance_it() -> None:
    for name in MODELS:
        assert load(name).study.order_of_models == ("random" if name == "paper" else "balanced")


@pytest.mark.parametrize("name", ["beyond", "short"])
def test_beyond_the_paper_a_learner_models_people_and_keeps_a_belief_over_targets(name: str) -> None:
    belief = load(name).study.settings("belief", seed=0)
    assert (belief.teacher, belief.belief, belief.selection) == ("person", "targets", "greedy")


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_study_says_at_its_top_what_it_is_for(name: str) -> None:
    text = resources.files("studyapp.study.studies").joinpath(f"{name}.yaml").read_text("utf-8")
    comment = text.partition("\ntitle:")[0]
    assert "# Use it " in comment
