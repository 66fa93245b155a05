"""Every design is one class: what it records and measures fits together, also for a new one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from dummy_design import Doubling
from published import needs_sessions, rows
from small_experiments import read

from core.settings import Settings
from core.simulation import simulate
from core.vocabulary import Vocabulary
from studyapp.experiments import numbers
from studyapp.experiments.designs import DESIGNS, user_study
from studyapp.experiments.designs.design import Record
from studyapp.experiments.designs.user_study import FOUND, ONCE_FOUND, REWARD, STAYING, TO_FIND, UserStudy
from studyapp.experiments.running import Wanted, complete, site


def test_a_new_design_is_simulated_saved_read_and_tabulated(tmp_path: Path) -> None:
    with DESIGNS.also(Doubling):
        complete([Wanted(tmp_path, Doubling(), ("plain",), 3)], partial(site, None, 1), "replications")
        results = read(tmp_path)
        assert numbers.curves(results)["plain"]["square"]["mean"] == pytest.approx([5 / 3, 20 / 3, 80 / 3])
        rows = numbers.as_rows({"run": results})
        assert rows[1][:4] == ["run", "plain", "square", 1]


# The user study with simulated people

WORDS = Vocabulary.load("study20").words
LIKENESS = Vocabulary.load("study20").features()
SMALL = UserStudy(participants=2, targets=3, questions=5, samples=8)


def record(targets: list[int], asked: list[list[int]]) -> Record:
    return {"targets": targets, "asked": asked}


def test_measures_of_rounds_worked_out_by_hand() -> None:
    """One person: one target is found at question 2, left and asked again; the other is never found."""
    rounds = record([1, 2], [[5, 1, 6, 1], [7, 7, 8, 9]])
    rewards = np.array([[LIKENESS[1, 5], 0.9999, LIKENESS[1, 6], 0.9999], LIKENESS[2, [7, 7, 8, 9]]])
    assert REWARD.take(rounds) == pytest.approx(rewards.mean(0).cumsum())
    assert FOUND.take(rounds) == pytest.approx([0.0, 0.5, 0.5, 0.5])
    assert TO_FIND.take(rounds) == pytest.approx([(2 + 5) / 2])
    assert STAYING.take(rounds) == pytest.approx([1 / 2])
    assert ONCE_FOUND.take(rounds) == pytest.approx([(LIKENESS[1, 6] + 0.9999) / 2])

    two_people = record([1, 2], [[1, 5], [5, 2], [6, 6], [2, 2]])
    assert FOUND.take(two_people) == pytest.approx([0.5, 0.75])
    for asked in ([[5, 6]], [[5, 1]]):
        assert STAYING.take(record([1], asked)) == [0.0]
        assert ONCE_FOUND.take(record([1], asked)) == [0.0]


@needs_sessions
def test_real_people_saw_the_naive_learner_leave_the_target_and_the_mixture_stay() -> None:
    for model, staying in (("naive", 0.56), ("mixture", 0.95)):
        assert_staying(model, staying)


def assert_staying(model: str, staying: float) -> None:
    asked: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows():
        if row["model"] == model and row["practice"] == "false":
            asked[row["participant"], row["target"]].append(WORDS.index(row["word"]))
    people = sorted({person for person, _ in asked})
    records = [record(list(range(1, 20)), [asked[person, word] for word in WORDS[1:]]) for person in people]
    rewards = [float(row["reward"]) for row in rows() if row["model"] == model and row["practice"] == "false"]
    assert np.mean([STAYING.take(one) for one in records]) == pytest.approx(staying, abs=0.01)
    last = [REWARD.take(one)[-1] for one in records]
    assert np.mean(last) == pytest.approx(sum(rewards) / (19 * len(people)), abs=1e-4)


def test_studies_have_different_people_and_pairs_and_people_of_a_study_agree_on_pairs() -> None:
    like_minded = replace(user_study._people(), opinion_sd=1e-3)  # only what they agree on is left
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_study, "_people", lambda: like_minded)
        one, other = ([world.person for world in SMALL.worlds(study)] for study in (0, 1))
    assert one[0] is not None
    assert one[3] is not None
    assert other[0] is not None
    assert one[0].ready != one[3].ready  # two people of a study, with the same target
    np.testing.assert_allclose(one[0].relevance, one[3].relevance, atol=0.01)
    assert np.abs(one[0].relevance - other[0].relevance).max() > 0.1


def test_a_record_is_what_the_learner_asked_and_the_people_answered() -> None:
    worlds = SMALL.worlds(4)
    rounds = simulate(worlds, "H-N", Settings(samples=8), 20.0)
    (work,) = SMALL.jobs({"H-N": [4]})
    (made,) = work()
    assert made["asked"].tolist() == [round_.asked.tolist() for round_ in rounds]
    assert made["answers"].tolist() == [round_.answers.tolist() for round_ in rounds]
    assert made["targets"].tolist() == [1, 2, 3]
    assert REWARD.take(made) == pytest.approx(np.mean([round_.reward for round_ in rounds], axis=0).cumsum())
