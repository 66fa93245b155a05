"""Every teacher model's likelihood: its value by the paper's formula, its derivatives by differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from core.teachers import TEACHERS, Evidence

BETA = 20.0
Array = NDArray[np.float64]


def sigma(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def log_likelihood(model: str, evidence: Evidence, at: Array, kappa: float) -> float:
    """Equations 1, 3 and 5 of the paper, written out (with the prior of the mixture's alpha)."""
    theta = at[: evidence.features.shape[2]]
    alpha = sigma(at[-1]) if model == "mixture" else 0.0
    total = math.log(alpha * (1.0 - alpha)) if model == "mixture" else 0.0
    for x, sign, sums in zip(evidence.features[0], evidence.signs[0], evidence.sums[0], strict=True):
        no, yes = (quality(rows.numpy() @ theta, kappa) for rows in sums)
        naive = sigma(float(sign) * float(x.numpy() @ theta))
        planning = sigma(float(sign) * BETA * (yes - no))
        p = {"naive": naive, "planning": planning, "mixture": (1 - alpha) * naive + alpha * planning}
        total += math.log(p[model])
    return total


def quality(returns: Array, kappa: float) -> float:
    if math.isinf(kappa):
        return float(returns.max())
    return float(np.log(np.exp(kappa * (returns - returns.max())).sum()) / kappa + returns.max())


@st.composite
def places(draw: st.DrawFn) -> tuple[Evidence, Array]:
    """Evidence of a few answers, for one or more trajectories, and a place to look at it from."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, M, J = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4]))
    evidence = Evidence(
        torch.from_numpy(rng.normal(size=(1, n, M))),
        torch.from_numpy(rng.choice([-1.0, 1.0], size=(1, n))),
        torch.from_numpy(0.1 * rng.normal(size=(1, n, 2, J, M))),
    )
    return evidence, rng.normal(size=M + 1)


def parameters(model: str, at: Array) -> Array:
    return at if TEACHERS[model].has_alpha else at[:-1]


def row(at: Array) -> Tensor:
    return torch.from_numpy(at).unsqueeze(0)


@pytest.mark.parametrize("model", TEACHERS)
@pytest.mark.parametrize("kappa", [5.0, math.inf])
@given(place=places())
@settings(max_examples=40)
def test_the_value_is_the_formula_of_the_paper(
    model: str, kappa: float, place: tuple[Evidence, Array]
) -> None:
    evidence, at = place[0], parameters(model, place[1])
    value = float(TEACHERS[model](evidence, BETA, kappa)(row(at)).value)
    assert value == pytest.approx(log_likelihood(model, evidence, at, kappa), abs=1e-10)


@pytest.mark.parametrize("model", TEACHERS)
@given(place=places())
@settings(max_examples=40)
def test_gradient_and_hessian_are_those_of_finite_differences(
    model: str, place: tuple[Evidence, Array]
) -> None:
    evidence, at = place[0], parameters(model, place[1])
    density = TEACHERS[model](evidence, BETA, 5.0)
    here = density(row(at))
    step = 1e-5 * np.eye(len(at))
    for i, j in itertools.product(range(len(at)), repeat=2):
        ahead, behind = density(row(at + step[i])), density(row(at - step[i]))
        slope = float(ahead.value - behind.value) / 2e-5
        assert float(here.gradient[0, i]) == pytest.approx(slope, rel=1e-6, abs=1e-6)
        bend = float(ahead.gradient[0, j] - behind.gradient[0, j]) / 2e-5
        assert float(here.curvature[0, i, j]) == pytest.approx(-bend, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("model", TEACHERS)
@given(place=places())
@settings(max_examples=40)
def test_the_gradient_alone_is_the_same_gradient(model: str, place: tuple[Evidence, Array]) -> None:
    evidence, at = place[0], row(parameters(model, place[1]))
    density = TEACHERS[model](evidence, BETA, math.inf)
    torch.testing.assert_close(density.gradient(at), density(at).gradient, rtol=0, atol=1e-11)


@pytest.mark.parametrize("model", TEACHERS)
@given(place=places())
@settings(max_examples=40)
def test_the_stand_in_for_the_curvature_is_positive_semidefinite(
    model: str, place: tuple[Evidence, Array]
) -> None:
    evidence, at = place[0], row(parameters(model, place[1]))
    convex = TEACHERS[model](evidence, BETA, 5.0)(at).convex
    assert float(torch.linalg.eigvalsh(convex).amin()) >= -1e-9


@given(place=places())
@settings(max_examples=40)
def test_the_smooth_maximum_is_at_most_log_rows_over_kappa_too_high(place: tuple[Evidence, Array]) -> None:
    evidence, at = place
    J = evidence.sums.shape[3]
    for kappa in (10.0, 1e6):
        smooth = TEACHERS["planning"](evidence, BETA, kappa)(row(at[:-1])).value
        hard = TEACHERS["planning"](evidence, BETA, math.inf)(row(at[:-1])).value
        most = evidence.signs.shape[1] * BETA * math.log(J) / kappa
        assert abs(float(smooth - hard)) <= most + 1e-12
