"""The posterior's maximum agrees with scipy, and the Gaussian around it with quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import published
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate, optimize, special
from strategies import FEATURES, WORDS, Arms, History, histories, small_problems

from core import Learner, State
from core.likelihoods import Evidence
from core.posterior import fit_posterior
from core.teachers import TEACHERS

Array = NDArray[np.float64]
BETA, TAU = 20.0, 2.0
MODELS = ("naive", "planning", "mixture")


Density = Callable[[Array], Array]  # of points (..., P), a value for each


def log_posterior(model: str, state: State, arms: Array, beta: float = BETA) -> Density:
    """The log density written out in NumPy, up to a constant."""
    x = arms[[arm for arm, _ in state.history]]
    sign = np.array([2.0 * answer - 1.0 for _, answer in state.history])
    sums = state._memory.evidence.sums[0]
    M = arms.shape[1]

    def density(at: Array) -> Array:
        theta = at[..., :M]
        naive = planning = special.log_expit(sign * (theta @ x.T))
        if model != "naive":  # the best trajectory after either answer
            best = (sums @ theta[..., None, None, :, None])[..., 0].max(-1)
            planning = special.log_expit(sign * beta * (best[..., 1] - best[..., 0]))
        prior = -0.5 * np.square(theta).sum(-1) / TAU**2
        if model == "mixture":
            no, yes = special.log_expit(-at[..., M:]), special.log_expit(at[..., M:])
            answers = np.logaddexp(no + naive, yes + planning).sum(-1)
            return np.asarray(answers + prior + no[..., 0] + yes[..., 0])
        return np.asarray(planning.sum(-1) + prior)

    return density


STEP = 2e-4  # of differences: a teacher's beta of 20 on arms of length 7 bends a density within 1e-2


def slope(density: Density, at: Array) -> Array:
    """The gradient (..., P) at points (..., P), by central differences of fourth order."""
    steps = STEP * np.eye(at.shape[-1])
    here = at[..., None, :]
    near = density(here + steps) - density(here - steps)
    far = density(here + 2 * steps) - density(here - 2 * steps)
    return np.asarray((8 * near - far) / (12 * STEP))


def bend(density: Density, at: Array) -> Array:
    """Minus the Hessian at one point, likewise."""
    steps = STEP * np.eye(len(at))
    near = slope(density, at + steps) - slope(density, at - steps)
    far = slope(density, at + 2 * steps) - slope(density, at - 2 * steps)
    return np.asarray(-(8 * near - far) / (12 * STEP))


def scipy_maximum(density: Density, start: Array) -> Array:
    """What scipy finds, made precise with a few steps by finite differences."""
    optimum = optimize.minimize(
        lambda at: -float(density(at)), start, jac=lambda at: -slope(density, at), method="BFGS"
    )
    at = np.asarray(optimum.x)
    curvature = bend(density, at)
    for _ in range(4):
        at = at + np.linalg.solve(curvature, slope(density, at))
    return at


def ours(state: State) -> Array:
    return np.asarray(state._memory.at[0])


def check_is_scipys_maximum(model: str, arms: Array, history: History) -> None:
    state = Learner(arms, teacher=model, samples=64).condition(history)
    assert state.fit.converged
    assert state.fit.gradient <= 1e-8
    assert state.fit.bent == 0.0
    density = log_posterior(model, state, arms)
    P = arms.shape[1] + (model == "mixture")
    true = scipy_maximum(density, np.zeros(P))
    if density(true) < density(ours(state)) - 1e-6:  # a lower maximum: a mixture may have several
        true = scipy_maximum(density, ours(state) + 1e-3)
    np.testing.assert_allclose(ours(state), true, atol=1e-6)
    np.testing.assert_allclose(state.mean, true[: arms.shape[1]], atol=1e-6)
    assert state.fit.log_density == pytest.approx(float(density(true)), abs=1e-9)


# The mixture has two maxima here, and the climb from 0 alone ends at the lower one.
NO = [(0, 0)] * 5
TWO_MAXIMA = [(0, 0), (7, 1), (14, 0), (0, 0), (8, 0), (17, 1), *NO, (2, 1), (7, 0), (9, 1), (10, 0)]


@pytest.mark.parametrize("model", MODELS)
@given(history=histories(20, least=1))
@example(history=TWO_MAXIMA)
@settings(max_examples=50)
def test_on_random_histories_the_fit_is_the_maximum_that_scipy_finds(model: str, history: History) -> None:
    check_is_scipys_maximum(model, FEATURES, history)


@pytest.mark.prove
@pytest.mark.parametrize("model", MODELS)
@given(history=histories(20, least=1))
@settings(max_examples=300)
def test_on_many_histories_the_fit_is_the_maximum_that_scipy_finds(model: str, history: History) -> None:
    check_is_scipys_maximum(model, FEATURES, history)


@published.needs_sessions
def test_on_published_histories_the_fit_is_the_maximum_that_scipy_finds() -> None:
    rounds = [*published.rounds("naive")[::20], *published.rounds("mixture")[::20]]
    for length, answers in enumerate(rounds):
        history = [(WORDS.index(word), answer) for word, answer in answers[: 1 + length % 15]]
        for model in MODELS:
            check_is_scipys_maximum(model, FEATURES, history)


@pytest.mark.parametrize("model", MODELS)
@given(problem=small_problems())
@settings(max_examples=50)
def test_on_any_arms_the_fit_is_a_maximum_and_its_covariance_the_inverse_hessian(
    model: str, problem: tuple[Arms, History]
) -> None:
    arms, history = problem
    state = Learner(arms, teacher=model, samples=64).condition(history)
    assert state.fit.converged
    assert state.fit.bent == 0.0
    # With steps no longer than the scale of the steepest predictor, differences are good to a few digits.
    density = log_posterior(model, state, arms)
    assert np.abs(slope(density, ours(state))).max() < 1e-4
    covariance = np.linalg.inv(bend(density, ours(state)))[: arms.shape[1], : arms.shape[1]]
    np.testing.assert_allclose(state.cov, covariance, rtol=2e-2, atol=2e-3)


@pytest.mark.prove
@published.needs_sessions
def test_on_published_histories_no_other_start_finds_a_higher_maximum_of_the_mixture() -> None:
    rng = np.random.default_rng(0)
    for answers in published.rounds("mixture")[::6]:
        state = Learner(FEATURES).condition([(WORDS.index(word), answer) for word, answer in answers])
        density = log_posterior("mixture", state, FEATURES)
        for start in 2.0 * rng.normal(size=(3, 21)):
            found = optimize.minimize(
                lambda at, f=density: -float(f(at)), start, jac=lambda at, f=density: -slope(f, at)
            )
            assert -found.fun <= state.fit.log_density + 1e-6


# Laplace against quadrature


def moments_1d(density: Callable[[float], float]) -> tuple[float, float]:
    peak = density(float(optimize.minimize_scalar(lambda t: -density(t), bounds=(-9, 9), method="bounded").x))

    def integral(power: int) -> float:
        return float(integrate.quad(lambda t: t**power * math.exp(density(t) - peak), -15, 15, limit=400)[0])

    mean = integral(1) / integral(0)
    return mean, integral(2) / integral(0) - mean**2


def test_in_one_dimension_mean_and_variance_are_near_those_of_quadrature() -> None:
    arms = np.array([[1.0], [-0.6]])
    history = [(0, 1), (1, 1), (0, 0), (0, 1), (1, 0), (0, 1)]
    for model in ("naive", "planning"):
        state = Learner(arms, teacher=model, beta=2.0).condition(history)
        density = log_posterior(model, state, arms, beta=2.0)
        mean, variance = moments_1d(lambda t, f=density: float(f(np.array([t]))))
        assert abs(state.mean[0] - mean) < 0.2 * math.sqrt(variance)
        assert state.cov[0, 0] == pytest.approx(variance, rel=0.2)


def test_with_more_and_more_answers_laplace_approaches_the_truth() -> None:
    arms = np.array([[1.0], [-0.6]])
    rng = np.random.default_rng(0)
    errors = []
    for n in (4, 40, 400):
        asked = rng.integers(0, 2, n)
        answers = (rng.random(n) < special.expit(arms[asked, 0] * 0.7)).astype(int)
        state = Learner(arms, teacher="naive").condition(
            list(zip(asked.tolist(), answers.tolist(), strict=True))
        )
        density = log_posterior("naive", state, arms)
        mean, variance = moments_1d(lambda t, f=density: float(f(np.array([t]))))
        errors.append(abs(state.mean[0] - mean) / math.sqrt(variance))
        assert state.cov[0, 0] == pytest.approx(variance, rel=2.0 / n + 0.01)
    assert errors[2] < 0.03


def test_alpha_is_its_mean_under_the_gaussian_of_its_logit() -> None:
    state = Learner(FEATURES).condition([(3, 1), (11, 0), (5, 1), (8, 0)])
    density = log_posterior("mixture", state, FEATURES)
    centre, sd = ours(state)[-1], math.sqrt(np.linalg.inv(bend(density, ours(state)))[-1, -1])
    mean, _ = integrate.quad(
        lambda z: special.expit(centre + sd * z) * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi), -12, 12
    )
    assert state.alpha == pytest.approx(mean, abs=1e-6)


def test_without_answers_the_posterior_is_the_prior() -> None:
    for model in MODELS:
        state = Learner(FEATURES, teacher=model, tau=1.5).begin(3)
        np.testing.assert_allclose(state.mean, 0.0, atol=1e-12)
        np.testing.assert_allclose(state.cov, 1.5**2 * np.eye(20), atol=1e-12)
        assert state.alpha == (pytest.approx(0.5, abs=1e-12) if model == "mixture" else None)


def test_alpha_moves_towards_the_teacher_that_explains_the_answers() -> None:
    """Ten times yes: one kind of teacher would say so for the right theta, the other tosses a coin."""
    for kind in ("naive", "planning"):
        features = np.full((1, 10, 1), float(kind == "naive"))
        sums = np.zeros((1, 10, 2, 1, 1))
        sums[:, :, 1] = float(kind == "planning")
        posterior = fit_posterior(
            TEACHERS["mixture"],
            Evidence(features, np.ones((1, 10)), sums),
            beta=1.0,
            tau=TAU,
            start=np.zeros((1, 1, 2)),
            fit="converged",
        )
        assert posterior.alpha is not None
        assert posterior.alpha[0] > 0.6 if kind == "planning" else posterior.alpha[0] < 0.4


# Several steps ahead


@pytest.mark.parametrize("model", ["planning", "mixture"])
@given(problem=small_problems(), horizon=st.integers(2, 3))
@settings(max_examples=40)
def test_with_several_steps_the_fit_converges_to_a_maximum_even_on_a_kink(
    model: str, horizon: int, problem: tuple[Arms, History]
) -> None:
    arms, history = problem[0] / 2.0, problem[1]
    state = Learner(arms, teacher=model, horizon=horizon, samples=64).condition(history)
    assert state.fit.converged
    assert state.fit.bent == 0.0
    assert np.linalg.eigvalsh(state.cov).min() > 0
    density = log_posterior(model, state, arms)
    top = float(density(ours(state)))
    assert top == pytest.approx(state.fit.log_density, abs=1e-8)
    # Every direction leads downhill, up to the cost of rounding off the kinks.
    # (Not far away: beyond a kink there may be another maximum, 0.001 away and higher by 0.003.)
    rounding = len(history) * BETA * math.log(2 ** (horizon - 1)) / 1e6
    ways = np.random.default_rng(0).normal(size=(90, len(ours(state))))
    radii = np.repeat([1e-4, 3e-5, 1e-5], 30)[:, None]
    nearby = ours(state) + radii * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    assert (density(nearby) <= top + rounding).all()
