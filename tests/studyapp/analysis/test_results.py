"""The numbers of an analysis, compared with independent computations from the tables of answers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import published
import pytest
from made_up import Table, answer_table, imported, quick_analysis
from scipy import stats
from study_files import loaded, run, small

from core import Vocabulary
from studyapp.analysis import summary
from studyapp.analysis.gather import gather
from studyapp.analysis.results import analyse
from studyapp.cli import main


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def summarised(sessions: Path, words: Path | None = None) -> dict[str, Any]:
    """What summary.json says."""
    document = summary.as_json(analyse(gather(sessions, words=words)))
    read: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    return read


def curves_of(table: Table) -> dict[str, np.ndarray]:
    """Mean cumulative reward (participants, questions) by model, in plain loops."""
    rounds: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in table:
        if row["practice"] == "false":
            rounds[row["participant"], row["model"], row["round"]].append(float(row["reward"]))
    by_participant: defaultdict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    for (participant, model, _), rewards in rounds.items():
        by_participant[model, participant].append(np.cumsum(rewards))
    models = sorted({model for model, _ in by_participant})
    return {
        model: np.array(
            [np.mean(by_participant[key], axis=0) for key in sorted(by_participant) if key[0] == model]
        )
        for model in models
    }


def check(document: dict[str, Any], table: Table) -> None:
    """The summary has the numbers that scipy computes from the table."""
    curves = curves_of(table)
    assert document["models"] == sorted(curves)
    for model, values in curves.items():
        assert document["curves"][model] == pytest.approx(values.mean(0).tolist(), abs=1e-9)
    first, second = (curves[model] for model in document["models"])
    assert [row["question"] for row in document["paired_t"]] == list(range(2, first.shape[1] + 1))
    for row, detail in zip(document["paired_t"], document["pairs"][0]["by_question"], strict=True):
        q = row["question"] - 1
        tested = stats.ttest_rel(first[:, q], second[:, q])
        interval = tested.confidence_interval(0.95)
        assert row["t"] == pytest.approx(tested.statistic, abs=1e-9)
        assert row["p"] == pytest.approx(tested.pvalue, abs=1e-9)
        assert detail["ci95"] == pytest.approx([interval.low, interval.high], abs=1e-9)


@published.needs_sessions
def test_the_published_sessions_give_the_numbers_of_an_independent_computation(tmp_path: Path) -> None:
    assert main(["import", str(published.SESSIONS), "--sessions", str(tmp_path / "published")]) == 0
    document = summarised(tmp_path / "published")
    assert document["participants"] == 5
    check(document, published.rows())
    assert document["curves"]["mixture"][-1] == pytest.approx(7.346, abs=5e-4)
    assert document["curves"]["naive"][-1] == pytest.approx(6.271, abs=5e-4)
    # Expected from 4,096 points for the look-ahead.
    exact = {"P103": 0.478, "P104": 0.374, "P105": 0.278, "P106": 0.308, "P107": 0.455}
    alphas = {participant: alpha["mean"] for participant, alpha in document["alpha"].items()}
    assert alphas == pytest.approx(exact, abs=0.03)
    # These alphas are of people whom the planning teacher predicts worse than a coin.
    for fit in document["log_likelihood"].values():
        assert fit["planning"] < np.log(0.5) < fit["naive"] < fit["mixture"]
        assert fit["planning_minus_naive"]["ci95"][1] < 0


@pytest.mark.parametrize("seed", range(3))
def test_random_answers_give_the_numbers_of_an_independent_computation(tmp_path: Path, seed: int) -> None:
    table = answer_table(3 + seed, ["tea", "salt", "dog"], 4, seed)
    check(summarised(imported(tmp_path, table)), table)


def test_the_random_baseline_is_the_mean_over_all_words_and_targets(tmp_path: Path) -> None:
    table = answer_table(2, ["tea", "salt"], 3, 7)
    vocabulary = Vocabulary.load("study20")
    features = np.clip(vocabulary.features(), 1e-4, 1 - 1e-4)
    per_question = np.mean([features[vocabulary.index(target)].mean() for target in ("tea", "salt")])
    expected = [per_question * q for q in (1, 2, 3)]
    assert summarised(imported(tmp_path, table))["curves"]["random"] == pytest.approx(expected, abs=1e-6)


def test_the_share_of_targets_found_and_the_question_that_found_them_are_counted(tmp_path: Path) -> None:
    table = answer_table(4, ["tea", "salt", "dog"], 5, 9)
    for row in table:  # make sure that some rounds find the target
        if int(row["question"]) == 2 + int(row["round"]) % 5:
            row["word"] = row["target"]
    document = summarised(imported(tmp_path, table))
    for model in document["models"]:
        shares, moments = [], []
        for participant in sorted({row["participant"] for row in table}):
            rows = [
                row
                for row in table
                if (row["participant"], row["model"], row["practice"]) == (participant, model, "false")
            ]
            found_at = []
            for number in sorted({row["round"] for row in rows}):
                asked = [row for row in rows if row["round"] == number]
                hits = (int(row["question"]) for row in asked if row["word"] == row["target"])
                found_at.append(next(hits, 6))
            shares.append([np.mean([moment <= q for moment in found_at]) for q in range(1, 6)])
            moments.append(np.mean(np.minimum(found_at, 5)))  # the mean is restricted to the last question
        assert document["found"][model]["by_question"] == pytest.approx(np.mean(shares, axis=0).tolist())
        assert document["found"][model]["restricted_mean"] == pytest.approx(np.mean(moments))


def test_answers_are_counted_by_the_similarity_of_the_word(tmp_path: Path) -> None:
    table = answer_table(3, ["tea", "salt"], 6, 11)
    document = summarised(imported(tmp_path, table))
    for model in document["models"]:
        rows = [row for row in table if (row["model"], row["practice"]) == (model, "false")]
        bands = document["yes"][model]
        assert sum(band["answers"] for band in bands) == len(rows)
        for band in bands[:-2]:
            inside = [r for r in rows if band["reward_from"] <= float(r["reward"]) < band["reward_to"]]
            assert band["answers"] == len(inside)
            if inside:
                assert band["yes"] == pytest.approx(np.mean([row["answer"] == "y" for row in inside]))


def test_answers_to_words_asked_for_the_first_time_and_asked_again_are_counted_apart(tmp_path: Path) -> None:
    table = answer_table(3, ["tea", "salt"], 20, 12)
    document = summarised(imported(tmp_path, table))
    for model in document["models"]:
        rows = [row for row in table if (row["model"], row["practice"]) == (model, "false")]
        asked = [(row["participant"], row["round"], row["word"]) for row in rows]
        again = [asked.index(key) < i for i, key in enumerate(asked)]
        for band in document["yes"][model][:-2]:
            inside = [band["reward_from"] <= float(row["reward"]) < band["reward_to"] for row in rows]
            for name in ("first", "again"):
                answers = [
                    row["answer"] == "y"
                    for row, is_inside, is_again in zip(rows, inside, again, strict=True)
                    if is_inside and is_again == (name == "again")
                ]
                assert band[name]["answers"] == len(answers)
                if answers:
                    assert band[name]["yes"] == pytest.approx(np.mean(answers))
            assert band["first"]["answers"] + band["again"]["answers"] == band["answers"]


def test_three_models_are_compared_in_all_pairs_and_rounds_of_one_question_in_none(tmp_path: Path) -> None:
    models = {name: {"teacher": "naive", "tau": tau} for name, tau in (("c", 1), ("a", 2), ("b", 3))}
    study = loaded(tmp_path, small(models=models, questions=1, after_round=[], at_end=[], bonus=None))
    for participant in ("P1", "P2", "P3"):
        run(study, tmp_path / "logs", participant)
    document = summarised(tmp_path / "logs", tmp_path / "words.txt")
    assert [pair["models"] for pair in document["pairs"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert document["paired_t"] == []


def test_one_participant_gives_a_description_without_tests(tmp_path: Path) -> None:
    document = summarised(imported(tmp_path, answer_table(1, ["tea", "salt"], 3, 1)))
    assert document["participants"] == 1
    assert document["paired_t"] == [{"question": q, "t": None, "p": None} for q in (2, 3)]


def test_targets_that_were_not_completed_with_every_model_do_not_count(tmp_path: Path) -> None:
    table = answer_table(3, ["tea", "salt", "dog"], 3, 6)
    last = max(int(row["round"]) for row in table)
    cut = [row for row in table if (row["participant"], row["round"]) != ("P1", str(last))]
    lost = next(row["target"] for row in table if (row["participant"], row["round"]) == ("P1", str(last)))
    check(
        summarised(imported(tmp_path, cut)),
        [row for row in table if (row["participant"], row["target"]) != ("P1", lost)],
    )
