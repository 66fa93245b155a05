"""The study: its settings, its record, and the texts that it fills in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from study_files import loaded, small

from studyapp.study.loading import load
from studyapp.study.study import Study
from studyapp.study.texts import Texts


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
    assert (study.order, study.practice, study.breaks) == ("fixed", ["cat"], None)
    assert (study.answers.yes, study.answers.no, study.answers.confirm) == ("y", "n", True)
    assert study.pace.pause == 0.5
    assert study.consent
    assert len(study.instructions) == 3
    assert (study.after_round, study.at_end) == ([], [])
    assert study.bonus is not None
    assert study.resume.allowed
    assert study.resume.within_hours is None
    assert study.texts == Texts()


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
    assert [study.settings(name, 0).beta for name in study.models] == [3.0, 5.0]
    assert [study.settings(name, 0).samples for name in study.models] == [16, 16]
    assert [study.settings(name, 0).teacher for name in study.models] == ["naive", "mixture"]


# Placeholders


def test_general_placeholders_follow_from_the_study(tmp_path: Path) -> None:
    text = "{questions} {words} {rounds} {practice_rounds} {minutes} {yes_key} {no_key} {{x}}"
    assert load("paper").say(text) == "15 20 38 2 75 y n {x}"
    other = loaded(tmp_path, small(questions=8, answers={"yes": "J", "no": "f"}, practice=[]))
    assert other.say(text) == "8 6 4 0 5 j f {x}"


def test_values_of_a_text_itself_are_filled_in_with_the_general_ones(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    assert (
        study.say("Is {word} like {target}? {questions}", word="tea", target="{no}") == "Is tea like {no}? 2"
    )


@pytest.mark.parametrize(("done", "filled"), [(0, "0 rounds"), (1, "1 round"), (2, "2 rounds")])
def test_a_number_chooses_between_two_forms(tmp_path: Path, done: int, filled: str) -> None:
    assert loaded(tmp_path, small()).say("{done} {done:round|rounds}", done=done) == filled


def test_numbers_agree_in_the_default_texts(tmp_path: Path) -> None:
    study, texts = loaded(tmp_path, small()), Texts()
    assert study.say(texts.progress, done=1) == "1 of 4 rounds done"
    assert study.say(texts.break_wait, seconds=1) == "You can continue in 1 second."
    assert study.say(texts.break_wait, seconds=2) == "You can continue in 2 seconds."
    short = loaded(tmp_path, small(targets=["tea"], practice=[]))
    assert short.say(texts.break_note, done=1).startswith("You've finished 1 of 2 rounds. ")


@pytest.mark.parametrize("name", ["paper", "beyond", "short"])
def test_the_bundled_texts_are_true_of_other_settings(tmp_path: Path, name: str) -> None:
    settings = load(name).study.model_dump(mode="json", exclude_none=True)
    changes = {"questions": 8, "answers": {"yes": "j", "no": "f"}, "practice": ["cat", "dog"], "bonus": None}
    study = loaded(tmp_path, {key: value for key, value in (settings | changes).items() if value is not None})
    read = " ".join(study.say(text) for text in (study.study.consent or "", *study.study.instructions))
    assert "has 8 questions" in read
    assert "Press j for yes or f for no" in read
    practice = 2 * len(study.study.models)
    assert f"You'll start with {practice} practice rounds, which don't count." in read
    assert f"about {study.extent.minutes} minutes" in read
    assert "15" not in read


# The record


def test_the_record_holds_the_ready_made_questionnaires_that_are_asked(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(at_end=["you", "sus"])).study
    record = study.record()
    assert list(record["questionnaires"]) == ["mood", "you", "sus"]
    assert [item["id"] for item in record["questionnaires"]["sus"]] == [f"sus-{i}" for i in range(1, 11)]
    again = Study.model_validate(record)
    assert again.record() == record
    assert again.questionnaire("sus").score == study.questionnaire("sus").score
