"""The main result: its words follow the evidence."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from made_up import a_session, others_like, results_of

from studyapp.analysis.comparisons import Compared, PairComparison, compare_models
from studyapp.analysis.main_result import MainResult, main_result
from studyapp.analysis.notes import notes
from studyapp.analysis.outcomes import Outcome
from studyapp.analysis.results import Results

CLEAR, UNCLEAR = np.array([0.9, 1.1, 1.0, 1.2, 0.8, 1.0]), np.array([1.0, -1.1, 0.6, -0.9, 0.5, 0.2])
TINY = UNCLEAR / 100
SAME = np.ones(6)


@cache
def six(models: int = 2) -> Results:
    names = ["plain", "both", "third", "fourth"][:models]
    with TemporaryDirectory() as folder:
        own = a_session(
            Path(folder), models={name: {"teacher": "naive"} for name in names}, after_round=[], at_end=[]
        )
        return results_of(others_like(own, 6))


def with_differences(reward: Any, found: Any, time: Any, models: int = 2) -> Results:
    """Six participants; the first model is this much above the second, and the second above the third."""
    results = six(models)
    rank = {model: models - 1 - i for i, model in enumerate(results.sample.models)}
    curves = {
        model: np.repeat((6.0 + rank[model] * np.asarray(reward))[:, None], 2, axis=1) for model in rank
    }
    rewards = replace(
        results.rewards,
        curves=curves,
        means={
            model: replace(mean, mean=curves[model].mean(0)) for model, mean in results.rewards.means.items()
        },
    )
    values = {
        "reward": {model: curves[model][:, -1] for model in rank},
        "found": {model: 0.5 + rank[model] * np.asarray(found) / 10 for model in rank},
        "time_to_find": {model: 9.0 + rank[model] * np.asarray(time) for model in rank},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Outcome, "of_participants", lambda outcome, _, model: values[outcome.name][model])
        comparisons = compare_models(results.sample)
    return replace(results, rewards=rewards, comparisons=comparisons)


def with_own(comparison: PairComparison, own: Compared) -> PairComparison:
    return replace(comparison, outcomes=comparison.outcomes | {own.outcome.name: own})


def said(*differences: Any) -> MainResult:
    return main_result(with_differences(*differences))


def test_a_clear_result_names_the_better_model_with_estimate_interval_and_p() -> None:
    result = said(CLEAR, CLEAR, -CLEAR)
    assert result.finding == (
        "The target was found more often with both than with plain, in 60.0 % against 50.0 % of rounds "
        "(difference 10.0 percentage points, 95 % interval 8.5 to 11.5, p < 0.001), and sooner, after 8.0 "
        "against 9.0 questions (restricted mean up to question 2; difference 1.00 questions, 95 % interval "
        "0.85 to 1.15, p < 0.001)."
    )
    assert result.reward == (
        "The reward after 2 questions was higher with both than with plain: 7.00 against 6.00 (difference "
        "1.00, 95 % interval 0.85 to 1.15, p < 0.001)."
    )


def test_the_better_model_is_named_first_whichever_it_is() -> None:
    result = said(-CLEAR, -CLEAR, CLEAR)
    assert "more often with plain than with both, in 50.0 % against 40.0 %" in result.finding
    assert "and sooner, after 9.0 against 10.0 questions" in result.finding
    assert "higher with plain than with both: 6.00 against 5.00 (difference 1.00, 95 % interval 0.85" in (
        result.reward
    )


def test_an_unclear_result_says_neither_more_nor_less_but_how_large_a_difference_may_be() -> None:
    result = said(UNCLEAR, UNCLEAR, UNCLEAR)
    assert result.finding.startswith("There is no clear difference in how often the target was found, or how")
    assert result.reward.startswith(
        "There is no clear difference in reward after 2 questions: 6.05 with both"
    )
    assert re.search(
        r"may be anything from 0\.\d\d more with plain to 0\.\d\d more with both\.$", result.reward
    )
    for word in ("higher", "more often", "sooner", "earned"):
        assert word not in result.finding + result.reward
    assert result.cautions == []


def test_models_that_are_as_good_as_the_same_are_called_equivalent() -> None:
    assert re.search(
        r"no clear difference .*; the models are equivalent within 0\.50 \(two one-sided tests, p < 0\.001",
        said(TINY, UNCLEAR, UNCLEAR).reward,
    )
    small = said(CLEAR / 10, UNCLEAR, UNCLEAR).reward
    assert "higher with both" in small
    assert "the difference is small: the models are equivalent within 0.50" in small


@pytest.mark.parametrize(
    ("found", "time", "expected"),
    [
        (CLEAR, UNCLEAR, r"more often with both .*; how soon it was found does not differ clearly: after"),
        (UNCLEAR, CLEAR, r"sooner with plain than .*; how often it was found does not differ clearly: in"),
        (CLEAR, CLEAR, r"more often with both than with plain, .*, but sooner with plain, after"),
    ],
)
def test_how_often_and_how_soon_are_judged_apart(found: Any, time: Any, expected: str) -> None:
    assert re.search(expected, said(UNCLEAR, found, time).finding)


@pytest.mark.parametrize(
    ("found", "time", "expected"),
    [
        (SAME, UNCLEAR, r"^The target was found in 60.*no test.*; how soon it was found does not differ"),
        (SAME, CLEAR, r"^The target was found in 60.*no test.*; it was found sooner with plain than"),
        (UNCLEAR, SAME, r"^How often the target was found does not differ clearly: in .*; it was found a"),
        (CLEAR, SAME, r"^The target was found more often with both .*; it was found after .*no test"),
        (SAME, SAME, r"^The target was found in 60.*no test.*, after .*no test"),
    ],
)
def test_a_difference_that_is_the_same_for_everyone_is_never_called_unclear(
    found: Any, time: Any, expected: str
) -> None:
    sentence = said(UNCLEAR, found, time).finding
    assert re.search(expected, sentence)
    assert "There is no clear difference" not in sentence


def test_of_many_models_pairs_without_a_test_are_named() -> None:
    three = main_result(with_differences(SAME, UNCLEAR, SAME, models=3))
    reason = "every participant has the same difference"
    assert three.finding.count("no pair differs clearly") == 1
    assert f"no test ({reason})" in three.finding
    assert three.reward.endswith(f": no test ({reason}).")
    results = with_differences(CLEAR, UNCLEAR, UNCLEAR, models=3)
    pairs = list(results.comparisons)
    found = results.comparisons[pairs[0]].found
    untested = replace(
        found, test=replace(found.test, p=np.nan, difference=0.4, reason=reason), p_holm=np.nan
    )
    changed_pair = with_own(results.comparisons[pairs[0]], untested)
    named = main_result(replace(results, comparisons=results.comparisons | {pairs[0]: changed_pair}))
    assert f"no pair differs clearly; no test for {' and '.join(pairs[0])} ({reason})" in named.finding


def test_a_reader_sees_that_one_model_finds_more_while_the_other_earns_more() -> None:
    opposite = changed(with_differences(CLEAR, -CLEAR, CLEAR), target=0.01, crossed=0.01)
    (caution,) = main_result(opposite).cautions
    assert caution.startswith("Finding and reward favour different models: plain is better at finding the")
    assert "and both earns more" in caution


def changed(results: Results, **by_test: float) -> Results:
    """The results with other values of p over targets and in the crossed model."""

    def own(comparison: PairComparison) -> PairComparison:
        reward = comparison.reward
        target = replace(reward.by_target, p=by_test["target"])
        crossed = replace(reward.crossed, p=by_test["crossed"])
        return with_own(comparison, replace(reward, by_target=target, crossed=crossed))

    return replace(results, comparisons={pair: own(c) for pair, c in results.comparisons.items()})


def test_it_is_said_plainly_where_participants_and_targets_disagree() -> None:
    clear = with_differences(CLEAR, UNCLEAR, UNCLEAR)
    assert main_result(changed(clear, target=0.06, crossed=0.2)).cautions == [
        "The analyses disagree: the difference in reward is significant over participants (p < 0.001), but "
        "not over targets (p = 0.060) or in the crossed model of both (p = 0.200). It may not hold for "
        "other targets."
    ]
    assert main_result(changed(clear, target=0.01, crossed=0.02)).cautions == []
    (caution,) = main_result(changed(clear, target=0.01, crossed=0.2)).cautions
    assert caution.endswith("It may not hold for other participants and targets.")
    unclear = with_differences(UNCLEAR, UNCLEAR, UNCLEAR)
    (caution,) = main_result(changed(unclear, target=0.01, crossed=0.2)).cautions
    assert caution.endswith("It may not hold for other participants.")
    assert main_result(changed(unclear, target=np.nan, crossed=np.nan)).cautions == []


def test_many_models_are_ranked_and_the_clearest_pairs_are_named() -> None:
    three = main_result(with_differences(CLEAR, UNCLEAR, UNCLEAR, models=3))
    assert "with both, " in three.reward
    assert "(Holm's correction for 3 pairs)" in three.reward
    assert three.reward.count("(by ") == 3
    assert "higher with both than with " in three.reward
    assert three.finding.count("no pair differs clearly") == 2
    four = main_result(with_differences(CLEAR, CLEAR, UNCLEAR, models=4))
    assert "and 3 more pairs differ clearly" in four.reward
    assert len(four.reward) < 500


def test_of_many_models_it_is_said_that_no_other_pair_differs() -> None:
    three = with_differences(CLEAR, UNCLEAR, UNCLEAR, models=3)
    pair, comparison = next(iter(three.comparisons.items()))
    unclear = with_own(comparison, replace(comparison.reward, p_holm=0.5))
    some = main_result(replace(three, comparisons=three.comparisons | {pair: unclear}))
    assert some.reward.count("(by ") == 2
    assert "); no other pair differs clearly (Holm's correction for 3 pairs)." in some.reward
    assert "no other pair" not in main_result(three).reward


def test_cautions_about_many_pairs_are_one_sentence() -> None:
    many = with_differences(CLEAR, -CLEAR, CLEAR, models=4)
    opposite, disagreeing = main_result(changed(many, target=0.06, crossed=0.2)).cautions
    assert opposite.startswith(
        "Finding and reward favour different models in these pairs: both and fourth; both and plain; both "
        "and third; 3 more pairs. This can happen because"
    )
    assert (
        "disagree about both and fourth; both and plain; both and third; 3 more pairs: these" in disagreeing
    )


def test_where_people_and_simulated_participants_are_mixed_every_banner_is_true_of_both() -> None:
    results = six()
    sessions = [
        replace(session, kind=kind)
        for session, kind in zip(
            results.gathered.sessions, ["person"] * 3 + ["simulated"] * 2 + ["pilot"], strict=True
        )
    ]
    mixed = replace(results, gathered=replace(results.gathered, sessions=sessions))
    (caution,) = main_result(mixed).cautions
    assert "(3 people, 1 pilot session and 2 simulated participants)" in caution
    lines = notes(mixed.gathered)
    assert lines[0] == caution
    assert not any(line.startswith("All participants") for line in lines)
    assert any(line.startswith("1 pilot session of 6 is included") for line in lines)
    alone = replace(results.gathered, sessions=[replace(s, kind="simulated") for s in sessions])
    assert notes(alone)[0] == "All participants are simulated: no people answered."
    assert main_result(replace(results, gathered=alone)).cautions == []
