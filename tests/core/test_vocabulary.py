"""A word set is the same in every file form, and its features are those of the published study."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import published
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.errors import FileError, SettingError
from core.vocabulary import Vocabulary, fault_of

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).filter(
    lambda word: fault_of(word) is None
)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def vocabularies(draw: st.DrawFn) -> Vocabulary:
    chosen = draw(st.lists(words, min_size=2, max_size=5, unique=True))
    dimensions = draw(st.integers(1, 5))
    rows = st.lists(numbers, min_size=dimensions, max_size=dimensions).filter(any)
    return Vocabulary(
        tuple(chosen), np.array(draw(st.lists(rows, min_size=len(chosen), max_size=len(chosen))))
    )


# The sets that come with studyapp


def test_study20_has_the_words_of_the_study() -> None:
    vocabulary = Vocabulary.load("study20")
    assert vocabulary.words == (
        *("cat", "dog", "rat", "elephant", "frog", "turtle", "snake", "shark", "sea", "ocean"),
        *("bread", "cheese", "butter", "rice", "pasta", "tea", "coffee", "water", "sugar", "salt"),
    )
    assert vocabulary.vectors.shape == (20, 300)
    assert vocabulary.vectors.dtype == np.float64
    assert vocabulary.sha256 == "9ef1f777186aeda595ef2e7b7d5c20c407e456cbabc8039f5130cb2a1a227681"


def test_words10k_has_the_principal_components_of_ten_thousand_words() -> None:
    vocabulary = Vocabulary.load("words10k")
    assert vocabulary.vectors.shape == (10_000, 10)
    assert vocabulary.sha256 == "83cd0879629f052444214aadff07d12ce1ddeb82e4d145bae36dd4247706b04b"
    covariance = np.cov(vocabulary.vectors.T)
    assert np.all(np.diff(np.diag(covariance)) < 0)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
    np.testing.assert_allclose(vocabulary.vectors.mean(axis=0), 0, atol=1e-8)


# Features


def test_features_are_the_published_rewards() -> None:
    vocabulary = Vocabulary.load("study20")
    features = vocabulary.features()
    for one, other, reward in (
        ("cat", "dog", 0.488135),
        ("tea", "coffee", 0.269979),
        ("salt", "shark", 0.077766),
        ("frog", "turtle", 0.315688),
    ):
        at = vocabulary.index(one), vocabulary.index(other)
        assert features[at] == features[at[::-1]] == pytest.approx(reward, abs=1e-6)


@published.needs_sessions
def test_features_give_every_reward_of_the_published_sessions() -> None:
    vocabulary = Vocabulary.load("study20")
    rewards = vocabulary.features().clip(0.0001, 0.9999)
    without_reward = []
    for row in published.rows():
        reward = float(row["reward"])
        if reward < 0.0001:  # below the clamp: this is no value of the kernel
            without_reward.append(
                (row["participant"], row["round"], row["practice"], row["target"], row["word"])
            )
            continue
        computed = rewards[vocabulary.index(row["target"]), vocabulary.index(row["word"])]
        assert computed == pytest.approx(reward, abs=1e-6), row
    # One practice round never took place: 15 rows that say "cat", "n" and 0.
    assert without_reward == [("P103", "2", "true", "cat", "cat")] * 15


@given(vocabularies(), st.floats(1e-3, 1e3))
def test_features_are_exactly_symmetric_with_ones_on_the_diagonal(
    vocabulary: Vocabulary, width: float
) -> None:
    features = vocabulary.features(kernel_width=width)
    assert np.array_equal(features, features.T)
    assert np.array_equal(np.diag(features), np.ones(len(vocabulary.words)))
    assert np.all((features >= 0) & (features <= 1))


def test_features_follow_the_distance_of_unit_vectors_in_a_kernel_of_any_possible_width() -> None:
    vocabulary = Vocabulary(("a", "b", "c"), np.array([[2.0, 0.0], [0.0, 0.5], [-3.0, 0.0]]))
    expected = np.exp(-0.7 * np.array([[0, 2, 4], [2, 0, 2], [4, 2, 0]]))
    np.testing.assert_allclose(vocabulary.features(kernel_width=0.7), expected, rtol=1e-14)
    for width in (0.0, -1.0, float("nan"), float("inf"), "wide", None):
        with pytest.raises(SettingError, match="it must be a finite number above 0"):
            vocabulary.features(kernel_width=width)  # type: ignore[arg-type]


# Identity


@settings(deadline=None)  # a disk takes the time it takes
@given(vocabularies(), st.sampled_from([".txt", ".bin"]))
def test_a_set_that_is_written_and_read_is_the_same_set(
    tmp_path_factory: pytest.TempPathFactory, vocabulary: Vocabulary, suffix: str
) -> None:
    assume(suffix == ".txt" or not any(" " in word for word in vocabulary.words))
    path = tmp_path_factory.getbasetemp() / f"same{suffix}"
    try:
        vocabulary.save(path, overwrite=True)
    except FileError:  # the bytes of one or two binary numbers can spell figures: refused, not damaged
        assume(suffix == ".txt")
        raise
    again = Vocabulary.load(path)
    assert again.words == vocabulary.words
    assert again.vectors.tobytes() == vocabulary.vectors.tobytes()
    assert again.sha256 == vocabulary.sha256


def test_a_binary_file_that_would_read_as_text_is_refused_and_removed(tmp_path: Path) -> None:
    spelled = np.frombuffer(b"00001111", dtype="<f4").reshape(2, 1)
    vocabulary = Vocabulary(("a", "b"), spelled.astype(np.float64))
    with pytest.raises(FileError, match="did not read back as it was written"):
        vocabulary.save(tmp_path / "a.bin")
    assert list(tmp_path.iterdir()) == []
    vocabulary.save(tmp_path / "a.txt")


def test_the_fingerprint_can_be_computed_by_anyone_and_any_change_changes_it() -> None:
    vectors = np.array([[1.0, 2.0], [3.0, 4.0]])
    vocabulary = Vocabulary(("cat", "mačka"), vectors)
    expected = hashlib.sha256("2 2\ncat\nmačka\n".encode() + vectors.astype("<f4").tobytes())
    assert vocabulary.sha256 == expected.hexdigest()
    sets = [
        Vocabulary(("a", "b"), vectors),
        Vocabulary(("b", "a"), vectors),
        Vocabulary(("a", "c"), vectors),
        Vocabulary(("a", "b"), vectors[::-1]),
        Vocabulary(("a", "b"), vectors + np.array([[0, 0], [0, 1e-6]])),
        Vocabulary(("a", "b"), vectors[:, :1]),
    ]
    assert len({word_set.sha256 for word_set in sets}) == len(sets)


def test_the_vectors_are_a_copy_that_cannot_be_changed() -> None:
    source = np.array([[1.0, 2.0], [3.0, 4.0]])
    vocabulary = Vocabulary(("a", "b"), source)
    source[0, 0] = 9
    assert vocabulary.vectors[0, 0] == 1
    assert not vocabulary.vectors.flags.writeable


# Finding a word and a set


def test_an_unknown_word_or_set_is_answered_with_the_nearest() -> None:
    vocabulary = Vocabulary.load("study20")
    assert [vocabulary.index(word) for word in vocabulary.words] == list(range(20))
    with pytest.raises(SettingError, match=r"'elefant' is not one of the 20 words \(did you mean 'elephant'"):
        vocabulary.index("elefant")
    with pytest.raises(
        SettingError,
        match=r"no word set 'study2' \(did you mean 'study20'\?\); known: study20, words10k; or name",
    ):
        Vocabulary.load("study2")


def test_a_string_that_looks_like_a_path_or_exists_is_a_path_but_hides_no_known_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for missing in ("study2.txt", "folder/study2", Path("study20")):
        with pytest.raises(FileError, match="there is no such file"):
            Vocabulary.load(missing)
    for name in ("mine", "study20"):
        Path(name).write_text("cat 1 2\ndog 3 4\n")
        assert Vocabulary.load(Path(name)).words == ("cat", "dog")
    assert len(Vocabulary.load("mine").words) == len(Vocabulary.load("./study20").words) == 2
    assert len(Vocabulary.load("study20").words) == 20
    with pytest.raises(FileError, match="this is a folder"):
        Vocabulary.load(tmp_path)


# What is not a word set


NOT_FINITE = "line 3: the vector of 'dog' has a number that is not finite"
NO_DIRECTION = "the vector of 'dog' is all zeros and has no direction"
UNSEEN = "contains U+{}, which can't be seen; remove it"
BAD = [
    ("1 2\ncat 1 2\n", "a word set needs at least 2 words; this one has 1"),
    ("3 2\ncat 1 2\ndog 1 2\ncat 3 4\n", "line 4: 'cat' is already word 1 of the set"),
    ("2 2\ncat 1 2\n 3 4\n", "line 3: the word is missing"),
    ("2 2\ncat 1 2\nd\x1bog 3 4\n", r"line 3: the word 'd\x1bog' " + UNSEEN.format("001B")),
    ("2 2\ncat 1 2\nd\u202eog 3 4\n", r"line 3: the word 'd\u202eog' " + UNSEEN.format("202E")),
    ("2 2\ncat 1 2\nd\u3164og 3 4\n", "line 3: the word 'd\u3164og' " + UNSEEN.format("3164")),
    ("2 2\ncat 1 2\ndog\u3000 3 4\n", "line 3: the word 'dog\\u3000' begins"),
    ("2 2\ncat 1 2\ndog 3 4 5\n", "line 3: the word 'dog 3' ends with a number"),
    ("cat 1 2\nrat 1 2\ndog 3 4 5\n", "line 3: the word 'dog 3' ends with a number, so the line may have"),
    ("2 2\ncat 1 2\ndog 3 nan\n", NOT_FINITE),
    ("2 2\ncat 1 2\ndog 3 -inf\n", NOT_FINITE),
    ("2 2\ncat 1 2\ndog 3 1e39\n", NOT_FINITE),
    ("2 2\ncat 1 2\ndog 0 0\n", f"line 3: {NO_DIRECTION}"),
    (b"2 2\ncat \0\0\x80\x3f\0\0\x80\x3fdog \0\0\0\0\0\0\0\0", f"record 2: {NO_DIRECTION}"),
    (b"2 1\ncat \0\0\x80\x3f \0\0\x80\x3f", "record 2: the word is missing"),
    ("3 2\ncat 1 2\ndog 3 4\n", "line 1: the header promises 3 words, but the file has 2"),
]


def test_a_bad_set_is_refused_with_the_place_of_the_fault(tmp_path: Path) -> None:
    file = tmp_path / "some.vectors"
    for content, message in BAD:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(FileError) as caught:
            Vocabulary.load(file)
        assert str(caught.value).startswith(str(file))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_set_made_in_python_is_checked_the_same_way() -> None:
    for words, vectors, problem in (
        (("a", "b"), np.array([[1.0], [0.0]]), "word 2: the vector of 'b' is all zeros"),
        (("a", "a"), np.array([[1.0], [2.0]]), "word 2: 'a' is already word 1"),
        (("a", "b"), np.ones((3, 1)), r"vectors has the shape \(3, 1\); 2 words need one row each"),
        (("a", "b"), np.ones(2), r"vectors has the shape \(2,\)"),
    ):
        with pytest.raises(SettingError, match=problem):
            Vocabulary(words, vectors)
    for word in ("ice cream", "area_51", "51", "R2 D2", "to infinity", "e\u0301", "👩\u200d🔬", "naïve"):
        assert fault_of(word) is None


def test_reading_stops_at_the_first_word_or_number_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.txt"
    path.write_text("a 1 2\nb 3 4\nc 5 6\nd not numbers\n")
    with pytest.raises(FileError, match="line 3: there are more than 2 words, the most that"):
        Vocabulary.load(path, most=2)
    monkeypatch.setattr("core.vocabulary.MOST_NUMBERS", 5)
    with pytest.raises(FileError, match="line 3: there are more than 5 numbers"):
        Vocabulary.load(path)
