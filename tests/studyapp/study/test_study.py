"""Studies: those that come with studyapp, their settings and records, and the texts that they fill in."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from study_files import loaded, small

from studyapp.base import documents
from studyapp.cli import main
from studyapp.study.items import ITEMS
from studyapp.study.loaded import Extent
from studyapp.study.loading import bundled, load
from studyapp.study.study import Study, schema
from studyapp.study.texts import Texts

MODELS = {
    "paper": ["naive", "mixture"],
    "beyond": ["naive", "mixture", "belief"],
    "short": ["naive", "mixture", "belief"],
}


@pytest.fixture(autouse=True)
def _on_a_fast_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.study.warnings._seconds_per_question", lambda *_: 0.0)


def test_paper_is_the_published_protocol() -> None:
    paper = load()
    study = paper.study
    assert (paper.name, study.words, study.kernel_width) == ("paper", "study20", 1.5)
    assert len(paper.vocabulary.words) == 20
    assert paper.targets == [word for word in paper.vocabulary.words if word != "cat"]
    assert study.questions == 15
    assert list(study.models) == ["naive", "mixture"]
    for name in study.models:
        model = study.settings(name, seed=5)
        assert (model.teacher, model.selection) == (name, "bayes-ucb")
        assert (model.beta, model.tau, model.horizon, model.gamma) == (20, 2, 1, 1)
        assert (model.fit, model.seed) == ("published", 5)
    assert (study.order, study.order_of_models) == ("fixed", "random")
    assert (study.practice, study.breaks) == (["cat"], None)
    assert (study.answers.yes, study.answers.no, study.answers.confirm) == ("y", "n", True)
    assert study.pace.pause == 0.5
    assert study.consent
    assert len(study.instructions) == 3
    assert (study.after_round, study.at_end) == ([], [])
    assert study.bonus is not None
    assert study.resume.allowed
    assert study.resume.within_hours is None
    assert study.texts == Texts()
    extent = paper.extent
    assert extent.seconds == pytest.approx(75 * 60)
    assert (extent.minutes, extent.rounds, extent.practice_rounds) == (75, 38, 2)
    assert (extent.questions, extent.items) == (600, 0)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_a_bundled_study_is_valid_and_what_it_claims_to_be(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here = load(name)
    study, raw = here.study, bundled()[name]
    assert here.name == name
    assert list(study.models) == MODELS[name]
    assert set(here.targets) <= set(here.vocabulary.words)
    assert type(study).model_validate(study.record()).record() == study.record()
    assert main(["check", name]) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith(f"{study.title} ({name}): no faults found.\n")
    assert error == ""
    # The naive and the mixture model differ in their teacher alone.
    naive, mixture = (vars(study.settings(model, seed=0)) for model in ("naive", "mixture"))
    assert {setting for setting in naive if naive[setting] != mixture[setting]} == {"teacher"}
    if name != "paper":
        belief = study.settings("belief", seed=0)
        assert (belief.teacher, belief.belief, belief.selection) == ("person", "targets", "greedy")
        assert study.order_of_models == "balanced"
        assert {study.settings(model, seed=0).fit for model in study.models} == {"converged"}
    # Its file says what it is for, and names the schema, which accepts it.
    assert raw.startswith(b"# yaml-language-server: $schema=study.schema.json\n")
    assert b"# Use it " in raw.partition(b"\ntitle:")[0]
    jsonschema.Draft202012Validator(schema()).validate(documents.parse(raw, name).data)


def test_the_short_study_takes_35_minutes_and_asks_questionnaires() -> None:
    assert sorted(MODELS) == sorted(bundled())
    study = load("short").study
    assert (study.after_round, study.at_end) == (["the-round"], ["nasa-tlx", "at-last"])
    assert load("short").extent.minutes == 35


def test_a_title_and_models_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("title: Ours\nmodels:\n  one: {teacher: naive}\n  two: {teacher: mixture}\n")
    ours, paper = load(path).study, load("paper").study
    assert (ours.words, ours.questions, ours.targets, ours.pace) == ("study20", 15, "all", paper.pace)
    assert ours.settings("two", 0) == replace(paper.settings("mixture", 0), fit="converged")


def test_the_settings_of_a_model_come_before_the_shared_ones_and_these_before_the_defaults(
    tmp_path: Path,
) -> None:
    models = {"one": {"teacher": "naive", "beta": 3}, "two": {}}
    study = loaded(tmp_path, small(learner={"beta": 5, "samples": 16}, models=models)).study
    found = [study.settings(name, 0) for name in study.models]
    assert [(one.beta, one.samples, one.teacher) for one in found] == [
        (3.0, 16, "naive"),
        (5.0, 16, "mixture"),
    ]


def test_pauses_questionnaires_and_breaks_are_part_of_the_duration(tmp_path: Path) -> None:
    asking = 12 * 75 / 600 + 7 * 8 / 60  # minutes for 12 questions and 7 items
    for changes, minutes in (
        ({"pace": {"pause": 0.5}}, asking),
        ({"pace": {"pause": 5.5}}, asking + 1),
        ({"pace": {"pause": 0.5}, "breaks": {"every": 2, "seconds": 600}}, asking + 10),
    ):
        assert loaded(tmp_path, small(**changes)).extent.seconds / 60 == pytest.approx(minutes)


def test_minutes_are_rounded_up_and_above_ten_to_a_multiple_of_five() -> None:
    for seconds, minutes in ((10, 1), (100, 2), (520, 9), (700, 15), (1700, 30), (4500, 75)):
        assert Extent(1, 0, 1, 0, 0, seconds).minutes == minutes


# Texts


def test_placeholders_are_filled_in_from_the_study_and_from_what_is_said(tmp_path: Path) -> None:
    text = "{questions} {words} {rounds} {practice_rounds} {minutes} {yes_key} {no_key} {{x}}"
    assert load("paper").say(text) == "15 20 38 2 75 y n {x}"
    other = loaded(tmp_path, small(questions=8, answers={"yes": "J", "no": "f"}, practice=[]))
    assert other.say(text) == "8 6 4 0 5 j f {x}"
    said = other.say("Is {word} like {target}? {questions}", word="tea", target="{no}")
    assert said == "Is tea like {no}? 8"


def test_a_number_chooses_between_two_forms_in_the_default_texts_too(tmp_path: Path) -> None:
    study, texts = loaded(tmp_path, small()), Texts()
    for done, filled in ((0, "0 rounds"), (1, "1 round"), (2, "2 rounds")):
        assert study.say("{done} {done:round|rounds}", done=done) == filled
    assert study.say(texts.progress, done=1) == "1 of 4 rounds done"
    assert study.say(texts.break_wait, seconds=1) == "You can continue in 1 second."
    assert study.say(texts.break_wait, seconds=2) == "You can continue in 2 seconds."
    short = loaded(tmp_path, small(targets=["tea"], practice=[]))
    assert short.say(texts.break_note, done=1).startswith("You've finished 1 of 2 rounds. ")


def test_the_bundled_texts_are_true_of_other_settings(tmp_path: Path) -> None:
    changes = {"questions": 8, "answers": {"yes": "j", "no": "f"}, "practice": ["cat", "dog"]}
    for name in MODELS:
        settings = load(name).study.model_dump(mode="json", exclude_none=True) | changes
        settings.pop("bonus", None)
        study = loaded(tmp_path, settings)
        read = " ".join(study.say(text) for text in (study.study.consent or "", *study.study.instructions))
        assert "has 8 questions" in read
        assert "Press j for yes or f for no" in read
        practice = 2 * len(study.study.models)
        assert f"You'll start with {practice} practice rounds, which don't count." in read
        assert f"about {study.extent.minutes} minutes" in read
        assert "15" not in read


# The record, the learners, the schema


def test_the_record_holds_the_ready_made_questionnaires_that_are_asked(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(at_end=["you", "sus"])).study
    record = study.record()
    assert list(record["questionnaires"]) == ["mood", "you", "sus"]
    assert [item["id"] for item in record["questionnaires"]["sus"]] == [f"sus-{i}" for i in range(1, 11)]
    again = Study.model_validate(record)
    assert again.record() == record
    assert again.questionnaire("sus").score == study.questionnaire("sus").score


def test_rounds_of_a_model_share_all_of_a_learner_but_its_seed_and_it_goes_with_the_study(
    tmp_path: Path,
) -> None:
    study = loaded(tmp_path, small())
    for model in study.study.models:
        first, second = (study.learner(study.study.settings(model, seed=seed)) for seed in (1, 2))
        assert first.arms is second.arms
        assert (first.settings.seed, second.settings.seed) == (1, 2)
    learner = weakref.ref(first._inference)
    study.reward(study.targets[0], study.vocabulary.words[0])
    del study, first, second
    gc.collect()
    assert learner() is None


def _fields(part: Any) -> list[dict[str, Any]]:
    """The settings in a schema, at every depth."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = part.get("properties", {}).values() if isinstance(part, dict) else ()
    return [*(field for field in own if isinstance(field, dict)), *(f for one in inner for f in _fields(one))]


def test_check_prints_the_schema_with_every_kind_of_item_and_a_description_of_every_setting(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    assert main(["check", "--schema"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed) == made
    for field in _fields(made):
        assert field.get("description") or "const" in field, field
    for kind in ITEMS.names:
        assert f'"const": "{kind}"' in printed
