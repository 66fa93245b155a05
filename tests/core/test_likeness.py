"""The likeness of words without a table of words by words, against that table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Learner, Likeness, People, SettingError, Vocabulary
from core.likeness import MOST_LIKELY
from core.reward_tables import Table

LARGE = Vocabulary.load("words10k")


def some_words(count: int, begin: int = 0) -> Vocabulary:
    own = slice(begin, begin + count)
    return Vocabulary(LARGE.words[own], LARGE.vectors[own])


WORDS = some_words(300)
TABLE = WORDS.features()
MANY = some_words(900)


def test_its_rows_are_those_of_the_table() -> None:
    rows = WORDS.likeness().rows(np.array([3, 299, 3]))
    np.testing.assert_allclose(rows, TABLE[[3, 299, 3]], rtol=0, atol=1e-14)
    assert rows[0, 3] == 1.0


@given(width=st.floats(0.1, 20.0), landmarks=st.integers(1, 80))
@settings(max_examples=20, deadline=None)
def test_through_landmarks_it_is_exact_between_a_word_and_a_landmark_and_never_too_large(
    width: float, landmarks: int
) -> None:
    words = some_words(80, 500)
    table, root = words.features(width), words.likeness(width, landmarks).root
    through = root.T @ root
    exact = np.isclose(np.diagonal(through), 1.0, rtol=0, atol=1e-9)
    assert exact.sum() >= len(root)
    np.testing.assert_allclose(through[exact], table[exact], rtol=0, atol=1e-7)
    left = table - through  # a covariance: what the landmarks don't explain
    assert np.linalg.eigvalsh((left + left.T) / 2).min() > -1e-7


def test_the_next_landmark_is_the_word_that_the_others_explain_least() -> None:
    likeness = WORDS.likeness(landmarks=5)
    left = np.ones(300)
    chosen: list[int] = []
    for row in likeness.root:
        chosen.append(int(np.argmax(left >= left.max() - 1e-9)))
        assert row[chosen[-1]] == pytest.approx(np.sqrt(left[chosen[-1]]))
        known = TABLE[np.ix_(chosen, chosen)]
        across = TABLE[chosen]
        left = 1.0 - np.einsum("lk,lk->k", across, np.linalg.solve(known, across))


def test_with_all_words_as_landmarks_the_features_give_the_same_posterior_and_questions() -> None:
    history = [(3, 1), (40, 0), (7, 1), (120, 0), (3, 0)]
    exact = Learner(TABLE, teacher="naive").condition(history)
    through = Learner(WORDS.features(landmarks=300), teacher="naive").condition(history)
    np.testing.assert_allclose(through.scores, exact.scores, rtol=0, atol=1e-6)
    assert through.arm == exact.arm


@pytest.mark.parametrize("landmarks", [50, 100, 200])
def test_with_more_landmarks_the_scores_of_a_learner_come_nearer_to_the_exact_ones(landmarks: int) -> None:
    history = [(3, 1), (40, 0), (7, 1), (120, 0), (3, 0)]
    exact = Learner(TABLE, teacher="naive", selection="greedy").condition(history).scores
    fewer, more = (
        Learner(WORDS.features(landmarks=count), teacher="naive", selection="greedy")
        .condition(history)
        .scores
        for count in (landmarks // 2, landmarks)
    )
    assert np.abs(more - exact).mean() < np.abs(fewer - exact).mean()


def test_words_that_fewer_landmarks_explain_fully_have_no_more_features() -> None:
    vectors = np.random.default_rng(0).normal(size=(4, 3))
    words = Vocabulary(tuple("abcdefgh"), np.concatenate([vectors, 2 * vectors]))
    likeness = words.likeness(landmarks=8)
    assert likeness.features().shape == (8, 4)
    np.testing.assert_allclose(likeness.root.T @ likeness.root, words.features(), rtol=0, atol=1e-9)


# As a table of rewards


def test_columns_and_rows_of_rewards_are_those_of_the_table() -> None:
    likeness, table = WORDS.likeness(), Table.of(TABLE[None])
    arms = np.array([5, 17])
    for ours, theirs in (
        (likeness.about(arms), table.about(arms)),
        (likeness.under(arms), table.under(arms)),
        (likeness.columns(arms, 0), table.columns(arms, 0)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
    assert (likeness.targets, likeness.arms) == (table.targets, table.arms) == (300, 300)


def chances(concentration: float, count: int = 300) -> np.ndarray:
    return np.random.default_rng(1).dirichlet(np.full(count, concentration), 2)


def test_a_mean_over_few_likely_targets_is_exact() -> None:
    likely = np.full((2, 900), 1e-4)  # of all others, which are equally likely, the mean is exact as well
    likely[:, 100 : 100 + MOST_LIKELY] = chances(1.0, MOST_LIKELY)
    likeness, table = MANY.likeness(landmarks=20), Table.of(MANY.features()[None])
    np.testing.assert_allclose(likeness.mean(likely), table.mean(likely), rtol=0, atol=1e-9)
    np.testing.assert_allclose(likeness.mean_square(likely), table.mean_square(likely), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("landmarks", "error"), [(20, 0.01), (50, 0.003), (150, 0.001), (900, 1e-9)])
@pytest.mark.parametrize("concentration", [0.05, 1.0, 100.0])
def test_a_mean_over_all_targets_is_close_and_closer_with_more_landmarks(
    landmarks: int, error: float, concentration: float
) -> None:
    likeness, table = MANY.likeness(landmarks=landmarks), Table.of(MANY.features()[None])
    p = chances(concentration, 900)
    assert np.abs(likeness.mean(p) - table.mean(p)).max() < error
    assert np.abs(likeness.mean_square(p) - table.mean_square(p)).max() < 2 * error


@pytest.mark.parametrize("teacher", ["naive", "mixture", "person"])
def test_a_belief_over_targets_is_the_same_with_and_without_the_table(teacher: str) -> None:
    history = [(3, 1), (40, 0), (7, 1), (120, 0), (3, 0)]
    common = {"teacher": teacher, "belief": "targets", "selection": "greedy", "samples": 64}
    people = People.default().among(WORDS.words)
    with_table = Learner(TABLE, **common, people=people).condition(history)
    without = Learner(TABLE, **common, people=people, rewards=WORDS.likeness(landmarks=300)).condition(
        history
    )
    assert with_table.targets is not None
    np.testing.assert_allclose(without.targets, with_table.targets, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(without.scores, with_table.scores, rtol=0, atol=2e-4)


def test_sums_of_log_odds_are_those_of_the_table_however_few_the_landmarks() -> None:
    likeness, table = WORDS.likeness(landmarks=3), Table.of(TABLE[None])
    shares = np.random.default_rng(2).normal(size=(3, 4, 300)) * (np.arange(300) % 7 == 3)
    shares[1] = shares[0]
    np.testing.assert_allclose(likeness.mean_odds(shares), table.mean_odds(shares), rtol=0, atol=1e-9)


@pytest.mark.parametrize("teacher", ["naive", "person"])
def test_through_a_third_of_the_words_a_learner_over_targets_asks_what_it_asks_with_the_table(
    teacher: str,
) -> None:
    words = some_words(900, 2000)
    table, likeness = words.features(), words.likeness(landmarks=300)
    people = People.default().among(words.words)
    same = []
    for selection in ("greedy", "bayes-ucb"):
        common = {"teacher": teacher, "belief": "targets", "selection": selection, "people": people}
        exact, through = Learner(table, **common), Learner(table, **common, rewards=likeness)
        for seed in range(10):
            random = np.random.default_rng(seed)
            history = [(int(random.integers(900)), int(random.random() < 0.3)) for _ in range(6)]
            one, other = exact.condition(history), through.condition(history)
            assert np.abs(other.scores - one.scores).max() < 0.05 * np.ptp(one.scores)
            same.append(one.arm == other.arm)
    assert np.mean(same) >= 0.9


@pytest.mark.parametrize("width", [1.5, 8.0])
def test_with_all_words_as_landmarks_means_and_mean_squares_are_those_of_the_table(width: float) -> None:
    table, likeness = Table.of(WORDS.features(width)[None]), WORDS.likeness(width, landmarks=300)
    chances = np.random.default_rng(0).dirichlet(np.full(300, 0.5), size=3)
    np.testing.assert_allclose(likeness.mean(chances), table.mean(chances), rtol=0, atol=2e-4)
    np.testing.assert_allclose(likeness.mean_square(chances), table.mean_square(chances), rtol=0, atol=2e-4)


def test_a_target_that_is_certain_leaves_no_spread() -> None:
    sure = np.zeros((1, 300))
    sure[0, 7] = 1.0
    likeness = WORDS.likeness(4.0, landmarks=20)
    np.testing.assert_allclose(likeness.mean_square(sure), likeness.mean(sure) ** 2, rtol=0, atol=1e-15)


def test_of_targets_that_are_equally_likely_up_to_rounding_the_first_have_exact_rewards() -> None:
    likeness = WORDS.likeness(8.0, landmarks=20)
    even = np.full((1, 300), 1 / 300)
    rounded = even * (1 + 1e-13 * np.random.default_rng(0).normal(size=300))
    np.testing.assert_allclose(likeness.mean(rounded), likeness.mean(even), rtol=0, atol=1e-12)
    first = np.where(np.arange(300) < MOST_LIKELY, 1 / MOST_LIKELY, 0.0)[None]
    exact = first[0, :MOST_LIKELY] @ likeness.under(np.arange(MOST_LIKELY))
    np.testing.assert_allclose(likeness.mean(first)[0], exact, rtol=0, atol=1e-12)


def test_landmarks_are_added_until_everything_is_explained() -> None:
    twins = Likeness(np.repeat(WORDS.likeness().units[:5], 2, axis=0), 1.5, 10)
    assert len(twins.root) == 5
    np.testing.assert_allclose(twins.root.T @ twins.root, twins.rows(np.arange(10)), rtol=0, atol=1e-9)


def test_vectors_that_are_no_units_are_refused_and_later_changes_do_not_matter() -> None:
    units = np.array(WORDS.likeness().units)
    with pytest.raises(SettingError, match="unit vectors"):
        Likeness(2 * units, 1.5, 10)
    with pytest.raises(SettingError, match="width"):
        Likeness(units, -1.0, 10)
    likeness = Likeness(units, 1.5, 10)
    before = likeness.rows(np.array([0]))
    units[:] = 0.0
    assert np.array_equal(likeness.rows(np.array([0])), before)


def test_a_likeness_of_other_words_is_refused() -> None:
    with pytest.raises(SettingError, match="rewards is about 40 words, and there are 300 arms"):
        Learner(TABLE, teacher="naive", belief="targets", rewards=some_words(40).likeness())


@pytest.mark.parametrize("landmarks", [0, -1, True, 2.5])
def test_a_wrong_number_of_landmarks_is_refused(landmarks: int) -> None:
    with pytest.raises(SettingError, match=r"landmarks is .*; it must be a whole number"):
        WORDS.features(landmarks=landmarks)


def test_a_learner_with_another_likeness_does_not_take_the_state() -> None:
    one, other = (
        Learner(TABLE, teacher="naive", belief="targets", rewards=Likeness(likeness.units, width, 300))
        for likeness, width in ((WORDS.likeness(), 1.5), (WORDS.likeness(), 1.6))
    )
    with pytest.raises(SettingError, match="belongs to a learner with other arms or settings"):
        other.tell(one.begin(3), 1)


def test_ten_thousand_words_need_no_table_of_words_by_words() -> None:
    code = """
import resource
from core import Learner, Vocabulary
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
words = Vocabulary.load("words10k")
before = peak()
likeness = words.likeness(landmarks=200)
arms = likeness.features()
for settings in ({"teacher": "mixture"}, {"teacher": "person", "belief": "targets", "rewards": likeness}):
    learner = Learner(arms, **settings, samples=256)
    assert learner.tell(learner.begin(5), 1).fit.converged
print(peak() - before)
"""
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert float(run.stdout) < 400  # MB; words by words would be 800
