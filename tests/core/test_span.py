"""Fits and draws in the span of the answers, against the same in the whole space."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Learner, Vocabulary, posterior
from core.gaussian import Gaussian
from core.likelihoods import Evidence
from core.posterior import Posterior, fit_naive, fit_posterior
from core.randomness import stream
from core.teachers import TEACHERS
from core.thompson import PriorDraws, best_arm, count_winners, normal_points, rao_blackwell

MODELS = ("naive", "planning", "mixture")
FEATURES = 60
TAU = 2.0

Estimate = Callable[[Gaussian, np.ndarray, PriorDraws], np.ndarray]


def a_vocabulary(words: int) -> np.ndarray:
    """The features of some of the words of words10k."""
    vectors = Vocabulary.load("words10k").vectors[:words]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.exp(-3.0 * np.maximum(0.0, 1.0 - vectors @ vectors.T)))


X = a_vocabulary(FEATURES)


def some_evidence(answers: int, trajectories: int, seed: int) -> Evidence:
    """Two histories; some arms are asked about again, so predictors depend on each other."""
    random = np.random.default_rng(seed)
    asked = random.integers(0, max(1, answers), (2, answers))
    shares = random.dirichlet(np.full(FEATURES, 0.05), (2, answers, 2, trajectories))
    signs = random.choice([-1.0, 1.0], (2, answers))
    return Evidence(X[asked], signs, shares @ X)


def fitted(model: str, evidence: Evidence, fit: str, *, few: int, tau: float = TAU) -> Posterior:
    """The posterior, where so many features count as few."""
    start = np.zeros((2, 1, evidence.features.shape[2] + TEACHERS[model].has_alpha))
    with patch.object(posterior, "FEW_FEATURES", few):
        return fit_posterior(TEACHERS[model], evidence, beta=20.0, tau=tau, start=start, fit=fit)


def assert_the_same(span: Posterior, whole: Posterior, arms: np.ndarray) -> None:
    """A fit in the span of the answers is that in the whole space."""
    assert whole.basis is None
    assert span.basis is not None
    assert span.basis.shape[2] < arms.shape[2]
    for ours, theirs in (
        (span.mean, whole.mean),
        (span.cov, whole.cov),
        (span.means(arms), whole.means(arms)),
        (span.variances(arms), whole.variances(arms)),
        (span.fit.value, whole.fit.value),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(span.at, whole.at, rtol=0, atol=1e-8)
    if whole.alpha is not None:
        np.testing.assert_allclose(span.alpha, whole.alpha, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", MODELS)
@given(
    answers=st.integers(0, 29), seed=st.integers(0, 2**32), fit=st.sampled_from(["converged", "published"])
)
@settings(max_examples=20)
def test_a_fit_in_the_span_of_the_answers_is_the_fit_in_the_whole_space(
    model: str, fit: str, answers: int, seed: int
) -> None:
    evidence = some_evidence(answers, 1 if TEACHERS[model].plans else 0, seed)
    whole, span = (fitted(model, evidence, fit, few=few) for few in (FEATURES, 32))
    assert_the_same(span, whole, np.stack([X, X]))


def test_it_is_so_with_several_steps_other_arms_and_other_priors() -> None:
    for model, trajectories in itertools.product(("planning", "mixture"), (2, 4)):
        evidence = some_evidence(5, trajectories, trajectories)
        whole, span = (fitted(model, evidence, "converged", few=few) for few in (FEATURES, 32))
        assert_the_same(span, whole, np.stack([X, X]))
    others = (a_vocabulary(200), np.random.default_rng(4).normal(size=(80, 90)))
    for model, tau, arms in itertools.product(MODELS, (0.5, 10.0), others):
        random, dimension = np.random.default_rng(5), arms.shape[1]
        asked, signs = random.integers(0, 40, (2, 15)), random.choice([-1.0, 1.0], (2, 15))
        shares = random.dirichlet(np.full(len(arms), 0.05), (2, 15, 2, 1 if TEACHERS[model].plans else 0))
        evidence = Evidence(arms[asked], signs, shares @ arms)
        whole, span = (fitted(model, evidence, "converged", few=few, tau=tau) for few in (dimension, 32))
        assert_the_same(span, whole, np.stack([arms, arms]))


def test_with_as_many_answers_as_features_the_fit_is_in_the_whole_space() -> None:
    assert fitted("naive", some_evidence(FEATURES, 0, 1), "converged", few=32).basis is None
    assert fitted("mixture", some_evidence(FEATURES // 2, 1, 1), "converged", few=32).basis is None


def test_a_chain_of_published_fits_is_the_same_in_the_span_and_in_the_whole_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Each fit starts where the last one ended, which must lie in the span of the next.
    history = [(3, 1), (9, 0), (3, 1), (20, 1), (9, 1), (41, 0)]
    span = Learner(X, teacher="naive", fit="published").condition(history)
    monkeypatch.setattr(posterior, "FEW_FEATURES", FEATURES)
    whole = Learner(X, teacher="naive", fit="published").condition(history)
    assert span.mean is not None
    assert span.cov is not None
    np.testing.assert_allclose(span.mean, whole.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(span.cov, whole.cov, rtol=0, atol=1e-12)


def test_draws_and_probabilities_do_not_depend_on_the_basis_of_the_span() -> None:
    # With the same arm asked about again, part of the basis is rounding noise, and so the machine's own.
    asked, signs = [3, 9, 3, 20, 9, 3, 41], [1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0]
    fits = []
    for order in (range(7), [6, 5, 4, 3, 2, 1, 0], [5, 0, 2, 6, 1, 4, 3]):
        arms, given = X[None, [asked[i] for i in order]], np.array([[signs[i] for i in order]])
        fits.append(fit_naive(Evidence.without_plans(arms, given), TAU, np.zeros((1, 1, FEATURES))))
    normals = stream(1, "draws").normal(FEATURES)[None]
    points = normal_points(128, FEATURES, seed=1)[None]
    prior = PriorDraws(points, points @ X.T)
    one, *others = fits
    for other in others:
        assert np.abs(other.basis - one.basis).max() > 0.01
        np.testing.assert_allclose(other.draws(normals), one.draws(normals), rtol=0, atol=1e-9)
        for estimate in (count_winners, rao_blackwell):
            p, same = (estimate(fit, X[None], prior) for fit in (one, other))
            np.testing.assert_allclose(same, p, rtol=0, atol=1e-9)


def test_draws_have_the_mean_and_the_covariance_of_the_posterior() -> None:
    one = fitted("mixture", some_evidence(9, 1, 5), "converged", few=32).only(0)
    count = 200_000
    normals = stream(1, "draws").normal(count * one.normals).reshape(count, one.normals)
    assert one.basis is not None
    theta = one.draws(normals)
    error = TAU * 5 / np.sqrt(count)
    np.testing.assert_allclose(theta.mean(0), one.mean[0], rtol=0, atol=error)
    np.testing.assert_allclose(np.cov(theta.T), one.cov[0], rtol=0, atol=TAU * 2 * error)


@pytest.mark.parametrize(("words", "estimate"), [(60, rao_blackwell), (300, count_winners)])
def test_probabilities_in_the_span_are_those_of_independent_draws(words: int, estimate: Estimate) -> None:
    arms = a_vocabulary(words)
    evidence = Evidence.without_plans(arms[None, [3, 9, 11, 3, 40]], np.array([[1.0, -1.0, 1.0, 1.0, -1.0]]))
    learner = fit_naive(evidence, TAU, np.zeros((1, 1, words)))
    assert learner.basis is not None
    (p,) = estimate(learner, arms[None], PriorDraws.of(arms, 4000, seed=1))
    count = 100_000
    root = np.linalg.cholesky(learner.cov[0])
    rng = np.random.default_rng(5)
    wins = np.zeros(words)
    for _ in range(count // 20_000):
        z = (learner.mean + rng.normal(size=(20_000, words)) @ root.T) @ arms.T
        wins += np.bincount(z.argmax(-1), minlength=words)
    truth = wins / count
    error = np.sqrt(truth * (1 - truth) * (1 / count + 1 / 4096) + 1e-8)
    assert (np.abs(p - truth) / error).max() < 5
    assert p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("words", [FEATURES, 300])
def test_learners_in_the_span_have_the_same_probabilities_in_any_batch(words: int) -> None:
    arms = a_vocabulary(words)
    asked = np.array([[3, 9, 11, 3, 40, 5], [1, 2, 3, 4, 5, 6]])
    evidence = Evidence.without_plans(arms[asked], np.array([[1.0, -1.0] * 3, [-1.0] * 6]))

    def expected(part: Evidence, group: list[PriorDraws]) -> np.ndarray:
        batch = len(part.signs)
        learner = fit_naive(part, TAU, np.zeros((batch, 1, words)))
        assert learner.basis is not None
        return best_arm(learner, np.stack([arms] * batch), PriorDraws.together(group))

    draws = [PriorDraws.of(arms, 200, seed) for seed in (1, 2)]
    together = expected(evidence, draws)
    for i in range(2):
        alone = expected(evidence.only(i), draws[i : i + 1])
        np.testing.assert_allclose(alone[0], together[i], rtol=0, atol=1e-12)


def test_a_learner_with_many_words_tells_both_answers_as_it_tells_each() -> None:
    for teacher in MODELS:
        learner = Learner(X, teacher=teacher, samples=64, seed=4)
        state = learner.begin(7)
        for answer in (1, 0, 0, 1):
            both, each = learner.tell_both(state), [learner.tell(state, given) for given in (0, 1)]
            for one, other in zip(both, each, strict=True):
                assert one.arm == other.arm
                np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)
                np.testing.assert_allclose(one.cov, other.cov, atol=1e-9)
            state = both[answer]


def test_the_root_is_one_of_the_covariance_of_the_values_of_arms() -> None:
    evidence = some_evidence(8, 0, 9)
    for count, few in itertools.product((8, 40, FEATURES), (32, FEATURES)):
        arms, one = np.stack([X[:count], X[:count]]), fitted("naive", evidence, "converged", few=few)
        assert (one.basis is None) == (few == FEATURES)
        root = one.root(arms)
        assert root.shape == (2, count, count)
        covariance = arms @ one.cov @ arms.swapaxes(1, 2)
        np.testing.assert_allclose(root @ root.swapaxes(1, 2), covariance, rtol=0, atol=1e-9)
