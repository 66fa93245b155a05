"""The studies that come with studyapp are right, each by itself."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from studyapp.cli import main
from studyapp.study.loading import load

BUNDLED = sorted(
    entry.name.removesuffix(".yaml")
    for entry in resources.files("studyapp.study.studies").iterdir()
    if entry.name.endswith(".yaml")
)


def test_there_are_the_published_study_and_a_short_one() -> None:
    assert BUNDLED == ["paper", "short"]


@pytest.mark.parametrize("name", BUNDLED)
def test_it_is_loaded_by_its_name_and_its_record_is_the_same_study(name: str) -> None:
    found = load(name)
    assert found.name == name
    assert list(found.study.models) == ["naive", "mixture"]
    assert set(found.targets) <= set(found.vocabulary.words)
    assert type(found.study).model_validate(found.study.record()).record() == found.study.record()


@pytest.mark.parametrize("name", BUNDLED)
def test_it_passes_the_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith(f"{load(name).study.title} ({name}): no faults found.\n")
    assert error == ""


def test_the_short_one_takes_half_an_hour_and_asks_questionnaires(capsys: pytest.CaptureFixture[str]) -> None:
    study = load("short").study
    assert (study.after_round, study.at_end) == (["the-round"], ["nasa-tlx", "at-last"])
    assert study.consent is not None
    assert "half an hour" in study.consent
    assert main(["check", "short"]) == 0
    told = re.search(r"duration +about (\d+) minutes", capsys.readouterr().out)
    assert told is not None
    assert 25 <= int(told[1]) <= 35


@pytest.mark.parametrize("name", BUNDLED)
def test_the_models_of_a_study_differ_in_their_teacher_alone(name: str) -> None:
    study = load(name).study
    naive, mixture = (vars(study.settings(model, seed=0)) for model in ("naive", "mixture"))
    assert {setting for setting in naive if naive[setting] != mixture[setting]} == {"teacher"}
