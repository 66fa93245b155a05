"""People and sessions: the rounds that are read, the models that are compared, the checks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import Table, answer_table, imported, quick_analysis, sessions_of_every_kind
from people_rounds import KNOWN, simulated_rounds
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from strategies import WORDS
from study_files import loaded, run, small

from core.errors import FileError, SettingError
from core.people_fit import fit_people
from core.people_likelihood import log_chances, log_evidence
from core.recall import NEVER
from studyapp.analysis.people import checking, comparing
from studyapp.analysis.people.reading import Sessions, read_sessions
from studyapp.analysis.people.rounds import Rounds

TARGETS = ["dog", "tea", "salt"]


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def steered_table() -> Table:
    """Answers of three participants who steer, but for every seventh answer."""
    table, features = answer_table(3, TARGETS, 8, seed=1), WORDS.features()
    yes_before: set[tuple[str, str, str]] = set()
    for number, row in enumerate(table):
        likeness = features[WORDS.index(row["target"]), WORDS.index(row["word"])]
        key = row["participant"], row["round"], row["word"]
        means_yes = row["word"] == row["target"] or (likeness > 0.1 and key not in yes_before)
        if means_yes:
            yes_before.add(key)
        row["answer"] = "y" if means_yes != (number % 7 == 0) else "n"
    return table


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("people"), steered_table())


@pytest.fixture(scope="module")
def sessions(logs: Path) -> Sessions:
    return read_sessions([logs])


# Rounds


def test_what_a_person_knows_is_what_came_before_in_the_round(sessions: Sessions) -> None:
    rounds = sessions.rounds
    for number, target in enumerate(rounds.target):
        last: dict[int, int] = {}
        found = False
        for question, word in enumerate(rounds.asked[number]):
            assert rounds.last[number, question] == last.get(word, NEVER)
            assert rounds.found[number, question] == found
            last[word] = int(rounds.yes[number, question])
            found |= bool(word == target)


def test_answers_are_those_of_the_table(tmp_path: Path) -> None:
    table = answer_table(2, TARGETS, 5, seed=3)
    rounds = read_sessions([imported(tmp_path, table)]).rounds
    counted = [row for row in table if row["practice"] == "false"]
    answers = rounds.answers
    assert len(answers) == len(counted)
    assert [rounds.persons[i] for i in answers.person] == [row["participant"] for row in counted]
    assert [rounds.words[i] for i in answers.word] == [row["word"] for row in counted]
    assert [rounds.words[i] for i in answers.target] == [row["target"] for row in counted]
    assert answers.yes.tolist() == [row["answer"] == "y" for row in counted]
    assert answers.number.tolist() == [int(row["question"]) for row in counted]


# Reading


def test_rounds_whose_rewards_are_all_0_never_took_place(tmp_path: Path) -> None:
    table = answer_table(2, TARGETS, 5, seed=3)
    never = [row for row in table if (row["participant"], row["round"]) == ("P1", "4")]
    for row in never:
        row["reward"] = "0"
    sessions = read_sessions([imported(tmp_path, table)])
    assert len(sessions.rounds.answers) == 2 * 6 * 5 - 5
    assert sessions.notes == ["not included: 1 round of P1.yaml: all rewards are 0, so it never took place"]


def test_a_copied_log_counts_once_and_two_people_of_one_name_are_two(logs: Path, tmp_path: Path) -> None:
    copied, other = tmp_path / "copied", tmp_path / "other"
    shutil.copytree(logs, copied)
    other.mkdir()
    new = imported(other, answer_table(1, TARGETS, 8, seed=2))
    sessions = read_sessions([logs, copied, new])
    assert sessions.rounds.persons == ("imported/P0", "imported/P0", "P1", "P2")
    assert len(sessions.notes) == 3
    assert all("a copy of" in note for note in sessions.notes)


def test_the_fingerprint_is_that_of_the_answers_alone(logs: Path, tmp_path: Path) -> None:
    again = imported(tmp_path, steered_table())
    assert read_sessions([again]).fingerprint == read_sessions([logs]).fingerprint
    (again / "P2.yaml").unlink()
    assert read_sessions([again]).fingerprint != read_sessions([logs]).fingerprint


def test_one_damaged_log_is_one_clear_error(tmp_path: Path) -> None:
    logs = sessions_of_every_kind(tmp_path)
    with pytest.raises(FileError, match="move it to another folder"):
        read_sessions([logs])


def test_sessions_are_chosen_by_kind_and_state(tmp_path: Path) -> None:
    logs = sessions_of_every_kind(tmp_path)
    for name in ("broken", "notes", "again"):
        (logs / f"{name}.yaml").unlink()
    assert read_sessions([logs]).rounds.persons == ("person",)
    (logs / "person.yaml").unlink()
    simulated = read_sessions([logs])
    assert simulated.rounds.persons == ("sim1", "sim2")
    more = read_sessions([logs], include=["incomplete"])
    assert set(more.rounds.persons) > {"sim1", "sim2"}
    assert (~more.rounds.is_asked).any()
    assert len(more.rounds.answers) == more.rounds.is_asked.sum()


def test_words_that_are_not_equally_alike_are_refused(tmp_path: Path) -> None:
    logs = []
    for width in (1.5, 2.5):
        folder = tmp_path / str(width)
        study = loaded(folder, small(kernel_width=width))
        run(study, folder / "logs", f"P{width:.0f}")
        logs.append(folder / "logs")
    words = tmp_path / "1.5" / "words.txt"
    with pytest.raises(SettingError, match=r"the likeness of '.*' and '.*' is .* kernel widths separately"):
        read_sessions(logs, words=words)


def test_sessions_of_two_word_sets_share_one_list_of_words(logs: Path, tmp_path: Path) -> None:
    study = loaded(tmp_path, small(targets=["café"], practice=[]))
    run(study, tmp_path / "logs", "X")
    (tmp_path / "logs" / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    rounds = read_sessions([logs, tmp_path / "logs"], include=["simulated"]).rounds
    assert len(rounds.words) == 20 + 6 - 1  # both sets have tea
    assert {rounds.words[i] for i in rounds.target[rounds.person == rounds.persons.index("X")]} == {"café"}


def test_no_sessions_and_no_answers_outside_practice_are_one_clear_error(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    sitting = run(study, tmp_path / "logs", "P01")
    assert sitting
    with pytest.raises(FileError, match="no such file or folder"):
        read_sessions([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no session logs"):
        read_sessions([tmp_path / "empty"])


# Comparing


def test_the_table_is_read_from_its_steps() -> None:
    rounds = simulated_rounds(KNOWN, 1, targets=5)
    answers = rounds.answers
    for likeness, target, chance in zip(
        answers.likeness, answers.is_target, comparing._steps(answers), strict=True
    ):
        steps = [(0.3, 0.48), (0.15, 0.46), (0.1, 0.35), (0.07, 0.11), (0.0, 0.003)]
        assert chance == (0.99 if target else next(share for start, share in steps if likeness >= start))


def test_the_logistic_regression_maximises_the_likelihood_of_the_others() -> None:
    answers = simulated_rounds(KNOWN, 2, targets=6).answers
    x, sign = np.log(answers.likeness.clip(1e-4, 1 - 1e-4)), np.where(answers.yes, 1, -1)
    best = minimize(
        lambda at: -log_expit(sign * (at[0] + at[1] * x)).sum(), [0, 0], method="Nelder-Mead", tol=1e-9
    ).x
    assert comparing._logistic(answers, answers) == pytest.approx(expit(best[0] + best[1] * x), abs=1e-3)


def test_no_answer_is_impossible_for_a_regression_whose_answers_a_border_separates() -> None:
    answers = simulated_rounds(KNOWN, 1, targets=6).answers
    separated = replace(answers, yes=answers.likeness > 0.15)
    chances = comparing._logistic(separated, answers)
    assert (chances >= 1e-4).all()
    assert (chances <= 1 - 1e-4).all()


@pytest.fixture(scope="module")
def compared(sessions: Sessions) -> comparing.Comparison:
    fit = fit_people(sessions.rounds.answers, sessions.rounds.words)
    return comparing.compare_models(sessions, fit.people)


def test_each_person_is_scored_by_every_model(compared: comparing.Comparison, sessions: Sessions) -> None:
    assert list(compared.scores) == list(comparing.MODELS)
    assert all(scores.shape == (3,) for scores in compared.scores.values())
    answers = sessions.rounds.answers
    likeness = answers.likeness.clip(1e-4, 1 - 1e-4)
    naive = np.log(np.where(answers.yes, likeness, 1 - likeness))
    for person in range(3):
        expected = naive[answers.person == person].mean()
        assert compared.scores["naive"][person] == pytest.approx(expected, abs=1e-6)


def test_people_are_fitted_to_the_others_and_scored_on_the_person(sessions: Sessions) -> None:
    answers = sessions.rounds.answers
    own = answers.person == 1
    others = replace(answers.of(~own), person=np.where(answers.person[~own] == 2, 1, 0))
    people = fit_people(others, sessions.rounds.words, KNOWN).people
    scores, converged = comparing._left_out(comparing._Task(sessions.rounds, 1, KNOWN))
    expected = log_chances(people, answers.of(own), sessions.rounds.round_of_answer[own]).mean()
    assert converged
    assert scores["people"] == pytest.approx(expected)
    assert scores["people_known"] == pytest.approx(log_evidence(people, answers.of(own)) / own.sum())


def test_alpha_is_fitted_to_the_others(sessions: Sessions) -> None:
    answers = sessions.rounds.answers
    naive = np.log(np.where(answers.yes, answers.likeness.clip(1e-4, 1 - 1e-4), 0.5))
    better = np.where(answers.person == 0, naive - 1, naive + 1)
    _, alpha = comparing._of_the_paper(answers, better)
    assert alpha[0] > 0.9
    assert alpha[1] < alpha[0]


def test_files_hold_every_score(compared: comparing.Comparison) -> None:
    document = comparing.as_json(compared)
    assert document["models"]["people"]["mean"] == pytest.approx(compared.scores["people"].mean())  # type: ignore[index]
    assert len(comparing.as_rows(compared)) == 1 + 3 * len(comparing.MODELS)


# Checking


def by_hand() -> Rounds:
    """Two rounds of four questions, with the target 0: the second never finds it."""
    likeness = np.array([[0.2, 0.2, 0.9999, 0.08], [0.2, 0.12, 0.2, 0.2]])
    return Rounds(
        words=tuple("abcd"),
        persons=("P",),
        person=np.array([0, 0]),
        model=np.array(["x", "y"]),
        target=np.array([0, 0]),
        asked=np.array([[1, 1, 0, 2], [1, 3, 1, 1]]),
        yes=np.array([[True, False, True, False], [True, True, True, False]]),
        likeness=likeness,
    )


def test_measures_are_what_their_names_say() -> None:
    measured = checking.measures(by_hand(), ["x", "y"])
    nan = np.nan
    assert measured["yes_first"] == pytest.approx([nan, 0, 1, nan, 1, nan], nan_ok=True)
    assert measured["yes_again"] == pytest.approx([nan, nan, nan, nan, 1 / 3, nan], nan_ok=True)
    assert measured["yes_by_question"] == pytest.approx([1, nan, nan, nan], nan_ok=True)
    assert measured["yes_target"].tolist() == [1]
    assert measured["reward_x"] == pytest.approx([0.2, 0.4, 1.3999, 1.4799])
    assert (measured["found_x"], measured["time_to_find_x"]) == (1, 3)
    assert measured["found_y"] == 0
    assert np.isnan(measured["time_to_find_y"])


def test_real_people_are_set_beside_simulated_studies_of_the_same_size(sessions: Sessions) -> None:
    assert checking.why_not(sessions) == ""
    checks = checking.check_people(sessions, KNOWN, 3)
    assert checks.models == ["mixture", "naive"]
    assert checks.persons == 3
    real = checking.measures(sessions.rounds, checks.models)
    for name, check in checks.measures.items():
        assert check.real == pytest.approx(real[name], nan_ok=True)
        known = np.isfinite(check.mean)
        assert (check.low[known] <= check.high[known]).all()
    assert checks.measures["found_naive"].real == pytest.approx(
        [np.mean([r.any() for r in sessions.rounds.is_target[sessions.rounds.model == "naive"]])]
    )
    assert checking.check_people(sessions, KNOWN, 3).measures["reward_naive"].mean == pytest.approx(
        checks.measures["reward_naive"].mean
    )


def test_sessions_of_different_studies_are_not_simulated_together(logs: Path, tmp_path: Path) -> None:
    other = imported(tmp_path, answer_table(1, TARGETS[:2], 8, seed=2))
    assert "different studies" in checking.why_not(read_sessions([logs, other]))
