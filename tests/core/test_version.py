"""Questions that must not change without a new version of the learners."""

from __future__ import annotations

from core import Learner, Settings, Vocabulary
from core.learner import State
from core.simulation import simulate
from core.version import LEARNERS
from core.worlds import prepared, world

LARGE = Vocabulary.load("words10k")
ANSWERS = (0, 1, 1, 0, 1, 1, 0, 0, 1, 0)

# By version, what every kind of learner asks when it gets these answers.
QUESTIONS: dict[str, dict[str, list[int]]] = {
    "5": {
        "20 words, mixture": [12, 12, 12, 14, 14, 14, 18, 11, 11, 8],
        "20 words, naive": [12, 12, 12, 14, 14, 14, 8, 10, 10, 16],
        "20 words, planning, two steps": [10, 10, 10, 18, 18],
        "20 words, published": [12, 10, 12, 14, 11, 10, 8, 14, 11, 16],
        "20 words, person": [10, 10, 10, 14, 14, 14, 11, 13, 13, 16],
        "60 words, mixture, Thompson": [21, 30, 51, 7, 25, 47, 15, 8, 53, 25],
        "60 words, naive, the same question again": [2, 2, 2, 0, 0, 0, 1, 0, 0, 2],
        "simulated, first": [93, 8, 27, 17, 41, 95, 70, 24],
        "simulated, second": [74, 88, 36, 77, 50, 96, 93, 87],
    },
}


def asked(learner: Learner, answers: tuple[int, ...] = ANSWERS) -> list[int]:
    state: State = learner.begin(first=3)
    for answer in answers:
        state = learner.tell(state, answer)
    return [*(arm for arm, _ in state.history[1:]), state.arm]


def words(count: int) -> Vocabulary:
    return Vocabulary(LARGE.words[:count], LARGE.vectors[:count])


def questions_now() -> dict[str, list[int]]:
    study = Vocabulary.load("study20").features()
    many = words(60).features()
    worlds = [world(prepared(LARGE.vectors), i, arms=100, questions=8, c=-4.0, d=8.0, seed=1) for i in (0, 1)]
    thompson = Settings(selection="thompson", samples=64)
    simulated = simulate(worlds, "P-M", thompson, 20.0)
    return {
        "20 words, mixture": asked(Learner(study)),
        "20 words, naive": asked(Learner(study, teacher="naive")),
        "20 words, planning, two steps": asked(Learner(study, teacher="planning", horizon=2), ANSWERS[:5]),
        "20 words, published": asked(Learner(study, teacher="naive", fit="published")),
        "20 words, person": asked(Learner(study, teacher="person", belief="targets", selection="greedy")),
        "60 words, mixture, Thompson": asked(Learner(many, selection="thompson")),
        "60 words, naive, the same question again": asked(Learner(many[[0, 1, 2, 3]], teacher="naive")),
        "simulated, first": simulated[0].asked.tolist(),
        "simulated, second": simulated[1].asked.tolist(),
    }


def test_no_question_changes_without_a_new_version_of_the_learners() -> None:
    """If this fails, raise ``LEARNERS`` in core/version.py, and put what is asked now under its number."""
    assert list(QUESTIONS) == [LEARNERS]
    assert questions_now() == QUESTIONS[LEARNERS]
