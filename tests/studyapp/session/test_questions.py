"""The questions of a round are computed ahead, with the same work whichever model asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from study_files import loaded, small

from studyapp.session.answers import imported_answer
from studyapp.session.questions import Asked, Questioner, Questions, learner_of
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core import State

ANSWERS = (True, False, True)


@pytest.fixture
def study(tmp_path: Path) -> LoadedStudy:
    return loaded(tmp_path, small(questions=4))


@pytest.fixture
def at_a_terminal(study: LoadedStudy) -> Iterator[Questioner]:
    questioner = Questioner(study, "P01", equal_work=True)
    yield questioner
    questioner.close()


def ask_all(questions: Questions) -> list[Asked]:
    """Every question of a round, with the same answers each time."""
    asked = [questions.now.result()]
    for yes in ANSWERS:
        questions.look_ahead()
        questions.answer(yes)
        asked.append(questions.now.result())
    return asked


def alone(study: LoadedStudy, round_: Round, asked: list[Asked]) -> list[State]:
    """The states of the round's learner by itself, given the same questions and answers."""
    learner = learner_of(study, "P01", round_)
    states = [learner.begin(study.vocabulary.words.index(round_.first))]
    for question, yes in zip(asked, ANSWERS, strict=False):
        states.append(learner.tell_both(replace(states[-1], arm=question.state.arm))[yes])
    return states


def test_the_model_of_the_round_asks_what_it_would_ask_alone(
    study: LoadedStudy, at_a_terminal: Questioner
) -> None:
    for round_ in plan.make(study, "P01"):
        asked = ask_all(at_a_terminal.begin(round_, []))
        expected = [(state.arm, state.digest) for state in alone(study, round_, asked)]
        assert [(question.state.arm, question.state.digest) for question in asked] == expected


def test_every_model_has_computed_every_question_before_it_can_be_asked(
    study: LoadedStudy, at_a_terminal: Questioner
) -> None:
    for round_ in plan.make(study, "P01"):
        asked = ask_all(at_a_terminal.begin(round_, []))
        for place, model in enumerate(study.study.models):  # in the study's order, whichever asks
            expected = alone(study, replace(round_, model=model), asked)
            for question, state in zip(asked, expected, strict=True):
                assert question.at_work[place].history == question.state.history
                assert question.at_work[place].mean.tolist() == state.mean.tolist()


def test_a_resumed_round_is_computed_by_every_model_too(
    study: LoadedStudy, at_a_terminal: Questioner
) -> None:
    round_ = plan.make(study, "P01")[0]
    asked = ask_all(at_a_terminal.begin(round_, []))
    answers = [
        imported_answer(round_.round, number, question.word, "y" if yes else "n", reward=0.5)
        for number, (question, yes) in enumerate(zip(asked, ANSWERS, strict=False), start=1)
    ]
    resumed = at_a_terminal.begin(round_, answers).now.result()
    assert resumed.state.digest == asked[-1].state.digest
    assert [state.mean.tolist() for state in resumed.at_work] == [
        state.mean.tolist() for state in asked[-1].at_work
    ]


def test_only_the_asking_model_computes_where_nobody_watches(study: LoadedStudy) -> None:
    questioner = Questioner(study, "P01", equal_work=False)
    for round_ in plan.make(study, "P01"):
        assert all(
            question.at_work == (question.state,) for question in ask_all(questioner.begin(round_, []))
        )
    questioner.close()
