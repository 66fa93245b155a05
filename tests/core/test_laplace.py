"""Newton's method on exact cases and saddles, and its report when it fails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.laplace import Density, Evaluation, climb, newton, normal_factor

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


class Quadratic:
    """The log density of a Gaussian of the given mean and precision."""

    def __init__(self, mean: Array, precision: Array) -> None:
        self.mean, self.precision = mean, precision

    def __call__(self, at: Array) -> Evaluation:
        gradient = self.gradient(at)
        value = -0.5 * ((at - self.mean) * -gradient).sum(-1)
        curvature = np.broadcast_to(self.precision, (len(at), *self.precision.shape))
        return Evaluation(value, gradient, curvature, curvature)

    def gradient(self, at: Array) -> Array:
        return -(at - self.mean) @ self.precision

    def only(self, rows: Rows) -> Quadratic:  # noqa: ARG002 (all elements have the same density)
        return self


class TwoHills:
    """-(x^2 - 1)^2 - y^2: maxima at (-1, 0) and (1, 0), a saddle between them at the origin."""

    def __call__(self, at: Array) -> Evaluation:
        x, y = at[:, 0], at[:, 1]
        curvature = np.stack([12 * x**2 - 4, np.full_like(x, 2.0)], -1)[..., None] * np.eye(2)
        convex = np.stack([12 * x**2 + 4, np.full_like(x, 2.0)], -1)[..., None] * np.eye(2)
        return Evaluation(-((x**2 - 1) ** 2) - y**2, self.gradient(at), curvature, convex)

    def gradient(self, at: Array) -> Array:
        x, y = at[:, 0], at[:, 1]
        return np.stack([-4 * x * (x**2 - 1), -2 * y], -1)

    def only(self, rows: Rows) -> TwoHills:  # noqa: ARG002 (all elements have the same density)
        return self


class Slope:
    """x, which has no maximum."""

    def __call__(self, at: Array) -> Evaluation:
        curvature = np.full((len(at), 1, 1), 1e-3)
        return Evaluation(at[:, 0], self.gradient(at), curvature, curvature)

    def gradient(self, at: Array) -> Array:
        return np.ones_like(at)

    def only(self, rows: Rows) -> Slope:  # noqa: ARG002 (all elements have the same density)
        return self


def numbers(*rows: list[float]) -> Array:
    return np.array(rows)


def test_a_gaussian_is_fitted_exactly_in_one_step() -> None:
    precision = numbers([2.0, 0.5], [0.5, 1.0])
    fit = newton(Quadratic(numbers([1.0, -2.0])[0], precision), numbers([30.0, 40.0]))
    np.testing.assert_allclose(fit.at, numbers([1.0, -2.0]), rtol=0, atol=1e-12)
    assert fit.iterations.tolist() == [1]
    assert fit.converged.tolist() == [True]
    factor, bent = normal_factor(fit.curvature)
    np.testing.assert_allclose(factor[0] @ factor[0].T, np.linalg.inv(precision), rtol=0, atol=1e-14)
    assert bent.tolist() == [0.0]


def test_a_climb_that_starts_where_the_density_curves_upwards_ends_on_the_nearer_hill() -> None:
    fit = newton(TwoHills(), numbers([0.1, 3.0], [-0.01, -1.0], [5.0, 0.0]))
    np.testing.assert_allclose(fit.at, numbers([1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]), rtol=0, atol=1e-9)
    assert fit.converged.all()


def test_a_climb_that_starts_on_a_saddle_leaves_it() -> None:
    fit = newton(TwoHills(), numbers([0.0, 0.0], [0.0, 2.0]))
    np.testing.assert_allclose(np.abs(fit.at), numbers([1.0, 0.0], [1.0, 0.0]), rtol=0, atol=1e-9)
    assert (np.linalg.eigvalsh(fit.curvature) > 0).all()


def test_a_density_without_a_maximum_is_reported_as_not_converged() -> None:
    fit = newton(Slope(), numbers([0.0]))
    assert fit.converged.tolist() == [False]
    assert fit.gradient.tolist() == [1.0]
    assert fit.iterations.tolist() == [200]


def test_an_element_of_a_batch_is_fitted_as_if_it_were_alone() -> None:
    starts = np.random.default_rng(1).normal(size=(50, 2))
    together = newton(TwoHills(), starts)
    for i, start in enumerate(starts):
        alone = newton(TwoHills(), start[None])
        assert np.array_equal(alone.at[0], together.at[i])
        assert alone.iterations[0] == together.iterations[i]


def test_published_steps_are_plain_gradient_steps_and_report_that_they_stopped_short() -> None:
    density: Density = Quadratic(numbers([1.0])[0], numbers([2.0]))
    fit = climb(density, numbers([0.0]), steps=10, rate=0.01)
    np.testing.assert_allclose(fit.at, numbers([1.0 - 0.98**10]), rtol=0, atol=1e-14)
    assert fit.converged.tolist() == [False]
    assert fit.iterations.tolist() == [10]


def test_a_curvature_that_is_not_positive_definite_is_bent_and_reported() -> None:
    factor, bent = normal_factor(np.stack([np.eye(2), numbers([4.0, 0.0], [0.0, -0.25])]))
    covariance = factor @ factor.swapaxes(1, 2)
    np.testing.assert_allclose(covariance[0], np.eye(2), rtol=0, atol=1e-14)
    np.testing.assert_allclose(covariance[1], numbers([0.25, 0.0], [0.0, 4.0]), rtol=0, atol=1e-14)
    assert bent.tolist() == [0.0, 0.25]
