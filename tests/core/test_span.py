"""Fits and draws in the span of the answers, against the same in the whole space."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core import Learner, Vocabulary, posterior
from core.evidence import Evidence
from core.posterior import Posterior, fit_posterior
from core.randomness import stream
from core.teachers import TEACHERS
from core.thompson import PriorDraws, best_arm_probabilities, thompson_probabilities

MODELS = ("naive", "planning", "mixture")
FEATURES = 60
TAU = 2.0


def a_vocabulary(words: int) -> np.ndarray:
    """The features of some of the words of words10k."""
    vectors = Vocabulary.load("words10k").vectors[:words]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.exp(-3.0 * np.maximum(0.0, 1.0 - vectors @ vectors.T))


X = a_vocabulary(FEATURES)


def some_evidence(answers: int, trajectories: int, seed: int) -> Evidence:
    """Two histories; some arms are asked about again, so predictors depend on each other."""
    random = np.random.default_rng(seed)
    asked = random.integers(0, max(1, answers), (2, answers))
    shares = random.dirichlet(np.full(FEATURES, 0.05), (2, answers, 2, trajectories))
    signs = random.choice([-1.0, 1.0], (2, answers))
    return Evidence(torch.tensor(X[asked]), torch.tensor(signs), torch.tensor(shares @ X))


def fitted(model: str, evidence: Evidence, fit: str, *, small: int) -> Posterior:
    """The posterior, where spaces of so many features count as small."""
    parameters = FEATURES + TEACHERS[model].has_alpha
    start = torch.zeros(2, 1, parameters, dtype=torch.float64)
    before, posterior.SMALL = posterior.SMALL, small
    try:
        return fit_posterior(TEACHERS[model], evidence, beta=20.0, tau=TAU, start=start, fit=fit)
    finally:
        posterior.SMALL = before


@pytest.mark.parametrize("fit", ["converged", "published"])
@pytest.mark.parametrize("model", MODELS)
@given(answers=st.integers(0, 29), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_a_fit_in_the_span_of_the_answers_is_the_fit_in_the_whole_space(
    model: str, fit: str, answers: int, seed: int
) -> None:
    evidence = some_evidence(answers, 1 if TEACHERS[model].plans else 0, seed)
    whole, span = (fitted(model, evidence, fit, small=small) for small in (FEATURES, 32))
    assert whole.basis is None
    assert span.basis is not None
    assert span.basis.shape[2] < FEATURES
    torch.testing.assert_close(span.mean, whole.mean, rtol=0, atol=1e-9)
    torch.testing.assert_close(span.cov, whole.cov, rtol=0, atol=1e-9)
    torch.testing.assert_close(span.at, whole.at, rtol=0, atol=1e-8)
    torch.testing.assert_close(span.fit.value, whole.fit.value, rtol=1e-10, atol=1e-10)
    arms = torch.tensor(X).expand(2, -1, -1)
    torch.testing.assert_close(span.variances(arms), whole.variances(arms), rtol=0, atol=1e-9)
    if model == "mixture":
        assert span.alpha is not None
        torch.testing.assert_close(span.alpha, whole.alpha, rtol=0, atol=1e-9)


@pytest.mark.parametrize("trajectories", [2, 4])
def test_with_several_steps_a_fit_in_the_span_climbs_as_high_as_in_the_whole_space(trajectories: int) -> None:
    evidence = some_evidence(5, trajectories, seed=3)
    whole, span = (fitted("mixture", evidence, "converged", small=small) for small in (FEATURES, 32))
    assert span.basis is not None
    torch.testing.assert_close(span.fit.value, whole.fit.value, rtol=1e-8, atol=1e-8)


def test_with_as_many_answers_as_features_the_fit_is_in_the_whole_space() -> None:
    assert fitted("naive", some_evidence(FEATURES, 0, 1), "converged", small=32).basis is None
    assert fitted("mixture", some_evidence(FEATURES // 2, 1, 1), "converged", small=32).basis is None


def test_draws_have_the_mean_and_the_covariance_of_the_posterior() -> None:
    one = fitted("mixture", some_evidence(9, 1, 5), "converged", small=32).only(0)
    count = 200_000
    normals = torch.from_numpy(stream(1, "draws").normal(count * one.normals).reshape(count, one.normals))
    assert one.basis is not None
    theta = _drawn(one, normals)
    error = TAU * 5 / np.sqrt(count)
    torch.testing.assert_close(theta.mean(0), one.mean[0], rtol=0, atol=error)
    torch.testing.assert_close(theta.T.cov(), one.cov[0], rtol=0, atol=TAU * 2 * error)


def _drawn(one: Posterior, normals: Tensor) -> Tensor:
    assert one.basis is not None
    size = len(normals)
    each = Posterior(
        one.mean.expand(size, -1),
        one.basis.expand(size, -1, -1),
        one.factor.expand(size, -1, -1),
        one.tau,
        None,
        one.bent,
        one.at,
        one.fit,
    )
    return each.draws(normals)


@pytest.mark.parametrize("words", [60, 300])
def test_thompson_probabilities_by_conditioned_draws_are_those_of_independent_draws(words: int) -> None:
    arms = torch.tensor(a_vocabulary(words))
    asked, signs = arms[[3, 9, 11, 3, 40]], torch.tensor([[1.0, -1.0, 1.0, 1.0, -1.0]], dtype=torch.float64)
    evidence = Evidence.without_plans(asked.unsqueeze(0), signs)
    start = torch.zeros(1, 1, words, dtype=torch.float64)
    learner = fit_posterior(TEACHERS["naive"], evidence, beta=0.0, tau=TAU, start=start, fit="converged")
    assert learner.basis is not None
    p = thompson_probabilities(learner, arms.unsqueeze(0), PriorDraws.of(arms, 4000, seed=1))[0]
    count = 400_000
    root = torch.linalg.cholesky(learner.cov[0])
    generator = torch.Generator().manual_seed(5)
    wins = np.zeros(words)
    for _ in range(count // 20_000):
        normals = torch.randn(20_000, words, generator=generator, dtype=torch.float64)
        z = (learner.mean + normals @ root.T) @ arms.T
        wins += np.bincount(z.numpy().argmax(-1), minlength=words)
    truth = wins / count
    error = np.sqrt(truth * (1 - truth) * (1 / count + 1 / 4096) + 1e-8)
    assert (np.abs(p.numpy() - truth) / error).max() < 5
    assert float(p.sum()) == pytest.approx(1.0)


def test_a_learner_in_the_span_has_the_same_probabilities_in_any_batch() -> None:
    arms = torch.tensor(X)
    evidence = some_evidence(6, 0, 2)
    start = torch.zeros(2, 1, FEATURES, dtype=torch.float64)

    def probabilities(part: Evidence, begin: Tensor, group: list[PriorDraws]) -> Tensor:
        one = fit_posterior(TEACHERS["naive"], part, beta=0.0, tau=TAU, start=begin, fit="converged")
        all_arms = arms.expand(len(begin), -1, -1)
        return thompson_probabilities(one, all_arms, PriorDraws.together(group))

    draws = [PriorDraws.of(arms, 200, seed) for seed in (1, 2)]
    together = probabilities(evidence, start, draws)
    for i in range(2):
        alone = probabilities(evidence.only(i), start[:1], draws[i : i + 1])
        torch.testing.assert_close(alone[0], together[i], rtol=0, atol=1e-12)


@pytest.mark.parametrize("teacher", MODELS)
def test_a_learner_with_many_words_tells_both_answers_as_it_tells_each(teacher: str) -> None:
    learner = Learner(X, teacher=teacher, samples=64, seed=4)
    state = learner.begin(7)
    for answer in (1, 0, 0, 1):
        both, each = learner.tell_both(state), [learner.tell(state, given) for given in (0, 1)]
        for one, other in zip(both, each, strict=True):
            assert one.arm == other.arm
            np.testing.assert_allclose(one.mean, other.mean, atol=1e-9)
            np.testing.assert_allclose(one.cov, other.cov, atol=1e-9)
        state = both[answer]


def test_the_whole_factor_gives_the_same_probabilities_as_the_covariance() -> None:
    arms = torch.tensor(X).expand(2, -1, -1)
    one = fitted("naive", some_evidence(8, 0, 9), "converged", small=32)
    draws = PriorDraws.of(torch.tensor(X), 4000, seed=3)
    by_root = best_arm_probabilities(one.mean, torch.linalg.cholesky(one.cov), arms, draws.points)
    torch.testing.assert_close(thompson_probabilities(one, arms, draws), by_root, rtol=0, atol=0.01)
