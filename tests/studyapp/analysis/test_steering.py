"""Yes to similar words, asked for the first time and again, compared with loops over the table of answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import published
import pytest
from made_up import Table, a_session, answer_table, imported, others_like, quick_analysis, results_of
from scipy import stats

from core import Vocabulary
from core.rewards import clamped
from studyapp.analysis import summary
from studyapp.analysis.answers import are_similar, least_reward
from studyapp.analysis.gather import gather
from studyapp.analysis.results import analyse
from studyapp.cli import main
from studyapp.study.study import Study

VOCABULARY = Vocabulary.load("study20")


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


def similar_words(sessions: Path) -> dict[str, Any]:
    document: dict[str, Any] = summary.as_json(analyse(gather(sessions)))["similar_words"]
    return document


def counts_of(table: Table) -> dict[str, dict[str, list[int]]]:
    """[yes, answers] by participant, first and again, in plain loops."""
    units = VOCABULARY.vectors / np.linalg.norm(VOCABULARY.vectors, axis=1, keepdims=True)
    counts: dict[str, dict[str, list[int]]] = {}
    said_yes: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for row in table:
        if row["practice"] == "true":
            continue
        one, other = (units[VOCABULARY.words.index(row[name])] for name in ("target", "word"))
        before = said_yes[row["participant"], row["round"]]
        own = counts.setdefault(row["participant"], {"first": [0, 0], "again": [0, 0]})
        yes = row["answer"] == "y"
        if row["word"] != row["target"] and np.exp(-3 * (1 - one @ other)) >= 0.15:
            if row["word"] not in before:
                own["first"][0] += yes
                own["first"][1] += 1
            elif before[row["word"]]:
                own["again"][0] += yes
                own["again"][1] += 1
        before[row["word"]] = before.get(row["word"], False) or yes
    return counts


def check(document: dict[str, Any], table: Table) -> None:
    """The summary has the numbers that loops and scipy give."""
    expected = counts_of(table)
    assert document["by_participant"].keys() == expected.keys()
    for participant, row in document["by_participant"].items():
        for name in ("first", "again"):
            yes, answers = expected[participant][name]
            assert (row[name]["yes"], row[name]["answers"]) == (yes, answers)
            interval = stats.binomtest(yes, answers).proportion_ci(method="exact")
            assert row[name]["share"] == pytest.approx(yes / answers)
            assert row[name]["ci95"] == pytest.approx([interval.low, interval.high], abs=1e-9)
    shares = {name: [own[name][0] / own[name][1] for own in expected.values()] for name in ("first", "again")}
    tested = stats.ttest_rel(shares["again"], shares["first"])
    assert document["again_minus_first"]["t"] == pytest.approx(tested.statistic)
    assert document["again_minus_first"]["p"] == pytest.approx(tested.pvalue)


@published.needs_sessions
def test_published_participants_say_yes_to_a_similar_word_once_and_no_when_it_is_asked_again(
    tmp_path: Path,
) -> None:
    assert main(["import", str(published.SESSIONS), "--sessions", str(tmp_path / "published")]) == 0
    document = similar_words(tmp_path / "published")
    check(document, published.rows())
    rows = document["by_participant"].values()
    assert [round(row["first"]["share"], 2) for row in rows] == [0.94, 0.79, 0.50, 0.60, 0.81]
    assert [round(row["again"]["share"], 2) for row in rows] == [0.00, 0.10, 0.00, 0.07, 0.22]
    assert document["reward_from"] == pytest.approx(0.15)
    for row in rows:  # neither teacher of the paper answers like this
        assert row["first"]["share"] > 2 * row["first"]["naive_teacher"]
        assert row["again"]["share"] < row["again"]["planning_teacher"] - 0.4


@pytest.mark.parametrize("seed", range(2))
def test_random_answers_give_the_numbers_of_plain_loops(tmp_path: Path, seed: int) -> None:
    table = answer_table(3 + seed, ["tea", "salt", "dog", "sea"], 30, seed)
    check(similar_words(imported(tmp_path, table)), table)


def test_the_shares_of_a_naive_teacher_are_the_mean_rewards_of_the_same_questions(tmp_path: Path) -> None:
    table = answer_table(1, ["tea", "salt"], 12, 4)
    seen: set[tuple[str, str]] = set()
    rewards = []
    features = clamped(VOCABULARY.features())
    for row in (row for row in table if row["practice"] == "false"):
        likeness = features[VOCABULARY.index(row["target"]), VOCABULARY.index(row["word"])]
        if (row["round"], row["word"]) not in seen and row["word"] != row["target"] and likeness >= 0.15:
            rewards.append(likeness)
        seen.add((row["round"], row["word"]))
    (shares,) = similar_words(imported(tmp_path, table))["by_participant"].values()
    assert shares["first"]["naive_teacher"] == pytest.approx(np.mean(rewards))


def test_a_word_that_is_similar_with_one_kernel_is_similar_with_any_and_never_to_itself() -> None:
    similar = are_similar(VOCABULARY, np.arange(20))
    assert not similar.diagonal().any()
    for width in (0.5, 1.5, 4.0):
        least = least_reward(Study.model_construct(kernel_width=width))
        assert ((VOCABULARY.features(width) >= least) & ~np.eye(20, dtype=bool) == similar).all()


def test_participants_who_were_never_asked_again_have_no_share_and_are_not_compared(tmp_path: Path) -> None:
    one, other, third = others_like(a_session(tmp_path, questions=15, bonus=None), 3)
    never = replace(third, yes=np.zeros_like(third.yes), yes_before=np.zeros_like(third.yes))
    steering = results_of([one, other, never]).steering
    assert (steering.again["P003"].answers, steering.first["P003"].yes) == (0, 0)
    assert np.isnan([steering.again["P003"].share, steering.again["P003"].low]).all()
    assert steering.difference.participants == 2
